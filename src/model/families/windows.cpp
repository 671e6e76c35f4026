#include <fmt/format.h>

#include "model/families/families.h"

namespace steelyard::model {
namespace {

void set_window(Layer& layer, Mixer mixer, std::uint64_t window) {
  layer.mixer = mixer;
  layer.attention.window = static_cast<std::uint32_t>(window);
}

// One word per layer: "full_attention", "sliding_attention", "chunked_attention", and those of
// hybrids, which their own families turn into recurrent layers.
void by_layer_types(Draft& d, const std::vector<std::string>& types, std::uint64_t window,
                    std::uint64_t chunk) {
  for (std::size_t i = 0; i < d.model.layers.size() && i < types.size(); ++i) {
    Layer& layer = d.model.layers[i];
    if (types[i] == "sliding_attention" && window > 0) set_window(layer, Mixer::sliding, window);
    if (types[i] == "chunked_attention" && chunk > 0) set_window(layer, Mixer::chunked, chunk);
  }
}

// "LLLG" repeated over the layers: L local, G global.
void by_letters(Draft& d, const std::string& letters, std::uint64_t window) {
  for (std::size_t i = 0; i < d.model.layers.size(); ++i) {
    if (letters[i % letters.size()] == 'L') set_window(d.model.layers[i], Mixer::sliding, window);
  }
}

}  // namespace

void read_windows(Draft& d, const DecoderDefaults& defaults) {
  const Fields& f = d.text;
  const std::uint64_t window =
      f.number({"sliding_window", "sliding_window_size"}, 0, kContextLimit);
  const std::uint64_t chunk = f.number({"attention_chunk_size"}, 0, kContextLimit);
  if (window > UINT32_MAX || chunk > UINT32_MAX) return;  // wider than any context: full
  const auto types = f.texts("layer_types");
  if (!types.empty()) {
    if (types.size() != d.model.layers.size()) {
      f.report({.kind = ErrorKind::bad_input,
                .what = fmt::format("layer_types names {} layers, num_hidden_layers says {}",
                                    types.size(), d.model.layers.size()),
                .field = f.path("layer_types"),
                .try_this = "check that the file is an unmodified config.json"});
    }
    return by_layer_types(d, types, window, chunk);
  }
  if (window == 0 || !f.flag({"use_sliding_window"}, true)) return;
  const auto flags = f.numbers("hybrid_layer_pattern", 1);
  const std::string letters = f.text({"sliding_window_pattern"});
  if (!letters.empty()) return by_letters(d, letters, window);
  const std::uint64_t every =
      f.is_list("sliding_window_pattern")
          ? 0
          : f.number({"sliding_window_pattern", "_sliding_window_pattern"}, defaults.full_every);
  // Qwen2: layers from max_window_layers on slide; the ones before see everything.
  const std::uint64_t first =
      f.has("use_sliding_window") ? f.number({"max_window_layers"}, 0, kLayerLimit) : 0;
  for (std::size_t i = first; i < d.model.layers.size(); ++i) {
    const bool full =
        flags.empty() ? every > 0 && (i + 1) % every == 0 : i < flags.size() && flags[i] == 0;
    if (!full) set_window(d.model.layers[i], Mixer::sliding, window);
  }
}

}  // namespace steelyard::model

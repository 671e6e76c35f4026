#include "model/gguf_layers.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/check_layers.h"
#include "model/gguf_architectures.h"
#include "model/gguf_layer_parts.h"

namespace steelyard::model {
namespace {

constexpr std::uint64_t kGgufLayers = 4096;

// The last layers reuse the cache of the last earlier layer of their kind that keeps one.
void share_caches(std::vector<Layer>& layers, std::uint64_t owners) {
  for (std::size_t i = owners; i < layers.size(); ++i) {
    for (std::size_t j = owners; j-- > 0;) {
      if (layers[j].mixer != layers[i].mixer) continue;
      layers[i].attention.shares_cache_with = static_cast<std::int32_t>(j);
      break;
    }
  }
}

// Attention and state side by side count as two layers, so that whoever sums sees both.
std::vector<Layer> halves(const std::vector<Layer>& layers, const Recurrent& recurrent) {
  std::vector<Layer> result;
  for (const Layer& layer : layers) {
    Layer state{.mixer = Mixer::recurrent, .recurrent = recurrent};
    state.feed_forward.kind = FeedForwardKind::none;
    result.push_back(state);
    result.push_back(layer);
  }
  return result;
}

void read_sizes(const GgufMetadata& m, Model& model) {
  model.architecture = model.model_type = m.architecture();
  model.name = m.text("general.name");
  model.reading = Reading::gguf;
  model.hidden = m.number(m.key("embedding_length")).value_or(0);
  model.max_context = m.number(m.key("context_length")).value_or(0);
  model.vocab =
      m.number(m.key("vocab_size")).value_or(m.length("tokenizer.ggml.tokens").value_or(0));
  model.dtype = {.name = "f16", .block_elements = 1, .block_bytes = 2};
  model.quantisation.method = "gguf";
}

void build_layers(const GgufMetadata& m, const GgufArchitecture& arch, std::uint64_t count,
                  Model& model) {
  for (std::size_t i = 0; i < count; ++i) model.layers.push_back(gguf_layer(m, arch, i));
  const std::uint64_t mtp =
      std::min<std::uint64_t>(m.number(m.key("nextn_predict_layers")).value_or(0), count);
  model.mtp_layers.assign(model.layers.end() - static_cast<std::ptrdiff_t>(mtp),
                          model.layers.end());
  model.layers.resize(count - mtp);
  // Gemma-3n files before this key: 20 layers of their own, in both sizes.
  const std::uint64_t sharing =
      m.number(m.key("attention.shared_kv_layers"))
          .value_or(arch.name == "gemma3n" && count > 20 ? count - 20 : 0);
  if (sharing > 0 && sharing < model.layers.size()) {
    share_caches(model.layers, model.layers.size() - sharing);
  }
  if (arch.beside) {
    model.layers = halves(model.layers, gguf_recurrent(m, arch));
    model.notes.push_back(
        "each layer runs attention and Mamba-2 side by side; it is listed as two layers");
  }
}

}  // namespace

Result<Model> layers_from_gguf_metadata(const GgufMetadata& m) {
  Model model;
  read_sizes(m, model);
  if (model.architecture.empty()) {
    return fail({.kind = ErrorKind::missing_field,
                 .what = "the metadata name no architecture",
                 .field = "general.architecture",
                 .try_this = "give the first file of a split model, or convert it again"});
  }
  const auto count = m.number(m.key("block_count"));
  if (count && *count > kGgufLayers) {
    return fail({.kind = ErrorKind::too_large,
                 .what = fmt::format("claims {} layers", with_commas(*count)),
                 .field = m.key("block_count"),
                 .try_this = "the file is damaged: fetch it again"});
  }
  const GgufArchitecture* known = find_gguf_architecture(model.architecture);
  const GgufArchitecture arch = known != nullptr ? *known : GgufArchitecture{};
  const bool has_heads = m.has(m.key("attention.head_count")) || arch.all_recurrent;
  if (!count || *count == 0 || !has_heads) {
    model.not_established = fmt::format(
        "the metadata of \"{}\" give no layers or no attention heads", model.architecture);
    return model;
  }
  if (known == nullptr) {
    model.notes.push_back(
        fmt::format("\"{}\" is not an architecture we know: its layers follow the usual keys",
                    model.architecture));
  }
  model.encoder_only = arch.encoder || m.number(m.key("attention.causal")) == 0u;
  model.tied_embeddings = arch.tied;
  build_layers(m, arch, *count, model);
  if (model.encoder_only) {
    for (Layer& layer : model.layers) layer.mixer = Mixer::bidirectional;
  }
  // T5: `block_count` are the encoder's, the decoder's layers keep the cache.
  if (model.architecture == "t5") {
    model.encoder_layers = static_cast<std::uint32_t>(*count);
    const std::uint64_t decoder = m.number(m.key("decoder_block_count")).value_or(*count);
    model.layers.resize(std::min(decoder, kGgufLayers), model.layers.front());
  }
  if (Status good = check_layers(model, gguf_words(model.architecture)); !good) {
    return std::unexpected(std::move(good.error()));
  }
  return model;
}

}  // namespace steelyard::model

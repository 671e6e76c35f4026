#include "model/check_layers.h"

#include <fmt/format.h>

namespace steelyard::model {
namespace {

Status wrong(const std::string& field, std::size_t layer, const std::string& what) {
  return fail({.kind = ErrorKind::bad_input,
               .what = fmt::format("layer {}: {}", layer, what),
               .field = field,
               .try_this = "the file is damaged or edited: fetch it again"});
}

bool attends(Mixer mixer) {
  return mixer != Mixer::none && mixer != Mixer::recurrent;
}

Status check_attention(const Attention& a, Mixer mixer, std::size_t layer, const LayerWords& w) {
  if (a.query_heads == 0) return wrong(w.query_heads, layer, "no attention heads");
  if (a.kv_heads == 0) return wrong(w.kv_heads, layer, "no heads of keys and values");
  // Values of no width: DeepSeek-V4 keeps keys only, which serve as values too.
  const bool latent = mixer == Mixer::mla && a.kv_lora_rank > 0;
  if (!latent && a.key_dim == 0) {
    return wrong(w.head_dim, layer, fmt::format("{} heads of no width", a.query_heads));
  }
  // Latent attention shares one cached vector; its heads of keys are those of queries or one.
  if (mixer != Mixer::mla && (a.kv_heads > a.query_heads || a.query_heads % a.kv_heads != 0)) {
    return wrong(w.kv_heads, layer,
                 fmt::format("{} heads of keys and values do not divide {} of queries", a.kv_heads,
                             a.query_heads));
  }
  return {};
}

Status check_experts(const FeedForward& f, std::size_t layer, const LayerWords& w) {
  if (f.experts == 0) return wrong(w.experts, layer, "experts, but none of them");
  if (f.experts_per_token > f.experts) {
    return wrong(w.experts_per_token, layer,
                 fmt::format("{} experts per token of {}", f.experts_per_token, f.experts));
  }
  return {};
}

}  // namespace

LayerWords config_words() {
  return {"num_attention_heads", "num_key_value_heads", "head_dim", "num_experts",
          "num_experts_per_tok"};
}

LayerWords gguf_words(const std::string& architecture) {
  const auto key = [&](std::string_view name) { return fmt::format("{}.{}", architecture, name); };
  return {key("attention.head_count"), key("attention.head_count_kv"), key("attention.key_length"),
          key("expert_count"), key("expert_used_count")};
}

Status check_layers(const Model& model, const LayerWords& words) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    if (attends(layer.mixer)) {
      if (Status good = check_attention(layer.attention, layer.mixer, i, words); !good) return good;
    }
    if (layer.feed_forward.kind == FeedForwardKind::moe) {
      if (Status good = check_experts(layer.feed_forward, i, words); !good) return good;
    }
  }
  return {};
}

}  // namespace steelyard::model

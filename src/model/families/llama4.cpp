// Llama 4: chunked attention in three of four layers, experts with one shared expert.
#include <algorithm>

#include "model/families/all.h"

namespace steelyard::model {

void build_llama4(Draft& d) {
  const Fields& f = d.text;
  NameStyle& n = d.style.names;
  n.embedding = "language_model.model.embed_tokens";
  n.layers = "language_model.model.layers";
  n.final_norm = "language_model.model.norm";
  n.head = "language_model.lm_head";
  n.mlp = n.moe = "feed_forward";
  n.router = "router";
  n.shared = "shared_expert";
  d.style.experts_fused = true;
  read_decoder(d);
  const std::uint64_t inner = f.number({"intermediate_size"}, 0);
  const std::uint64_t chunk = f.number({"attention_chunk_size"}, 0, UINT32_MAX);
  const auto rope = f.numbers("no_rope_layers", 1);  // 1: the layer has rotary positions
  const std::uint64_t every =
      std::max<std::uint64_t>(1, f.number({"no_rope_layer_interval"}, 4, kLayerLimit));
  for (std::size_t i = 0; i < d.model.layers.size(); ++i) {
    Layer& layer = d.model.layers[i];
    if (layer.feed_forward.kind == FeedForwardKind::moe) {
      layer.feed_forward.expert_intermediate = static_cast<std::uint32_t>(inner);
      layer.feed_forward.shared_experts = 1;
      layer.feed_forward.shared_intermediate = static_cast<std::uint32_t>(inner);
    }
    const bool rotary = i < rope.size() ? rope[i] == 1 : (i + 1) % every != 0;
    if (chunk > 0 && rotary) {
      layer.mixer = Mixer::chunked;
      layer.attention.window = static_cast<std::uint32_t>(chunk);
    }
  }
  emit_decoder(d);
  read_towers(d);
}

}  // namespace steelyard::model

// Kimi-Linear and Kimi K3: delta attention with latent attention every few layers.
#include <algorithm>

#include "model/families/all.h"

namespace steelyard::model {

void build_kimi_linear(Draft& d) {
  const Fields& f = d.text;
  const Fields linear = f.object("linear_attn_config");
  Style& s = d.style;
  s.router_correction = true;
  s.mixer = "self_attn";
  s.names.moe = "block_sparse_moe";
  s.full_rank_gate = linear.flag({"use_full_rank_gate"}, false);
  s.mla_output_gate = f.flag({"mla_use_output_gate"}, false);
  s.expert_hidden = f.number({"routed_expert_hidden_size"}, 0);
  if (d.root.is_object("text_config")) {
    s.names.embedding = "language_model.model.embed_tokens";
    s.names.layers = "language_model.model.layers";
    s.names.final_norm = "language_model.model.norm";
    s.names.head = "language_model.lm_head";
  }
  read_decoder(d);
  Recurrent r{.kind = RecurrentKind::kimi_delta};
  r.state_heads = linear.need({"num_heads"});
  r.state_key_dim = r.state_value_dim = linear.need({"head_dim"});
  r.conv_kernel = linear.number({"short_conv_kernel_size"}, 4);
  r.conv_channels = saturating_mul(3 * r.state_heads, r.state_key_dim);
  // Its lists count layers from 1.
  for (const std::uint64_t number : linear.numbers("kda_layers", kLayerLimit)) {
    if (number == 0 || number > d.model.layers.size()) continue;
    Layer& layer = d.model.layers[number - 1];
    layer.mixer = Mixer::recurrent;
    layer.attention = {};
    layer.recurrent = r;
  }
  emit_decoder(d);
  read_towers(d);
}

}  // namespace steelyard::model

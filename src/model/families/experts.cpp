// Mixture-of-experts decoders: names of their experts, and what their routers carry.
#include "model/families/all.h"

namespace steelyard::model {

void build_mixtral(Draft& d) {
  NameStyle& n = d.style.names;
  n.moe = "block_sparse_moe";
  n.expert_gate = "w1";
  n.expert_down = "w2";
  n.expert_up = "w3";
  read_decoder(d);
  emit_decoder(d);
}

void build_gpt_oss(Draft& d) {
  Style& s = d.style;
  s.qkv_bias = s.o_bias = s.sinks = s.router_bias = s.expert_bias = s.experts_fused = true;
  s.names.router = "router";
  read_decoder(d, {.full_every = 2, .head_dim = 64});
  emit_decoder(d);
}

void build_granite_moe(Draft& d) {
  NameStyle& n = d.style.names;
  d.style.experts_fused = true;
  n.moe = "block_sparse_moe";
  n.router = "router.layer";
  read_decoder(d, {.tied = true});
  emit_decoder(d);
}

void build_minimax_m2(Draft& d) {
  NameStyle& n = d.style.names;
  n.moe = n.mlp = "block_sparse_moe";
  n.expert_gate = "w1";
  n.expert_down = "w2";
  n.expert_up = "w3";
  d.style.router_correction = d.text.flag({"use_routing_bias"}, false);
  if (d.text.flag({"use_qk_norm"}, false)) {
    d.style.qk_norm = d.text.text({"qk_norm_type"}) == "per_head" ? QkNorm::head : QkNorm::full;
  }
  read_decoder(d);
  emit_decoder(d);
}

// GLM-4.5 and later: DeepSeek's router, attention with or without norms of q and k.
void build_glm4_moe(Draft& d) {
  d.style.qkv_bias = d.text.flag({"attention_bias"}, false);
  if (d.text.flag({"use_qk_norm"}, false)) d.style.qk_norm = QkNorm::head;
  d.style.router_correction = true;
  d.style.mtp_own_embedding = true;
  read_decoder(d);
  emit_decoder(d);
}

}  // namespace steelyard::model

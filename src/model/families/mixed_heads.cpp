// Experts with attention layers of two shapes, or with a sparse index: MiMo-V2, Step, MiniMax-M3.
#include <algorithm>

#include "model/families/all.h"

namespace steelyard::model {
void build_mimo_v2(Draft& d) {
  const Fields& f = d.text;
  d.style.qkv_bias = f.flag({"attention_bias"}, false);
  d.style.router_correction = true;
  read_decoder(d);
  for (Layer& layer : d.model.layers) {
    if (layer.mixer != Mixer::sliding) continue;
    Attention& a = layer.attention;
    a.query_heads = u32(f.number({"swa_num_attention_heads"}, a.query_heads));
    a.kv_heads = u32(f.number({"swa_num_key_value_heads"}, a.kv_heads));
    a.key_dim = u32(f.number({"swa_head_dim"}, a.key_dim));
    a.value_dim = u32(f.number({"swa_v_head_dim"}, a.value_dim));
  }
  emit_decoder(d);
  if (!f.flag({"add_swa_attention_sink_bias"}, false)) return;
  for (std::size_t i = 0; i < d.model.layers.size(); ++i) {
    if (d.model.layers[i].mixer != Mixer::sliding) continue;
    d.enter_layer(i);
    d.vector("self_attn.attention_sink_bias", Role::attention_other,
             d.model.layers[i].attention.query_heads, Split::column);
    d.leave_layer();
  }
}

void build_step(Draft& d) {
  d.style.qk_norm = QkNorm::head;
  d.style.names.moe = "moe";
  d.style.names.shared = "share_expert";
  d.style.router_correction = d.text.flag({"use_moe_router_bias"}, false);
  d.note("assumed: all layers have the heads the config names, and norms of q and k");
  read_decoder(d);
  emit_decoder(d);
}

// MiniMax-M3: a small index of one key per token picks the blocks a query reads.
void build_minimax_m3(Draft& d) {
  const Fields& f = d.text;
  NameStyle& n = d.style.names;
  if (d.root.is_object("text_config")) {
    n.embedding = "language_model.model.embed_tokens";
    n.layers = "language_model.model.layers";
    n.final_norm = "language_model.model.norm";
    n.head = "language_model.lm_head";
  }
  n.moe = "block_sparse_moe";
  n.expert_gate = "w1";
  n.expert_down = "w2";
  n.expert_up = "w3";
  d.style.router_correction = f.flag({"use_routing_bias"}, false);
  d.style.qk_norm = QkNorm::head;
  read_decoder(d);
  const Fields sparse = f.object("sparse_attention_config");
  const auto flags = sparse.numbers("sparse_attention_freq", kLayerLimit);
  const std::uint64_t dim = sparse.number({"sparse_index_dim"}, 0);
  const std::uint64_t heads = sparse.number({"sparse_num_index_heads"}, 0);
  for (std::size_t i = 0; i < flags.size() && i < d.model.layers.size(); ++i) {
    if (flags[i] != 0) d.model.layers[i].attention.indexer_dim = u32(dim);
  }
  emit_decoder(d);
  for (std::size_t i = 0; i < d.model.layers.size(); ++i) {
    if (d.model.layers[i].attention.indexer_dim == 0) continue;
    d.enter_layer(i);
    d.linear("self_attn.index_q_proj", Role::indexer, heads * dim, d.model.hidden,
             Split::replicated);
    d.linear("self_attn.index_k_proj", Role::indexer, dim, d.model.hidden, Split::replicated);
    d.norm("self_attn.index_q_norm", dim);
    d.norm("self_attn.index_k_norm", dim);
    d.leave_layer();
  }
  read_towers(d);
}

}  // namespace steelyard::model

#include "model/blocks.h"

namespace steelyard::model {
namespace {

std::string in_attention(const Draft& draft, std::string_view name) {
  return joined_name(draft.style.names.attention, name);
}

void emit_qkv(Draft& d, const Attention& a) {
  const std::uint64_t hidden = d.model.hidden;
  const std::uint64_t q = std::uint64_t{a.query_heads} * a.key_dim;
  const std::uint64_t k = std::uint64_t{a.kv_heads} * a.key_dim;
  const std::uint64_t v = std::uint64_t{a.kv_heads} * a.value_dim;
  const NameStyle& n = d.style.names;
  const bool bias = d.style.qkv_bias;
  if (!n.qkv.empty()) {
    d.linear(in_attention(d, n.qkv), Role::attention_qkv, q + k + v, hidden, Split::column, bias);
    return;
  }
  d.linear(in_attention(d, n.q), Role::attention_q, d.style.output_gate ? 2 * q : q, hidden,
           Split::column, bias);
  if (a.shares_cache_with >= 0) return;
  d.linear(in_attention(d, n.k), Role::attention_k, k, hidden, Split::kv_column, bias);
  if (d.style.k_eq_v && a.window == 0) return;
  d.linear(in_attention(d, n.v), Role::attention_v, v, hidden, Split::kv_column, bias);
}

void emit_qk_norms(Draft& d, const Attention& a) {
  const std::uint64_t q = std::uint64_t{a.query_heads} * a.key_dim;
  const std::uint64_t k = std::uint64_t{a.kv_heads} * a.key_dim;
  const bool own_keys = a.shares_cache_with < 0;
  switch (d.style.qk_norm) {
    case QkNorm::none:
      return;
    case QkNorm::head:
      d.norm(in_attention(d, d.style.names.q_norm), a.key_dim);
      if (own_keys) d.norm(in_attention(d, d.style.names.k_norm), a.key_dim);
      return;
    case QkNorm::full:
    case QkNorm::query_heads:
      d.norm(in_attention(d, d.style.names.q_norm), q);
      if (own_keys) d.norm(in_attention(d, d.style.names.k_norm), k);
      return;
  }
}

}  // namespace

void emit_attention(Draft& d, const Layer& layer) {
  const Attention& a = layer.attention;
  if (layer.mixer == Mixer::mla) return emit_mla(d, layer);
  emit_qkv(d, a);
  d.linear(in_attention(d, d.style.names.o), Role::attention_output, d.model.hidden,
           std::uint64_t{a.query_heads} * a.value_dim, Split::row, d.style.o_bias);
  emit_qk_norms(d, a);
  if (d.style.sinks) {
    d.vector(in_attention(d, "sinks"), Role::attention_other, a.query_heads, Split::column);
  }
}

void emit_mla(Draft& d, const Layer& layer) {
  const Attention& a = layer.attention;
  const std::uint64_t hidden = d.model.hidden;
  const std::uint64_t heads = a.query_heads;
  const std::uint64_t rank = a.kv_lora_rank, rope = a.rope_dim;
  const std::uint64_t nope = d.style.nope_dim, q_rank = d.style.q_lora_rank;
  const bool bias = d.style.qkv_bias;
  if (q_rank > 0) {
    d.linear(in_attention(d, "q_a_proj"), Role::mla_q_a, q_rank, hidden, Split::replicated, bias);
    d.norm(in_attention(d, "q_a_layernorm"), q_rank);
    d.linear(in_attention(d, "q_b_proj"), Role::mla_q_b, heads * (nope + rope), q_rank,
             Split::column);
  } else {
    d.linear(in_attention(d, "q_proj"), Role::attention_q, heads * (nope + rope), hidden,
             Split::column);
  }
  d.linear(in_attention(d, "kv_a_proj_with_mqa"), Role::mla_kv_a, rank + rope, hidden,
           Split::replicated, bias);
  d.norm(in_attention(d, "kv_a_layernorm"), rank);
  d.linear(in_attention(d, "kv_b_proj"), Role::mla_kv_b, heads * (nope + a.value_dim), rank,
           Split::column);
  d.linear(in_attention(d, "o_proj"), Role::attention_output, hidden, heads * a.value_dim,
           Split::row, bias);
  if (d.style.mla_output_gate) {
    d.linear(in_attention(d, "g_proj"), Role::attention_other, heads * a.value_dim, hidden,
             Split::column);
  }
  if (a.indexer_dim > 0) emit_indexer(d, layer);
}

void emit_indexer(Draft& d, const Layer& layer) {
  const std::uint64_t dim = layer.attention.indexer_dim, heads = d.style.indexer_heads;
  const std::uint64_t from = d.style.q_lora_rank > 0 ? d.style.q_lora_rank : d.model.hidden;
  d.linear(in_attention(d, "indexer.wq_b"), Role::indexer, heads * dim, from, Split::replicated);
  d.linear(in_attention(d, "indexer.wk"), Role::indexer, dim, d.model.hidden, Split::replicated);
  d.vector(in_attention(d, "indexer.k_norm.weight"), Role::norm, dim);
  d.vector(in_attention(d, "indexer.k_norm.bias"), Role::norm, dim);
  d.linear(in_attention(d, "indexer.weights_proj"), Role::indexer, heads, d.model.hidden,
           Split::replicated, false, false);
}

}  // namespace steelyard::model

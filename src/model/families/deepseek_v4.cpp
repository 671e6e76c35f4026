// DeepSeek-V4: one latent of head_dim values per token for K and V, kept for a short window, and
// compressed copies of it (one per `compress_ratios` tokens) for the rest of the context.
#include <algorithm>

#include <fmt/format.h>

#include "model/families/all.h"
#include "model/stored.h"

namespace steelyard::model {
namespace {

struct Sizes {
  std::uint64_t heads, head, rope, q_rank, o_rank, o_groups, index_heads, index_dim, streams;
};

Sizes read_sizes(const Fields& f) {
  return {.heads = f.need({"num_attention_heads"}),
          .head = f.need({"head_dim"}),
          .rope = f.need({"qk_rope_head_dim"}),
          .q_rank = f.need({"q_lora_rank"}),
          .o_rank = f.need({"o_lora_rank"}),
          .o_groups = std::max<std::uint64_t>(1, f.need({"o_groups"})),
          .index_heads = f.number({"index_n_heads"}, 0),
          .index_dim = f.number({"index_head_dim"}, 0),
          .streams = f.number({"hc_mult"}, 1, 64)};
}

Layer layer_of(const Sizes& s, std::uint64_t ratio, std::uint64_t window) {
  Layer layer;
  Attention& a = layer.attention;
  a.query_heads = u32(s.heads);
  a.kv_heads = 1;
  a.key_dim = u32(s.head);
  a.value_dim = 0;  // V is K
  a.window = u32(window);
  a.compress_ratio = u32(ratio);
  if (ratio <= 1) {
    layer.mixer = Mixer::sliding;
    return layer;
  }
  layer.mixer = Mixer::mla;
  a.rope_dim = u32(s.rope);
  a.kv_lora_rank = u32(s.head > s.rope ? s.head - s.rope : 0);
  if (ratio == 4) a.indexer_dim = u32(s.index_dim);  // the finely compressed layers pick entries
  return layer;
}

// Ratio 4 compresses overlapping windows and needs two sets of projections.
void emit_compressor(Draft& d, const std::string& name, std::uint64_t dim, std::uint64_t ratio,
                     Role role) {
  const std::uint64_t width = ratio == 4 ? 2 * dim : dim;
  d.linear(name + ".wkv", role, width, d.model.hidden, Split::replicated, false, false);
  d.linear(name + ".wgate", role, width, d.model.hidden, Split::replicated, false, false);
  d.add(name + ".ape", role, ratio, width, Split::replicated, false);
  d.norm(name + ".norm", dim);
}

void emit_attention_v4(Draft& d, const Sizes& s, std::uint64_t ratio) {
  const std::uint64_t hidden = d.model.hidden;
  d.linear("attn.wq_a", Role::mla_q_a, s.q_rank, hidden, Split::replicated);
  d.norm("attn.q_norm", s.q_rank);
  d.linear("attn.wq_b", Role::mla_q_b, s.heads * s.head, s.q_rank, Split::column);
  d.linear("attn.wkv", Role::mla_kv_a, s.head, hidden, Split::replicated);
  d.norm("attn.kv_norm", s.head);
  d.linear("attn.wo_a", Role::attention_output, s.o_groups * s.o_rank,
           s.heads * s.head / s.o_groups, Split::column);
  d.linear("attn.wo_b", Role::attention_output, hidden, s.o_groups * s.o_rank, Split::row);
  d.vector("attn.attn_sink", Role::attention_other, s.heads, Split::column);
  if (ratio <= 1) return;
  emit_compressor(d, "attn.compressor", s.head, ratio, Role::attention_other);
  if (ratio != 4 || s.index_dim == 0) return;
  d.linear("attn.indexer.wq_b", Role::indexer, s.index_heads * s.index_dim, s.q_rank,
           Split::replicated);
  d.linear("attn.indexer.weights_proj", Role::indexer, s.index_heads, hidden, Split::replicated,
           false, false);
  emit_compressor(d, "attn.indexer.compressor", s.index_dim, ratio, Role::indexer);
}

// Hyper-connections: mixes of the residual streams, kept in 32 bits.
void emit_streams(Draft& d, std::string_view name, std::uint64_t outputs, std::uint64_t scales,
                  std::uint64_t width) {
  d.add(fmt::format("{}_fn", name), Role::other, outputs, width, Split::replicated, false);
  d.vector(fmt::format("{}_base", name), Role::other, outputs);
  d.vector(fmt::format("{}_scale", name), Role::other, scales);
}

void emit_layer_v4(Draft& d, const Sizes& s, const Layer& layer, std::uint64_t hashed_vocab) {
  const std::uint64_t outputs = (2 + s.streams) * s.streams, width = s.streams * d.model.hidden;
  emit_attention_v4(d, s, layer.attention.compress_ratio);
  emit_feed_forward(d, layer);
  if (hashed_vocab > 0) {
    d.add("ffn.gate.tid2eid", Role::router, hashed_vocab, layer.feed_forward.experts_per_token,
          Split::replicated, false);
  } else {
    d.vector("ffn.gate.bias", Role::router, layer.feed_forward.experts);
  }
  d.norm("attn_norm", d.model.hidden);
  d.norm("ffn_norm", d.model.hidden);
  emit_streams(d, "hc_attn", outputs, 3, width);
  emit_streams(d, "hc_ffn", outputs, 3, width);
}

void emit_joint_v4(Draft& d, const Sizes& s) {
  const std::uint64_t hidden = d.model.hidden;
  d.linear("e_proj", Role::other, hidden, hidden, Split::replicated);
  d.linear("h_proj", Role::other, hidden, hidden, Split::replicated);
  for (const char* name : {"enorm", "hnorm", "norm"}) d.norm(name, hidden);
  emit_streams(d, "hc_head", s.streams, 1, s.streams * hidden);
}

}  // namespace

void build_deepseek_v4(Draft& d) {
  const Fields& f = d.text;
  NameStyle& n = d.style.names;
  n = {.embedding = "embed",
       .layers = "layers",
       .final_norm = "norm",
       .head = "head",
       .mlp = "ffn",
       .moe = "ffn",
       .gate = "w1",
       .up = "w3",
       .down = "w2",
       .expert_gate = "w1",
       .expert_up = "w3",
       .expert_down = "w2",
       .mtp = "mtp"};
  const Sizes s = read_sizes(f);
  d.model.hidden = f.need({"hidden_size"});
  d.model.vocab = f.need({"vocab_size"}, kVocabLimit);
  d.model.max_context = f.number({"max_position_embeddings"}, 0, kContextLimit);
  d.model.tied_embeddings = f.flag({"tie_word_embeddings"}, false);
  const std::uint64_t count = f.need({"num_hidden_layers"}, kLayerLimit);
  const std::uint64_t window = f.need({"sliding_window"}, kContextLimit);
  const std::uint64_t mtp = f.number({"num_nextn_predict_layers"}, 0, 64);
  const auto ratios = f.numbers("compress_ratios");
  for (std::size_t i = 0; i < count; ++i) {
    d.model.layers.push_back(layer_of(s, i < ratios.size() ? ratios[i] : 0, window));
  }
  read_feed_forward(d, {});
  const Layer last = d.model.layers.empty() ? Layer{} : d.model.layers.back();
  for (std::size_t i = 0; i < mtp; ++i) {
    const std::size_t at = count + i;
    d.model.mtp_layers.push_back(layer_of(s, at < ratios.size() ? ratios[at] : 0, window));
    d.model.mtp_layers.back().feed_forward = last.feed_forward;
  }
  d.linear(n.embedding, Role::token_embedding, d.model.vocab, d.model.hidden, Split::vocabulary,
           false, false);
  const std::uint64_t hashed = f.number({"num_hash_layers"}, 0, kLayerLimit);
  for (std::size_t i = 0; i < count; ++i) {
    d.enter_layer(i);
    emit_layer_v4(d, s, d.model.layers[i], i < hashed ? d.model.vocab : 0);
    d.leave_layer();
  }
  d.norm(n.final_norm, d.model.hidden);
  emit_streams(d, "hc_head", s.streams, 1, s.streams * d.model.hidden);
  if (!d.model.tied_embeddings) {
    d.linear(n.head, Role::output_head, d.model.vocab, d.model.hidden, Split::vocabulary, false,
             false);
  }
  for (std::size_t i = 0; i < mtp; ++i) {
    d.enter_mtp(i);
    emit_layer_v4(d, s, d.model.mtp_layers[i], 0);
    emit_joint_v4(d, s);
    d.leave_layer();
  }
}

}  // namespace steelyard::model

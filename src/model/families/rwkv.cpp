// RWKV 4 to 6: no attention; a state per head, and one past token for each of two shifts.
#include <algorithm>

#include <fmt/format.h>

#include "model/families/all.h"

namespace steelyard::model {
namespace {

void emit_block(Draft& d, std::uint64_t att, std::uint64_t inner, std::uint64_t heads,
                std::uint64_t head, bool gated, std::uint64_t low_rank) {
  const std::uint64_t hidden = d.model.hidden;
  const auto other = [&](std::string_view name, std::uint64_t rows, std::uint64_t cols = 1) {
    d.add(name, Role::recurrent_other, rows, cols, Split::replicated, false);
  };
  for (const char* name : {"time_mix_key", "time_mix_value", "time_mix_receptance"}) {
    other(fmt::format("attention.{}", name), hidden);
  }
  if (gated) other("attention.time_mix_gate", hidden);
  other("attention.time_decay", heads, head);
  other("attention.time_faaaa", heads, head);
  if (low_rank > 0) {  // RWKV-6: mixes that depend on the token
    other("attention.time_maa_w1", 5 * low_rank, hidden);
    other("attention.time_maa_w2", 5 * low_rank, hidden);
    other("attention.time_decay_w1", 2 * low_rank, hidden);
    other("attention.time_decay_w2", 2 * low_rank, att);
  }
  for (const char* name : {"key", "value", "receptance"}) {
    d.linear(fmt::format("attention.{}", name), Role::recurrent_in, att, hidden, Split::column);
  }
  if (gated) d.linear("attention.gate", Role::recurrent_in, att, hidden, Split::column);
  d.linear("attention.output", Role::recurrent_out, hidden, att, Split::row);
  d.norm("attention.ln_x", att);
  other("feed_forward.time_mix_key", hidden);
  other("feed_forward.time_mix_receptance", hidden);
  d.linear("feed_forward.key", Role::ffn_up, inner, hidden, Split::column);
  d.linear("feed_forward.receptance", Role::ffn_gate, hidden, hidden, Split::replicated);
  d.linear("feed_forward.value", Role::ffn_down, hidden, inner, Split::row);
  d.norm("ln1", hidden);
  d.norm("ln2", hidden);
}

}  // namespace

void build_rwkv(Draft& d) {
  const Fields& f = d.text;
  const std::string type = d.root.text({"model_type"});
  d.style.norm_bias = true;
  d.style.names = {.embedding = "rwkv.embeddings",
                   .layers = "rwkv.blocks",
                   .final_norm = "rwkv.ln_out",
                   .head = "head"};
  const std::uint64_t hidden = d.model.hidden = f.need({"hidden_size"});
  d.model.vocab = f.need({"vocab_size"}, kVocabLimit);
  d.model.max_context = f.number({"context_length"}, 0, kContextLimit);
  d.model.tied_embeddings = f.flag({"tie_word_embeddings"}, false);
  const std::uint64_t att = f.number({"attention_hidden_size"}, hidden);
  const std::uint64_t head = std::max<std::uint64_t>(1, f.number({"head_size"}, 64));
  const std::uint64_t inner =
      f.number({"intermediate_size"}, type == "rwkv" ? 4 * hidden : hidden * 7 / 2 / 32 * 32);
  Layer layer{.mixer = Mixer::recurrent};
  layer.recurrent = {.kind = RecurrentKind::rwkv,
                     .state_heads = att / head,
                     .state_key_dim = head,
                     .state_value_dim = head,
                     // Two shifts of one token each, written as a convolution of two taps.
                     .conv_channels = 2 * hidden,
                     .conv_kernel = 2};
  layer.feed_forward = {.intermediate = static_cast<std::uint32_t>(inner), .gated = false};
  d.model.layers.assign(f.need({"num_hidden_layers"}, kLayerLimit), layer);
  d.linear(d.style.names.embedding, Role::token_embedding, d.model.vocab, hidden, Split::vocabulary,
           false, false);
  d.norm("rwkv.blocks.0.pre_ln", hidden);
  for (std::size_t i = 0; i < d.model.layers.size(); ++i) {
    d.enter_layer(i);
    emit_block(d, att, inner, att / head, head, type != "rwkv", type == "rwkv6" ? 32 : 0);
    d.leave_layer();
  }
  d.norm(d.style.names.final_norm, hidden);
  d.linear(d.style.names.head, Role::output_head, d.model.vocab, hidden, Split::vocabulary, false,
           false);
}

}  // namespace steelyard::model

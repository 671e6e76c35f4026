// Encoder-decoders: Whisper, T5. A decoder layer attends to itself and to the encoder: it is
// described as two layers, one with a growing cache and one with the encoder's keys and values.
#include <algorithm>

#include <fmt/format.h>

#include "model/families/all.h"

namespace steelyard::model {
namespace {

void describe_decoder(Draft& d, std::uint64_t count, std::uint64_t heads, std::uint64_t head,
                      std::uint64_t inner, bool gated, std::uint64_t encoder_tokens) {
  Layer self{.feed_forward = {.kind = FeedForwardKind::none}};
  self.attention = {.query_heads = u32(heads),
                    .kv_heads = u32(heads),
                    .key_dim = u32(head),
                    .value_dim = u32(head)};
  Layer cross = self;
  cross.mixer = Mixer::cross;
  cross.attention.cross_tokens = u32(encoder_tokens);
  cross.feed_forward = {.kind = FeedForwardKind::dense, .intermediate = u32(inner), .gated = gated};
  for (std::uint64_t i = 0; i < count; ++i) {
    d.model.layers.push_back(self);
    d.model.layers.push_back(cross);
  }
}

void heads_of(Draft& d, std::string_view prefix, std::uint64_t width, bool bias, bool key_bias,
              const char* names[4], Role role) {
  const auto name = [&](int i) { return fmt::format("{}.{}", prefix, names[i]); };
  const std::uint64_t hidden = d.model.hidden;
  const bool self = role != Role::cross_attention;
  d.linear(name(0), self ? Role::attention_q : role, width, hidden, Split::column, bias);
  d.linear(name(1), self ? Role::attention_k : role, width, hidden, Split::column, key_bias);
  d.linear(name(2), self ? Role::attention_v : role, width, hidden, Split::column, bias);
  d.linear(name(3), self ? Role::attention_output : role, hidden, width, Split::row, bias);
}

void whisper_layer(Draft& d, std::uint64_t inner, bool cross) {
  const char* names[] = {"q_proj", "k_proj", "v_proj", "out_proj"};
  const std::uint64_t hidden = d.model.hidden;
  heads_of(d, "self_attn", hidden, true, false, names, Role::attention_q);
  d.norm("self_attn_layer_norm", hidden);
  if (cross) {
    ++d.layer;
    heads_of(d, "encoder_attn", hidden, true, false, names, Role::cross_attention);
    d.norm("encoder_attn_layer_norm", hidden);
  }
  d.linear("fc1", Role::ffn_up, inner, hidden, Split::column, true);
  d.linear("fc2", Role::ffn_down, hidden, inner, Split::row, true);
  d.norm("final_layer_norm", hidden);
}

void t5_layer(Draft& d, std::uint64_t width, std::uint64_t inner, bool gated, bool cross) {
  const char* names[] = {"q", "k", "v", "o"};
  heads_of(d, "layer.0.SelfAttention", width, false, false, names, Role::attention_q);
  d.norm("layer.0.layer_norm", d.model.hidden);
  if (cross) {
    ++d.layer;
    heads_of(d, "layer.1.EncDecAttention", width, false, false, names, Role::cross_attention);
    d.norm("layer.1.layer_norm", d.model.hidden);
  }
  const std::string at = cross ? "layer.2" : "layer.1";
  d.style.names.gate = "wi_0";
  d.style.names.up = gated ? "wi_1" : "wi";
  d.style.names.down = "wo";
  emit_mlp(d, at + ".DenseReluDense", d.model.hidden, inner, gated);
  d.norm(at + ".layer_norm", d.model.hidden);
}

}  // namespace

void build_whisper(Draft& d) {
  const Fields& f = d.text;
  d.style.norm_bias = true;
  const std::uint64_t hidden = d.model.hidden = f.need({"d_model"});
  d.model.vocab = f.need({"vocab_size"}, kVocabLimit);
  d.model.max_context = f.number({"max_target_positions"}, 448, kContextLimit);
  d.model.tied_embeddings = f.flag({"tie_word_embeddings"}, true);
  const std::uint64_t encoder = f.need({"encoder_layers"}, kLayerLimit);
  const std::uint64_t decoder = f.need({"decoder_layers"}, kLayerLimit);
  const std::uint64_t heads = f.need({"decoder_attention_heads"});
  const std::uint64_t positions = f.number({"max_source_positions"}, 1500);
  const std::uint64_t inner = f.number({"decoder_ffn_dim"}, 4 * hidden);
  describe_decoder(d, decoder, heads, hidden / std::max<std::uint64_t>(1, heads), inner, false,
                   positions);
  d.model.encoder_layers = u32(encoder);
  d.model.audio = Encoder{.layers = u32(encoder),
                          .hidden = u32(hidden),
                          .heads = u32(f.number({"encoder_attention_heads"}, heads)),
                          .intermediate = u32(f.number({"encoder_ffn_dim"}, 4 * hidden)),
                          .tokens_per_item = u32(positions),
                          .frames = u32(positions),
                          .input_values = u32(2 * f.number({"num_mel_bins"}, 80))};
  const std::uint64_t mel = f.number({"num_mel_bins"}, 80);
  d.linear("model.encoder.conv1", Role::audio, hidden, mel * 3, Split::replicated, true, false);
  d.linear("model.encoder.conv2", Role::audio, hidden, hidden * 3, Split::replicated, true, false);
  d.linear("model.encoder.embed_positions", Role::position_embedding, positions, hidden,
           Split::replicated, false, false);
  for (std::uint64_t i = 0; i < encoder; ++i) {
    d.enter_block("model.encoder.layers", i);
    whisper_layer(d, f.number({"encoder_ffn_dim"}, 4 * hidden), false);
  }
  d.leave_layer();
  d.norm("model.encoder.layer_norm", hidden);
  d.linear("model.decoder.embed_tokens", Role::token_embedding, d.model.vocab, hidden,
           Split::vocabulary, false, false);
  d.linear("model.decoder.embed_positions", Role::position_embedding, d.model.max_context, hidden,
           Split::replicated, false, false);
  for (std::uint64_t i = 0; i < decoder; ++i) {
    d.layer = static_cast<std::int32_t>(2 * i);
    d.enter_block("model.decoder.layers", i);
    whisper_layer(d, inner, true);
  }
  d.leave_layer();
  d.norm("model.decoder.layer_norm", hidden);
}

void build_t5(Draft& d) {
  const Fields& f = d.text;
  const std::uint64_t hidden = d.model.hidden = f.need({"d_model"});
  d.model.vocab = f.need({"vocab_size"}, kVocabLimit);
  d.model.max_context = f.number({"n_positions"}, 512, kContextLimit);
  d.model.tied_embeddings = f.flag({"tie_word_embeddings"}, true);
  const std::uint64_t encoder = f.need({"num_layers"}, kLayerLimit);
  const std::uint64_t decoder = f.number({"num_decoder_layers"}, encoder, kLayerLimit);
  const std::uint64_t heads = f.need({"num_heads"});
  const std::uint64_t head = f.need({"d_kv"});
  const std::uint64_t inner = f.need({"d_ff"});
  const bool gated = f.text({"feed_forward_proj"}).starts_with("gated");
  const std::uint64_t buckets = f.number({"relative_attention_num_buckets"}, 32);
  describe_decoder(d, decoder, heads, head, inner, gated, 0);
  d.model.encoder_layers = u32(encoder);
  d.note("the encoder's length decides the cross-attention cache; it is not in the config");
  d.linear("shared", Role::token_embedding, d.model.vocab, hidden, Split::vocabulary, false, false);
  for (std::uint64_t i = 0; i < encoder; ++i) {
    d.enter_block("encoder.block", i);
    t5_layer(d, heads * head, inner, gated, false);
  }
  for (std::uint64_t i = 0; i < decoder; ++i) {
    d.layer = static_cast<std::int32_t>(2 * i);
    d.enter_block("decoder.block", i);
    t5_layer(d, heads * head, inner, gated, true);
  }
  d.leave_layer();
  for (const char* side : {"encoder", "decoder"}) {
    d.linear(fmt::format("{}.block.0.layer.0.SelfAttention.relative_attention_bias", side),
             Role::attention_other, buckets, heads, Split::replicated, false, false);
    d.norm(fmt::format("{}.final_layer_norm", side), hidden);
  }
  if (!d.model.tied_embeddings) {
    d.linear("lm_head", Role::output_head, d.model.vocab, hidden, Split::vocabulary, false, false);
  }
}

}  // namespace steelyard::model

// Decoders in the line of GPT-2: layer norms with biases, plain MLP, one fused q, k, v matrix.
#include "model/families/all.h"

namespace steelyard::model {
namespace {

void gpt_style(Draft& d) {
  Style& s = d.style;
  s.norm_bias = s.qkv_bias = s.o_bias = s.mlp_bias = true;
}

void mlp_names(Draft& d, const char* up, const char* down) {
  d.style.names.up = up;
  d.style.names.down = down;
}

}  // namespace

void build_gpt2(Draft& d) {
  gpt_style(d);
  NameStyle& n = d.style.names;
  n = {.embedding = "transformer.wte",
       .layers = "transformer.h",
       .final_norm = "transformer.ln_f",
       .attention = "attn",
       .o = "c_proj",
       .qkv = "c_attn",
       .mixer_norms = {"ln_1"},
       .mlp_norms = {"ln_2"},
       .positions = "transformer.wpe"};
  mlp_names(d, "c_fc", "c_proj");
  d.style.positions = d.text.number({"n_positions", "n_ctx"}, 0, kContextLimit);
  read_decoder(d, {.gated = false, .tied = true, .inner_multiple = 4});
  emit_decoder(d);
}

void build_gptj(Draft& d) {
  Style& s = d.style;
  s.norm_bias = s.mlp_bias = s.head_bias = true;
  s.names = {.embedding = "transformer.wte",
             .layers = "transformer.h",
             .final_norm = "transformer.ln_f",
             .attention = "attn",
             .o = "out_proj",
             .mixer_norms = {"ln_1"},
             .mlp_norms = {}};
  mlp_names(d, "fc_in", "fc_out");
  read_decoder(d, {.gated = false, .inner_multiple = 4});
  emit_decoder(d);
}

void build_gpt_neox(Draft& d) {
  gpt_style(d);
  d.style.qkv_bias = d.style.o_bias = d.text.flag({"attention_bias"}, true);
  d.style.names = {.embedding = "gpt_neox.embed_in",
                   .layers = "gpt_neox.layers",
                   .final_norm = "gpt_neox.final_layer_norm",
                   .head = "embed_out",
                   .attention = "attention",
                   .o = "dense",
                   .qkv = "query_key_value"};
  mlp_names(d, "dense_h_to_4h", "dense_4h_to_h");
  read_decoder(d, {.gated = false, .inner_multiple = 4});
  emit_decoder(d);
}

void build_mpt(Draft& d) {
  const bool bias = !d.text.flag({"no_bias"}, true);
  d.style.norm_bias = d.style.qkv_bias = d.style.o_bias = d.style.mlp_bias = bias;
  d.style.names = {.embedding = "transformer.wte",
                   .layers = "transformer.blocks",
                   .final_norm = "transformer.norm_f",
                   .attention = "attn",
                   .o = "out_proj",
                   .qkv = "Wqkv",
                   .mlp = "ffn",
                   .mixer_norms = {"norm_1"},
                   .mlp_norms = {"norm_2"},
                   .positions = "transformer.wpe"};
  const auto ratio = static_cast<std::uint32_t>(d.text.number({"expansion_ratio"}, 4, 64));
  const Fields attention = d.text.object("attn_config");
  if (!attention.flag({"alibi"}, false) && !attention.flag({"rope"}, false)) {
    d.style.positions = d.text.number({"max_seq_len"}, 0, kContextLimit);
  }
  read_decoder(d, {.gated = false, .tied = true, .inner_multiple = ratio});
  if (const auto heads = attention.maybe({"kv_n_heads"})) {
    for (Layer& layer : d.model.layers)
      layer.attention.kv_heads = static_cast<std::uint32_t>(*heads);
  }
  emit_decoder(d);
}

void build_bloom(Draft& d) {
  gpt_style(d);
  d.style.names = {.embedding = "word_embeddings",
                   .layers = "h",
                   .final_norm = "ln_f",
                   .attention = "self_attention",
                   .o = "dense",
                   .qkv = "query_key_value",
                   .embedding_norm = "word_embeddings_layernorm"};
  mlp_names(d, "dense_h_to_4h", "dense_4h_to_h");
  read_decoder(d, {.gated = false, .tied = true, .inner_multiple = 4});
  emit_decoder(d);
}

void build_opt(Draft& d) {
  gpt_style(d);
  NameStyle& n = d.style.names;
  n.embedding = "model.decoder.embed_tokens";
  n.positions = "model.decoder.embed_positions";
  n.layers = "model.decoder.layers";
  n.final_norm = "model.decoder.final_layer_norm";
  n.o = "out_proj";
  n.mlp = "";
  n.mixer_norms = {"self_attn_layer_norm"};
  n.mlp_norms = {"final_layer_norm"};
  mlp_names(d, "fc1", "fc2");
  // The position table starts two rows in; models that normalise after a block have no last norm.
  d.style.positions = d.text.number({"max_position_embeddings"}, 2048, kContextLimit) + 2;
  d.style.final_norm = d.text.flag({"do_layer_norm_before"}, true);
  read_decoder(d, {.gated = false, .tied = true, .inner_multiple = 4});
  const std::uint64_t hidden = d.model.hidden;
  const std::uint64_t narrow = d.text.number({"word_embed_proj_dim"}, hidden);
  emit_decoder(d);
  if (narrow != hidden) {
    d.model.tensors.front().cols = narrow;
    d.model.tensors.front().bytes = d.model.dtype.matrix_bytes(d.model.vocab, narrow);
    d.linear("model.decoder.project_in", Role::other, hidden, narrow, Split::replicated);
    d.linear("model.decoder.project_out", Role::other, narrow, hidden, Split::replicated);
  }
}

void build_falcon(Draft& d) {
  const bool bias = d.text.flag({"bias"}, false);
  const bool grouped = d.text.flag({"new_decoder_architecture"}, false);
  const bool parallel = d.text.flag({"parallel_attn"}, true);
  d.style.norm_bias = true;
  d.style.qkv_bias = d.style.o_bias = d.style.mlp_bias = bias;
  NameStyle& n = d.style.names;
  n = {.embedding = "transformer.word_embeddings",
       .layers = "transformer.h",
       .final_norm = "transformer.ln_f",
       .attention = "self_attention",
       .o = "dense",
       .qkv = "query_key_value"};
  mlp_names(d, "dense_h_to_4h", "dense_4h_to_h");
  if (grouped && d.text.number({"num_ln_in_parallel_attn"}, 2, 2) == 2) {
    n.mixer_norms = {"ln_attn"};
    n.mlp_norms = {"ln_mlp"};
  } else if (parallel) {
    n.mlp_norms = {};
  }
  read_decoder(d, {.gated = false, .tied = true, .inner_multiple = 4});
  // Falcon-7B writes num_kv_heads equal to its heads although it is multi-query.
  if (!grouped && d.text.flag({"multi_query"}, true)) {
    for (Layer& layer : d.model.layers) layer.attention.kv_heads = 1;
  }
  emit_decoder(d);
}

}  // namespace steelyard::model

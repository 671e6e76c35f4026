// Decoders of 2023 and 2024 that name or bias their matrices in their own way.
#include "model/families/all.h"

namespace steelyard::model {

void build_phi(Draft& d) {
  Style& s = d.style;
  s.norm_bias = s.qkv_bias = s.o_bias = s.mlp_bias = s.head_bias = true;
  s.names.o = "dense";
  s.names.up = "fc1";
  s.names.down = "fc2";
  s.names.final_norm = "model.final_layernorm";
  s.names.mlp_norms = {};
  read_decoder(d, {.gated = false, .inner_multiple = 4});
  emit_decoder(d);
}

void build_phi3(Draft& d) {
  d.style.names.qkv = "qkv_proj";
  d.style.names.gate_up = "gate_up_proj";
  read_decoder(d);
  emit_decoder(d);
}

void build_starcoder2(Draft& d) {
  const bool bias = d.text.flag({"use_bias"}, true);
  Style& s = d.style;
  s.norm_bias = true;
  s.qkv_bias = s.o_bias = s.mlp_bias = bias;
  s.names.up = "c_fc";
  s.names.down = "c_proj";
  read_decoder(d, {.gated = false, .tied = true});
  emit_decoder(d);
}

void build_qwen1(Draft& d) {
  d.style.qkv_bias = true;
  d.style.names = {.embedding = "transformer.wte",
                   .layers = "transformer.h",
                   .final_norm = "transformer.ln_f",
                   .attention = "attn",
                   .o = "c_proj",
                   .qkv = "c_attn",
                   .gate = "w2",
                   .up = "w1",
                   .down = "c_proj",
                   .mixer_norms = {"ln_1"},
                   .mlp_norms = {"ln_2"}};
  read_decoder(d);
  // Its config counts both halves of the gated MLP.
  for (Layer& layer : d.model.layers) layer.feed_forward.intermediate /= 2;
  emit_decoder(d);
}

void build_baichuan(Draft& d) {
  d.style.names.qkv = "W_pack";
  read_decoder(d);
  emit_decoder(d);
}

void build_internlm2(Draft& d) {
  d.style.qkv_bias = d.style.o_bias = d.text.flag({"bias"}, false);
  d.style.names = {.embedding = "model.tok_embeddings",
                   .head = "output",
                   .attention = "attention",
                   .o = "wo",
                   .qkv = "wqkv",
                   .mlp = "feed_forward",
                   .gate = "w1",
                   .up = "w3",
                   .down = "w2",
                   .mixer_norms = {"attention_norm"},
                   .mlp_norms = {"ffn_norm"}};
  read_decoder(d);
  emit_decoder(d);
}

void build_chatglm(Draft& d) {
  d.style.head = true;  // "ChatGLMModel" is the whole model
  d.style.qkv_bias = d.text.flag({"add_qkv_bias", "add_bias_linear"}, false);
  d.style.o_bias = d.style.mlp_bias = d.text.flag({"add_bias_linear"}, false);
  d.style.norm_bias = !d.text.flag({"rmsnorm"}, true);
  d.style.names = {.embedding = "transformer.embedding.word_embeddings",
                   .layers = "transformer.encoder.layers",
                   .final_norm = "transformer.encoder.final_layernorm",
                   .head = "transformer.output_layer",
                   .attention = "self_attention",
                   .o = "dense",
                   .qkv = "query_key_value",
                   .down = "dense_4h_to_h",
                   .gate_up = "dense_h_to_4h"};
  read_decoder(d);
  emit_decoder(d);
}

void build_stablelm(Draft& d) {
  d.style.norm_bias = true;
  d.style.qkv_bias = d.text.flag({"use_qkv_bias"}, false);
  if (d.text.flag({"use_parallel_residual"}, false)) d.style.names.mlp_norms = {};
  read_decoder(d);
  emit_decoder(d);
}

}  // namespace steelyard::model

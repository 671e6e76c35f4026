// Decoders that differ from Llama in where their norms stand, and in their windows.
#include "model/families/all.h"

namespace steelyard::model {
namespace {

void sandwich(Draft& d) {
  d.style.names.mixer_norms = {"input_layernorm", "post_attention_layernorm"};
  d.style.names.mlp_norms = {"pre_feedforward_layernorm", "post_feedforward_layernorm"};
}

void norms_after(Draft& d) {
  d.style.names.mixer_norms = {"post_attention_layernorm"};
  d.style.names.mlp_norms = {"post_feedforward_layernorm"};
}

}  // namespace

void build_gemma(Draft& d) {
  read_decoder(d, {.head_dim = 256, .tied = true});
  emit_decoder(d);
}

void build_gemma2(Draft& d) {
  sandwich(d);
  read_decoder(d, {.full_every = 2, .head_dim = 256, .tied = true});
  emit_decoder(d);
}

void build_gemma3(Draft& d) {
  sandwich(d);
  d.style.local_rope = true;
  d.style.qk_norm = QkNorm::head;
  if (d.root.is_object("vision_config")) {
    d.style.names.embedding = "language_model.model.embed_tokens";
    d.style.names.layers = "language_model.model.layers";
    d.style.names.final_norm = "language_model.model.norm";
  }
  read_decoder(d, {.full_every = 6, .head_dim = 256, .tied = true});
  emit_decoder(d);
  read_towers(d);
}

void build_cohere(Draft& d) {
  d.style.names.mlp_norms = {};
  if (d.text.flag({"use_qk_norm"}, false)) d.style.qk_norm = QkNorm::full;
  read_decoder(d, {.full_every = 4, .tied = true});
  emit_decoder(d);
}

void build_olmo(Draft& d) {
  d.style.norm_weight = false;
  build_llama(d);
}

void build_olmo2(Draft& d) {
  norms_after(d);
  d.style.qk_norm = QkNorm::full;
  read_decoder(d, {.full_every = 4});
  emit_decoder(d);
}

void build_olmoe(Draft& d) {
  d.style.qk_norm = QkNorm::full;
  read_decoder(d);
  emit_decoder(d);
}

void build_exaone4(Draft& d) {
  norms_after(d);
  d.style.qk_norm = QkNorm::head;
  read_decoder(d, {.full_every = 4});
  emit_decoder(d);
}

void build_glm4(Draft& d) {
  d.style.qkv_bias = d.text.flag({"attention_bias"}, false);
  d.style.names.gate_up = "gate_up_proj";
  d.style.names.mixer_norms = {"input_layernorm", "post_self_attn_layernorm"};
  d.style.names.mlp_norms = {"post_attention_layernorm", "post_mlp_layernorm"};
  read_decoder(d);
  emit_decoder(d);
}

}  // namespace steelyard::model

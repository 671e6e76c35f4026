// Decoders of Llama's build: RMS norms, rotary positions, gated MLP; what differs is listed.
#include "model/families/all.h"

namespace steelyard::model {

void build_llama(Draft& d) {
  d.style.qkv_bias = d.text.flag({"attention_bias"}, false);
  d.style.o_bias = d.style.qkv_bias;
  d.style.mlp_bias = d.text.flag({"mlp_bias"}, false);
  read_decoder(d);
  emit_decoder(d);
}

void build_granite(Draft& d) {
  d.style.qkv_bias = d.style.o_bias = d.text.flag({"attention_bias"}, false);
  read_decoder(d, {.tied = true});
  emit_decoder(d);
}

void build_qwen2(Draft& d) {
  d.style.qkv_bias = true;
  d.style.names.shared = "shared_expert";
  d.style.shared_expert_gate = true;
  read_decoder(d);
  emit_decoder(d);
}

void build_qwen3(Draft& d) {
  d.style.qkv_bias = d.text.flag({"attention_bias"}, false);
  d.style.qk_norm = QkNorm::head;
  read_decoder(d);
  emit_decoder(d);
}

void build_default(Draft& d) {
  d.note("the architecture is not one we know: derived from the usual fields of a decoder");
  build_llama(d);
}

}  // namespace steelyard::model

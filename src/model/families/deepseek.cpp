// Multi-head latent attention: DeepSeek V2, V3, V3.2, Kimi K2, GLM-4.7-Flash, GLM-5, MiniCPM3.
#include "model/families/all.h"

namespace steelyard::model {

void build_deepseek(Draft& d) {
  d.style.qkv_bias = d.text.flag({"attention_bias"}, false);
  d.style.router_correction = d.text.text({"topk_method"}) == "noaux_tc";
  d.style.mtp_own_embedding = true;
  read_decoder(d);
  emit_decoder(d);
}

void build_glm_dsa(Draft& d) {
  // Its MTP layer uses the embedding and the head of the model.
  d.style.qkv_bias = d.text.flag({"attention_bias"}, false);
  d.style.router_correction = true;
  read_decoder(d);
  emit_decoder(d);
}

}  // namespace steelyard::model

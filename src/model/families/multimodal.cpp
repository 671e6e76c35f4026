// Language models that other files are wrapped around: LLaVA, Pixtral, Qwen-VL, Qwen-Audio, Kimi,
// Llama 3.2 Vision. The language part is read by its own family, the tower by read_towers.
#include <algorithm>

#include "model/families/all.h"

namespace steelyard::model {
namespace {

// The family of the language part; a config without one is Llama's (LLaVA's default).
void build_inner(Draft& d) {
  const std::string type = d.text.text({"model_type"});
  for (const Family& family : families()) {
    if (family.model_type == type && family.build != build_wrapped) return family.build(d);
  }
  build_llama(d);
}

void put_in_front(Draft& d, std::string_view prefix) {
  for (TensorName& name : d.model.names) {
    name.text = joined_name(prefix, name.text);
    name.number_at += prefix.size() + 1;
  }
}

}  // namespace

void build_wrapped(Draft& d) {
  build_inner(d);
  put_in_front(d, "language_model");
  read_towers(d);
}

void build_qwen2_vl(Draft& d) {
  d.style.rope_sections = true;
  d.style.qkv_bias = true;
  read_decoder(d);
  emit_decoder(d);
  read_towers(d);
}

// Text, image and audio in ("thinker"); what speaks is a model of its own beside it.
void build_qwen_omni(Draft& d) {
  d.style.rope_sections = true;
  d.style.qkv_bias = true;
  d.style.head = true;
  NameStyle& n = d.style.names;
  n.embedding = "thinker.model.embed_tokens";
  n.layers = "thinker.model.layers";
  n.final_norm = "thinker.model.norm";
  n.head = "thinker.lm_head";
  read_decoder(d);
  emit_decoder(d);
  const Fields whole = d.root;
  d.root = whole.object("thinker_config");
  read_towers(d);
  d.root = whole;
  d.note("the talker, which turns the answer into speech, is left out");
}

void build_qwen3_vl(Draft& d) {
  d.style.rope_sections = true;
  NameStyle& n = d.style.names;
  n.embedding = "model.language_model.embed_tokens";
  n.layers = "model.language_model.layers";
  n.final_norm = "model.language_model.norm";
  d.style.qk_norm = QkNorm::head;
  d.style.experts_fused = d.text.has("num_experts");
  read_decoder(d);
  emit_decoder(d);
  read_towers(d);
}

void build_mllama(Draft& d) {
  const Fields& f = d.text;
  NameStyle& n = d.style.names;
  n.embedding = "language_model.model.embed_tokens";
  n.layers = "language_model.model.layers";
  n.final_norm = "language_model.model.norm";
  n.head = "language_model.lm_head";
  read_decoder(d);
  const Fields vision = d.root.object("vision_config");
  const std::uint64_t side = vision.number({"image_size"}, 448) /
                             std::max<std::uint64_t>(1, vision.number({"patch_size"}, 14));
  const std::uint64_t tokens = (side * side + 1) * vision.number({"max_num_tiles"}, 4, 64);
  for (const std::uint64_t i : f.numbers("cross_attention_layers", kLayerLimit)) {
    if (i >= d.model.layers.size()) continue;
    d.model.layers[i].mixer = Mixer::cross;
    d.model.layers[i].attention.cross_tokens =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(tokens, UINT32_MAX));
  }
  emit_decoder(d);
  for (std::size_t i = 0; i < d.model.layers.size(); ++i) {
    if (d.model.layers[i].mixer != Mixer::cross) continue;
    d.enter_layer(i);
    d.norm("cross_attn.q_norm", d.model.layers[i].attention.key_dim);
    d.norm("cross_attn.k_norm", d.model.layers[i].attention.key_dim);
    d.vector("cross_attn_attn_gate", Role::cross_attention, 1);
    d.vector("cross_attn_mlp_gate", Role::cross_attention, 1);
    d.leave_layer();
  }
  // Eight more rows than the head: tokens that are read and never written.
  d.model.tensors.front().rows += 8;
  d.model.tensors.front().bytes =
      d.model.dtype.matrix_bytes(d.model.tensors.front().rows, d.model.hidden);
  read_towers(d);
}

}  // namespace steelyard::model

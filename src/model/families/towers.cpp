#include "model/families/towers.h"

#include <fmt/format.h>

#include "model/families/all.h"

namespace steelyard::model {

void tower_matrix(Draft& d, std::string_view name, Role role, std::uint64_t out, std::uint64_t in,
                  bool bias) {
  d.linear(name, role, out, in, Split::replicated, bias, false);
}

void tower_norm(Draft& d, std::string_view name, Role role, std::uint64_t size, bool bias) {
  d.vector(fmt::format("{}.weight", name), role, size);
  if (bias) d.vector(fmt::format("{}.bias", name), role, size);
}

namespace {

void emit_tower_block(Draft& d, const TowerBlocks& b) {
  const std::uint64_t width = b.attention_width > 0 ? b.attention_width : b.hidden;
  tower_matrix(d, "attn.q", b.role, width, b.hidden, b.qkv_bias);
  tower_matrix(d, "attn.k", b.role, width, b.hidden, b.qkv_bias && b.key_bias);
  tower_matrix(d, "attn.v", b.role, width, b.hidden, b.qkv_bias);
  tower_matrix(d, "attn.proj", b.role, b.hidden, width, b.o_bias);
  if (b.gated) tower_matrix(d, "mlp.gate", b.role, b.inner, b.hidden, b.mlp_bias);
  tower_matrix(d, "mlp.fc1", b.role, b.inner, b.hidden, b.mlp_bias);
  tower_matrix(d, "mlp.fc2", b.role, b.hidden, b.inner, b.mlp_bias);
  for (std::uint64_t n = 0; n < b.norms; ++n) {
    tower_norm(d, fmt::format("norm{}", n + 1), b.role, b.hidden, b.norm_bias);
  }
  if (b.head_norm > 0) {
    tower_norm(d, "attn.q_norm", b.role, b.head_norm, false);
    tower_norm(d, "attn.k_norm", b.role, b.head_norm, false);
  }
}

}  // namespace

void emit_tower_blocks(Draft& d, const TowerBlocks& b) {
  if (b.layers == 0) return;
  const std::size_t first = d.model.tensors.size();
  d.enter_block(b.prefix, 0);
  emit_tower_block(d, b);
  const std::size_t end = d.model.tensors.size();
  for (std::uint64_t i = 1; i < b.layers; ++i) {
    d.enter_block(b.prefix, i);
    d.repeat(first, end);
  }
  d.leave_layer();
}

// By the structure that the tower's config shows, else by its model_type.
void read_towers(Draft& d) {
  if (d.root.is_object("audio_config")) {
    const Fields audio = d.root.object("audio_config");
    if (audio.has("encoder_layers")) {
      emit_whisper_audio(d, audio);
    } else if (audio.keys().size() > 1) {
      d.note("the audio tower is of a kind we do not know: its weights are left out");
    }
  }
  const std::string key = d.root.is_object("vision_config") ? "vision_config" : "vision";
  if (!d.root.is_object(key)) return;
  const Fields vision = d.root.object(key);
  const std::string type = vision.text({"model_type"});
  const std::string whole = d.root.text({"model_type"});
  if (vision.has_any({"temporal_patch_size", "depth"}) && vision.has_any({"num_heads", "depth"})) {
    emit_qwen_vision(d, vision);
  } else if (vision.has("vt_hidden_size")) {
    emit_moon_vision(d, vision);
  } else if (type == "pixtral") {
    emit_pixtral_vision(d, vision);
  } else if (type == "gemma4_vision") {
    emit_gemma4_vision(d, vision);
  } else if (vision.has("pixel_shuffle_ratio")) {
    emit_llama4_vision(d, vision);
  } else if (vision.has("num_global_layers")) {
    emit_mllama_vision(d, vision);
  } else if (vision.has("num_hidden_layers") && vision.has("patch_size")) {
    emit_clip_vision(d, vision);
  } else {
    d.note("the vision tower is of a kind we do not know: its weights are left out");
  }
}

}  // namespace steelyard::model

// Vision and audio towers: one function per build, chosen by what their config says.
#pragma once

#include <string>

#include "model/draft.h"

namespace steelyard::model {

// The usual transformer block of a tower, repeated.
struct TowerBlocks {
  std::string prefix;  // "vision_tower.encoder.layers"
  Role role = Role::vision;
  std::uint64_t layers = 0, hidden = 0, inner = 0;
  std::uint64_t attention_width = 0;  // 0: hidden
  bool qkv_bias = true, key_bias = true, o_bias = true, mlp_bias = true;
  bool gated = false, norm_bias = true;
  std::uint64_t norms = 2, head_norm = 0;  // head_norm: size of q and k norms, 0 for none
};
void emit_tower_blocks(Draft& draft, const TowerBlocks& blocks);

// Matrices and norms of a tower outside its blocks.
void tower_matrix(Draft& draft, std::string_view name, Role role, std::uint64_t out,
                  std::uint64_t in, bool bias);
void tower_norm(Draft& draft, std::string_view name, Role role, std::uint64_t size, bool bias);

void emit_qwen_vision(Draft& draft, const Fields& vision);
void emit_clip_vision(Draft& draft, const Fields& vision);  // CLIP and SigLIP
void emit_pixtral_vision(Draft& draft, const Fields& vision);
void emit_gemma4_vision(Draft& draft, const Fields& vision);
void emit_llama4_vision(Draft& draft, const Fields& vision);
void emit_mllama_vision(Draft& draft, const Fields& vision);
void emit_moon_vision(Draft& draft, const Fields& vision);  // Kimi
void emit_whisper_audio(Draft& draft, const Fields& audio);

}  // namespace steelyard::model

// What llama.cpp's own code says about an architecture and a GGUF file leaves unsaid.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/description.h"

namespace steelyard::model {

// How the tensors of a layer are laid out; used where only the metadata are known.
enum class GgufBlocks {
  standard,    // two norms, gated feed-forward
  plain,       // two norms with biases, two matrices in the feed-forward part (GPT-2's line)
  fused,       // as standard, q, k and v in one matrix and gate and up in one (Phi-3)
  fused_plain  // as plain, q, k and v in one matrix
};

struct GgufArchitecture {
  std::string_view name;
  GgufBlocks blocks = GgufBlocks::standard;
  Mixer windowed = Mixer::full;  // what layers inside the window pattern are; full: no pattern
  std::uint32_t window = 0;      // when the file has none
  std::uint32_t period = 0;      // every n-th layer sees all; 0: all layers slide
  bool full_first = false;       // the full layer opens its period instead of closing it
  RecurrentKind recurrent = RecurrentKind::mamba2;
  bool all_recurrent = false;    // no attention at all
  std::uint32_t full_every = 0;  // recurrent but every n-th layer (a file's own key wins)
  bool beside = false;           // attention and state side by side in every layer
  bool encoder = false;
  bool tied = false;  // files of it store no output matrix
  bool qkv_bias = false;
  bool qk_norm = false;
  std::uint32_t norms = 2;  // per layer
};

// Nothing for an architecture not listed: full attention by the file's figures is assumed then.
const GgufArchitecture* find_gguf_architecture(std::string_view name);

}  // namespace steelyard::model

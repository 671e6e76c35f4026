// Which GGUF type a quantiser gives a tensor of a mix such as Q4_K_M.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/description.h"

namespace steelyard::model {

// What the choice depends on besides the tensor's role.
struct MixFacts {
  bool falcon = false;         // the one architecture with rules of its own
  bool seventy = false;        // 80 layers with grouped heads: more bits for their small V
  std::uint64_t grouping = 1;  // query heads per KV head
  std::uint64_t experts = 0;
  std::uint64_t layers = 0;  // of feed-forward parts, for the "first eighth" rules
  std::uint64_t values = 0;  // V matrices in the model
  bool head_stored = true;   // false: the embedding serves as the head too
};

struct Mix {
  std::string name;         // "q4_k_m"
  std::string base;         // the type of most tensors
  bool importance = false;  // quantised with an importance matrix, as IQ mixes below 4 bits must be
};

// By any usual spelling: "Q4_K_M", "q4_k_m", "Q4_K - Medium", "q8_0", "IQ3_XXS - 3.0625 bpw".
std::optional<Mix> find_mix(std::string_view name);

// The type's name. `layer` and `value_index` count from 0; `columns` is the row length.
std::string mix_type(const Mix& mix, const MixFacts& facts, Role role, std::uint64_t layer,
                     std::uint64_t value_index, std::uint64_t columns);

}  // namespace steelyard::model

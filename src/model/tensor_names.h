// What a tensor is, by its name: in GGUF files and in safetensors.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/description.h"

namespace steelyard::model {

struct NameMeaning {
  Role role = Role::other;
  std::int32_t layer = -1;   // block number of the file, -1 outside the blocks
  std::int32_t expert = -1;  // number of one expert whose tensors are stored one by one
  bool mtp = false;          // numbered on its own, from the first MTP layer
  std::size_t expert_at = 0, expert_digits = 0;  // where the expert number stands in the name
};

// "blk.3.ffn_down_exps.weight". Unknown names are Role::other.
NameMeaning gguf_name(std::string_view name);
// "model.layers.3.mlp.experts.7.down_proj.weight", without a suffix of quantisation.
NameMeaning safetensors_name(std::string_view name);

// How tensor parallelism cuts a matrix of this role. Vectors: see vector_split.
Split split_of(Role role);
Split vector_split(Role role);
// Whether weight quantisation applies to a matrix of this role.
bool is_quantisable(Role role);

// A run of digits at `at`; its value, or -1 when there is none or it is absurd.
std::int32_t number_in_name(std::string_view name, std::size_t at, std::size_t& digits);

}  // namespace steelyard::model

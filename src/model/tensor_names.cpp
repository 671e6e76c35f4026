#include "model/tensor_names.h"

namespace steelyard::model {

Split split_of(Role role) {
  switch (role) {
    case Role::token_embedding:
    case Role::output_head:
      return Split::vocabulary;
    case Role::attention_q:
    case Role::attention_qkv:
    case Role::mla_q_b:
    case Role::mla_kv_b:
    case Role::ffn_gate:
    case Role::ffn_up:
    case Role::shared_gate:
    case Role::shared_up:
    case Role::recurrent_in:
      return Split::column;
    case Role::attention_k:
    case Role::attention_v:
      return Split::kv_column;
    case Role::attention_output:
    case Role::ffn_down:
    case Role::shared_down:
    case Role::recurrent_out:
      return Split::row;
    case Role::expert_gate:
    case Role::expert_up:
    case Role::expert_down:
      return Split::expert;
    default:
      return Split::replicated;
  }
}

Split vector_split(Role role) {
  // A row-split matrix adds its bias after the sum over ranks: that one is whole everywhere.
  const Split split = split_of(role);
  return split == Split::row || split == Split::vocabulary ? Split::replicated : split;
}

bool is_quantisable(Role role) {
  switch (role) {
    case Role::attention_q:
    case Role::attention_k:
    case Role::attention_v:
    case Role::attention_qkv:
    case Role::attention_output:
    case Role::mla_q_a:
    case Role::mla_q_b:
    case Role::mla_kv_a:
    case Role::mla_kv_b:
    case Role::ffn_gate:
    case Role::ffn_up:
    case Role::ffn_down:
    case Role::expert_gate:
    case Role::expert_up:
    case Role::expert_down:
    case Role::shared_gate:
    case Role::shared_up:
    case Role::shared_down:
    case Role::recurrent_in:
    case Role::recurrent_out:
      return true;
    default:
      return false;
  }
}

std::int32_t number_in_name(std::string_view name, std::size_t at, std::size_t& digits) {
  std::int32_t value = 0;
  digits = 0;
  while (at + digits < name.size() && name[at + digits] >= '0' && name[at + digits] <= '9') {
    if (digits == 6) return -1;
    value = value * 10 + (name[at + digits] - '0');
    ++digits;
  }
  return digits == 0 ? -1 : value;
}

}  // namespace steelyard::model

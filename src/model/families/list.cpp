#include "model/families/all.h"

namespace steelyard::model {

std::span<const Family> families() {
  static constexpr Family list[] = {
      {"llama", build_llama},
      {"mistral", build_llama},
      {"ministral3", build_llama},
      {"mixtral", build_mixtral},
      {"qwen2", build_qwen2},
      {"qwen2_moe", build_qwen2},
      {"qwen3", build_qwen3},
      {"qwen3_moe", build_qwen3},
  };
  return list;
}

}  // namespace steelyard::model

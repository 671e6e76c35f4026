#include <array>

#include "memory/engines/engine.h"

namespace steelyard::memory {

std::span<const EngineRules> engine_list() {
  static const std::array<EngineRules, 6> list = {
      vllm_rules(),      sglang_rules(), tensorrt_llm_rules(),
      llama_cpp_rules(), ollama_rules(), transformers_rules(),
  };
  return list;
}

const EngineRules& rules_of(EngineKind kind) {
  const auto list = engine_list();
  for (const EngineRules& rules : list) {
    if (rules.kind == kind) return rules;
  }
  return list.front();  // every kind has its line: engines_test.cpp holds that
}

}  // namespace steelyard::memory

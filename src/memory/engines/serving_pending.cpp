#include "memory/engines/pending.h"

namespace steelyard::memory {

EngineRules vllm_rules() {
  return pending_rules(EngineKind::vllm, "vllm", "");
}
EngineRules sglang_rules() {
  return pending_rules(EngineKind::sglang, "sglang", "");
}
EngineRules tensorrt_llm_rules() {
  return pending_rules(EngineKind::tensorrt_llm, "tensorrt-llm", "trtllm trt-llm tensorrt_llm");
}
EngineRules transformers_rules() {
  return pending_rules(EngineKind::transformers, "transformers", "hf");
}

}  // namespace steelyard::memory

// Placeholder until llama_cpp.cpp and ollama.cpp define these two.
#include "memory/engines/pending.h"

namespace steelyard::memory {

EngineRules llama_cpp_rules() {
  return pending_rules(EngineKind::llama_cpp, "llama.cpp", "llamacpp llama-cpp llama_cpp");
}
EngineRules ollama_rules() {
  return pending_rules(EngineKind::ollama, "ollama", "");
}

}  // namespace steelyard::memory

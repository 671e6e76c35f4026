// What changed in vLLM when, as far as memory is concerned.
#pragma once

#include "memory/kv_vllm.h"

namespace steelyard::memory {

struct VllmRules {
  bool v1 = true;
  double utilization = 0.92;
  bool counts_graphs = true;  // the estimate of CUDA graphs is taken from the pool
  BlockRules blocks;
};

// `capability` is the card's compute capability ("7.0"); V0 stayed on where V1 could not run
// (before 0.10: cards below 8.0, 16-bit caches only). No version: the newest rules.
VllmRules vllm_rules_of(const std::optional<Version>& version, std::string_view capability,
                        bool fp8_cache);

// Tokens of one step and sequences at once when the user gives neither. Sources: vllm
// engine/arg_utils.py, PR 17885 (A100 left out of the large defaults).
struct StepDefaults {
  std::uint64_t batched_tokens = 2048, sequences = 256;
};
StepDefaults vllm_step_defaults(const std::optional<Version>& version, const VllmRules& rules,
                                const std::optional<CardMemory>& card, std::uint64_t max_len,
                                const std::optional<std::uint64_t>& sequences);

}  // namespace steelyard::memory

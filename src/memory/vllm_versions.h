// What changed in vLLM when, as far as memory is concerned.
#pragma once

#include "memory/kv_vllm.h"

namespace steelyard::memory {

struct VllmRules {
  bool v1 = true;
  double utilization = 0.92;
  bool counts_graphs = true;  // the estimate of CUDA graphs is taken from the pool
  // The profile takes all that is used on the card, the driver's context with it, for the engine's.
  bool counts_context = false;
  std::uint32_t mrope_factor = 4;  // longer tables where positions have three parts
  BlockRules blocks;
};

bool has_mla(const model::Model& model);

// What decided between the two engines while both were there.
struct VllmRun {
  bool v0 = false;              // asked for by the user
  std::string_view capability;  // of the card: "7.0"
  bool fp8_cache = false, encoder_decoder = false;
};

// V0 stayed on where V1 could not run: before 0.10 cards below 8.0 and 8-bit caches, before 0.10.2
// encoder-decoders. No version: the newest rules. What is counted as the engine's own: vLLM PRs
// 9352 (0.6.3), 10511 (0.6.5), 19312 (V1, 0.9.2); longer mrope tables since Qwen2.5-VL (0.7.2).
VllmRules vllm_rules_of(const std::optional<Version>& version, const VllmRun& run);

// Tokens of one step and sequences at once when the user gives neither. Sources: vllm
// engine/arg_utils.py, PR 17885 (A100 left out of the large defaults).
// V0 raises the step of multimodal models to 5120 tokens, and cuts neither their prompts nor those
// of latent attention into chunks.
struct StepDefaults {
  std::uint64_t batched_tokens = 2048, sequences = 256;
};
StepDefaults vllm_step_defaults(const std::optional<Version>& version, const VllmRules& rules,
                                const std::optional<CardMemory>& card, std::uint64_t max_len,
                                const std::optional<std::uint64_t>& sequences,
                                const model::Model& model);

// Whether the server itself joins several machines (--nnodes); before, Ray does. The version is
// recalled.
bool vllm_starts_nodes(const std::optional<Version>& version);

}  // namespace steelyard::memory

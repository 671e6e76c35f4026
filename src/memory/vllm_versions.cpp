#include "memory/vllm_versions.h"

#include <algorithm>
#include <charconv>

namespace steelyard::memory {
namespace {

// Is `version` at least major.minor.patch? The newest rules hold when no version was given.
bool below_ampere(std::string_view capability) {
  int major = 0;
  const auto [end, error] =
      std::from_chars(capability.data(), capability.data() + capability.size(), major);
  return error == std::errc() && end != capability.data() && major < 8;
}

}  // namespace

bool has_mla(const model::Model& model) {
  return std::ranges::any_of(
      model.layers, [](const model::Layer& layer) { return layer.mixer == model::Mixer::mla; });
}

VllmRules vllm_rules_of(const std::optional<Version>& version, const VllmRun& run) {
  VllmRules rules;
  const bool needs_v0 = run.v0 || below_ampere(run.capability) || run.fp8_cache;
  const bool v1_alone = since(version, 0, 10) && !(run.v0 && version && !since(version, 0, 11));
  rules.v1 = since(version, 0, 8) && (v1_alone || !needs_v0) &&
             (since(version, 0, 10, 2) || !run.encoder_decoder);
  rules.counts_context =
      rules.v1 ? !since(version, 0, 9, 2) : since(version, 0, 6, 3) && !since(version, 0, 6, 5);
  rules.mrope_factor = since(version, 0, 7, 2) ? 4 : 1;
  rules.utilization = since(version, 0, 22) ? 0.92 : 0.90;
  rules.counts_graphs = since(version, 0, 21);
  rules.blocks.hybrid_windows = rules.v1 && since(version, 0, 9, 2);
  rules.blocks.hybrid_states = rules.v1 && since(version, 0, 10);
  rules.blocks.states_aligned = since(version, 0, 20);
  rules.blocks.prints_capacity = since(version, 0, 21);
  return rules;
}

StepDefaults vllm_step_defaults(const std::optional<Version>& version, const VllmRules& rules,
                                const std::optional<CardMemory>& card, std::uint64_t max_len,
                                const std::optional<std::uint64_t>& sequences,
                                const model::Model& model) {
  StepDefaults step;
  if (!rules.v1) {
    // Chunks only when the length passes 32768; else a whole prompt is one step.
    const std::uint64_t chunk = since(version, 0, 6, 4) ? 2048 : 512;
    const bool multimodal = model.vision || model.audio;
    const bool chunks = max_len > 32768 && !multimodal && !has_mla(model);
    step.batched_tokens = chunks ? chunk : std::max<std::uint64_t>(max_len, 2048);
    if (multimodal) step.batched_tokens = std::max<std::uint64_t>(step.batched_tokens, 5120);
    return step;
  }
  const bool large = card && card->usable.value >= gib(70) && card->compute_capability != "8.0";
  step.batched_tokens = large ? 8192 : 2048;
  step.sequences = large && since(version, 0, 9) ? 1024 : 256;
  step.batched_tokens =
      std::min(step.batched_tokens, saturating_mul(sequences.value_or(step.sequences), max_len));
  return step;
}

bool vllm_starts_nodes(const std::optional<Version>& version) {
  return since(version, 0, 12);
}

}  // namespace steelyard::memory

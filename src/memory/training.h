// What a training run is asked about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"

namespace steelyard::memory {

enum class TrainingMethod { full, pretrain, lora, qlora };
constexpr bool trains_adapters(TrainingMethod method) {
  return method == TrainingMethod::lora || method == TrainingMethod::qlora;
}
enum class Framework {
  transformers,
  torchtune,
  torchtitan,
  megatron,
  deepspeed,
  axolotl,
  llama_factory,
  unsloth,
};
enum class Optimizer {
  adamw,  // PyTorch's own, which steps over all tensors at once (foreach)
  adamw_fused,
  adamw_8bit,
  adamw_4bit,
  paged_adamw_8bit,
  adafactor,
  lion,
  muon,
  sgd,
};
enum class TrainingPrecision { mixed, pure_bf16, fp32 };
enum class Recompute { none, selective, full };
enum class LossKind { standard, chunked, fused_linear };
enum class OffloadTo { none, cpu, nvme };

// Empty optionals are filled by the framework's usual choice and reported as assumptions.
struct Training {
  TrainingMethod method = TrainingMethod::lora;
  std::optional<Framework> framework;
  std::optional<Optimizer> optimizer;
  std::optional<TrainingPrecision> precision;
  std::optional<std::uint32_t> zero;  // 0 replicated, 1 moments, 2 and gradients, 3 and parameters
  std::optional<Recompute> recompute;
  std::optional<LossKind> loss;
  std::optional<bool> fused_kernels;     // norms and losses by Triton kernels (Liger, Unsloth)
  std::optional<bool> flash_attention;   // off: scores of all pairs of tokens are kept
  std::optional<std::uint64_t> seq_len;  // tokens per sequence
  std::uint64_t micro_batch = 1;         // sequences per replica and step
  std::uint64_t grad_accum = 1;          // micro-batches per optimizer step
  std::uint32_t rank = 16;               // of the adapters
  std::string targets = "all";           // all, attention, mlp, or names such as "q,v"
  bool padding_free = false;             // sequences lie one behind the other, none is filled up
  OffloadTo optimizer_offload = OffloadTo::none, parameter_offload = OffloadTo::none;
};

// A multiplier that people use for the same question, beside the real sum.
struct TrainingRule {
  std::string rule;
  Bytes bytes;
  std::string verdict;  // how far it is off here
};

// What an answer for training holds beside the sum of each rank.
struct TrainingFigures {
  TrainingMethod method = TrainingMethod::lora;
  Framework framework = Framework::transformers;
  std::string phase;  // of the optimizer step in which the peak stands
  Bytes all_cards;    // the allocator's peaks of all cards together
  std::optional<std::uint64_t> largest_micro_batch, longest_sequence;  // with a card that holds one
  std::vector<TrainingRule> rules;
};

// By the words of the command line: "adamw-8bit", "pure-bf16", "fused-linear" ... Errors: usage,
// with all choices.
Result<Framework> parse_framework(std::string_view text);
Result<Optimizer> parse_optimizer(std::string_view text);
Result<TrainingPrecision> parse_training_precision(std::string_view text);
Result<Recompute> parse_recompute(std::string_view text);
Result<LossKind> parse_loss(std::string_view text);
Result<OffloadTo> parse_offload(std::string_view text, std::string_view field);

std::string_view word_of(TrainingMethod value);
std::string_view word_of(Framework value);
std::string_view word_of(Optimizer value);
std::string_view word_of(TrainingPrecision value);
std::string_view word_of(Recompute value);
std::string_view word_of(LossKind value);
std::string_view word_of(OffloadTo value);

}  // namespace steelyard::memory

// The training question with the framework's own choices filled in, checked, and as numbers.
#pragma once

#include "memory/memory.h"
#include "memory/training/shape.h"

namespace steelyard::memory {

// Bytes per parameter, before sharding.
struct StateBytes {
  double weights = 2;  // what forward and backward read, when not quantised
  double gradients = 2;
  double master = 0;  // 32-bit copy that the optimizer steps on, where it is a separate one
  double moments = 4;
  double step_temporary = 0;  // while the optimizer steps
  double autocast_copy = 0;   // 16-bit copies that autocast keeps during forward
};

struct TrainingPlan {
  TrainingMethod method = TrainingMethod::lora;
  Framework framework = Framework::transformers;
  Optimizer optimizer = Optimizer::adamw;
  TrainingPrecision precision = TrainingPrecision::mixed;
  Recompute recompute = Recompute::full;
  LossKind loss = LossKind::standard;
  OffloadTo optimizer_offload = OffloadTo::none, parameter_offload = OffloadTo::none;
  bool fused_kernels = false, flash_attention = true;
  std::uint32_t zero = 0;
  std::uint64_t seq_len = 0, micro_batch = 1, grad_accum = 1;

  double world = 1, tp = 1, pp = 1, cp = 1;
  double data_ranks = 1;    // ranks that hold the same parameters before sharding: dp x cp
  StateBytes base;          // of parameters that train, or of the frozen ones when adapters train
  StateBytes adapter;       // of adapters
  double element = 2;       // bytes of an activation
  double residual = 2;      // ... on the residual stream
  double logit_bytes = 12;  // per token and word of the vocabulary, when the loss is taken

  bool adapters() const { return trains_adapters(method); }
  // Of one rank: tensor parallelism cuts saved activations too (sequence parallelism between the
  // matrices).
  double tokens() const {
    return static_cast<double>(seq_len) * static_cast<double>(micro_batch) / (cp * tp);
  }
  double parameter_shards() const { return zero >= 3 ? data_ranks : 1; }
  double gradient_shards() const { return zero >= 2 ? data_ranks : 1; }
  double optimizer_shards() const { return zero >= 1 ? data_ranks : 1; }
};

// Defaults of the framework, said as assumptions. Errors: usage, naming the option: zero sequences,
// a world that the placement does not divide, ZeRO with pipeline stages where it is refused, tensor
// parallelism where the framework has none.
Result<TrainingPlan> training_plan(const model::Model& model, const Training& asked,
                                   const Placement& place, std::uint32_t cards,
                                   std::vector<Assumption>& assumptions);

}  // namespace steelyard::memory

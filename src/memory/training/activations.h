// What one layer keeps for its backward pass, and what it takes at most while that pass runs.
#pragma once

#include "memory/training/plan.h"

namespace steelyard::memory {

// Bytes on one rank for the tokens of one micro-batch.
struct LayerActivations {
  double input = 0;  // kept when the layer is recomputed
  double kept = 0;   // kept when nothing is
  double half = 0;   // kept when every second matrix product and attention's output are
  double peak = 0;   // while the layer goes backward, its input not counted
};

// Source of the parts: arXiv 2205.05198 (what each operation saves), with flash attention in place
// of its scores and SwiGLU's gate, activation and product; the constants for norms, adapters and
// the gradient in flight are fitted on the benchmark tables of fms-acceleration.
LayerActivations layer_activations(const TrainingShape& shape, const LayerShape& layer,
                                   const TrainingPlan& plan);

// Logits with all that the loss makes of them, and the last hidden states.
double loss_bytes(const TrainingShape& shape, const TrainingPlan& plan);

}  // namespace steelyard::memory

// One optimizer step on one pipeline stage: the bytes alive at each of its peaks.
#pragma once

#include <array>
#include <string_view>

#include "memory/placement.h"
#include "memory/training/activations.h"

namespace steelyard::memory {

struct StepBytes {
  std::string_view phase;
  double weights = 0, adapters = 0, gradients = 0, master = 0, optimizer = 0;
  double activations = 0, logits = 0, communication = 0;

  double total() const {
    return weights + adapters + gradients + master + optimizer + activations + logits +
           communication;
  }
};

struct StageStep {
  std::array<StepBytes, 4> phases;  // loss, backward at its start and at its end, optimizer step
  double host = 0;                  // what was offloaded, this rank's share
  double resident = 0;              // what stays from step to step
  const StepBytes& peak() const;
};

// `index`: the stage's place in the pipeline, which holds that many more micro-batches in flight.
StageStep training_step(const TrainingShape& shape, const TrainingPlan& plan, const Stage& stage,
                        std::size_t index);

}  // namespace steelyard::memory

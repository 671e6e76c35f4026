// Bytes per parameter of weights, gradients and optimizer, by precision, optimizer and framework.
#pragma once

#include "memory/training/plan.h"

namespace steelyard::memory {

// For parameters that train. Sources: PyTorch torch.optim (foreach keeps one temporary of the size
// of the parameters; notes of the optimizers), arXiv 1910.02054 (ZeRO: 2 + 2 + 12 bytes),
// arXiv 2110.02861 (8-bit moments, one 32-bit scale per 256), arXiv 1804.04235 (Adafactor).
StateBytes trained_state(Framework framework, TrainingPrecision precision, Optimizer optimizer,
                         double matrix_share);

// For adapters: PEFT keeps them in 32 bit beside a 16-bit base, torchtune in the base's type.
StateBytes adapter_state(Framework framework, TrainingPrecision precision, Optimizer optimizer);

// Whether the moments are paged to the host by the driver and unknown to PyTorch's allocator.
bool is_paged(Optimizer optimizer);

}  // namespace steelyard::memory

// From the allocator's peak to what the process takes of the card.
#pragma once

#include "memory/training/step.h"

namespace steelyard::memory {

struct ProcessMemory {
  ByteFigure reserved;  // segments that PyTorch's allocator keeps: its peak and fragments
  ByteFigure process;   // and context, libraries, communication buffers: what nvidia-smi shows
};

// `usable`: the card's, where one is named: the allocator gives cached segments back before it
// fails, so that no process exceeds the card.
ProcessMemory process_memory(const TrainingPlan& plan, const StageStep& step,
                             std::optional<Bytes> usable);

// Context and libraries of one process, and with several cards the least of NCCL's buffers.
double context_bytes(const TrainingPlan& plan);

}  // namespace steelyard::memory

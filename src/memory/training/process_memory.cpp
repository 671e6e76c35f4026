#include "memory/training/process_memory.h"

#include <algorithm>

namespace steelyard::memory {
namespace {

// Medians of the rows that state both the allocator's peak and nvidia-smi's figure
// (fms-acceleration, in accuracy/rows/memory-training.csv): fragments in shares of what comes and
// goes within a step. Large logits fragment most; without them little is lost.
constexpr double fragments = 0.38, fragments_fused = 0.17, fragments_more = 0.12;
// torchtitan's start script asks for segments that grow, in which nothing is lost between blocks.
constexpr double fragments_expandable = 0.05;
constexpr double least_fragments = 0.02, most_fragments = 0.9;
constexpr double context = 0.6e9, communication = 2.2e9;

}  // namespace

double context_bytes(const TrainingPlan& plan) {
  return context + (plan.world > 1 ? communication / 2 : 0);
}

ProcessMemory process_memory(const TrainingPlan& plan, const StageStep& step,
                             std::optional<Bytes> usable) {
  const double peak = step.peak().total();
  const double moving = std::max(0.0, peak - step.resident);
  double share = plan.loss == LossKind::fused_linear ? fragments_fused : fragments;
  if (plan.world > 1) share += fragments_more;
  if (plan.framework == Framework::torchtitan) share = fragments_expandable;
  const double around = context + (plan.world > 1 ? communication : 0);
  const auto capped = [&](double bytes) {
    if (!usable || peak > usable->as_double()) return bytes_from(bytes);
    return bytes_from(std::min(bytes, usable->as_double()));
  };
  ProcessMemory memory;
  memory.reserved =
      ByteFigure::banded(capped(peak + share * moving), capped(peak + least_fragments * moving),
                         capped(peak + most_fragments * moving), Origin::predicted);
  memory.process = ByteFigure::banded(
      capped(peak + share * moving + around), capped(peak + least_fragments * moving + context),
      capped(peak + most_fragments * moving + 2 * around), Origin::predicted);
  return memory;
}

}  // namespace steelyard::memory

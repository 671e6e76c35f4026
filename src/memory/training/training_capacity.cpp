// The largest micro-batch and the longest sequence: the peak grows with both.
#include <algorithm>

#include "memory/asked.h"
#include "memory/training/process_memory.h"
#include "memory/training/size_training.h"

namespace steelyard::memory {
namespace {

constexpr std::uint64_t most_micro_batch = 1ULL << 16, most_sequence_tokens = 1ULL << 24;
constexpr std::uint64_t length_step = 64;  // as people type lengths

double highest_peak(const TrainingShape& shape, const TrainingPlan& plan,
                    const std::vector<Stage>& stages) {
  double most = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    most = std::max(most, training_step(shape, plan, stages[i], i).peak().total());
  }
  return most;
}

}  // namespace

void find_training_room(const model::Model& model, const TrainingShape& shape,
                        const TrainingPlan& plan, Answer& answer) {
  if (!answer.card) return;
  const auto stages = pipeline_stages(model.layers.size(), static_cast<std::uint32_t>(plan.pp));
  const double room = answer.budget.value.as_double();
  TrainingPlan tried = plan;
  const auto holds = [&] {
    return needed_on_card(tried, highest_peak(shape, tried, stages)) <= room;
  };
  const std::uint64_t batch = largest_that(most_micro_batch, [&](std::uint64_t n) {
    tried.micro_batch = std::max<std::uint64_t>(1, n);
    return n == 0 || holds();
  });
  tried = plan;
  const std::uint64_t steps =
      largest_that(most_sequence_tokens / length_step, [&](std::uint64_t n) {
        tried.seq_len = std::max<std::uint64_t>(1, n) * length_step;
        return n == 0 || holds();
      });
  if (batch > 0) answer.training->largest_micro_batch = batch;
  if (steps > 0) answer.training->longest_sequence = steps * length_step;
}

}  // namespace steelyard::memory

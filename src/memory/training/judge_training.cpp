#include <fmt/format.h>

#include "memory/training/process_memory.h"
#include "memory/training/size_training.h"
#include "memory/verdict.h"

namespace steelyard::memory {
namespace {

// The allocator returns cached segments before it gives up; what is split between tensors that
// live on cannot be returned.
constexpr double lost_for_good = 0.03;

std::string verdict_sentence(const Answer& answer, const std::string& needs, double value) {
  const CardMemory& card = *answer.card;
  const Rank& rank = answer.binding();
  const std::string offer =
      fmt::format("{}, {}{} offers {}", needs, card.name.starts_with("this ") ? "" : "the ",
                  card.name.empty() ? "card" : card.name, format_bytes(answer.budget.value));
  switch (answer.verdict) {
    case Verdict::fits:
      return fmt::format("{}: {} stay free beside context and fragments", offer,
                         format_bytes(rank.free.value));
    case Verdict::tight:
      return fmt::format(
          "{}: {} stay free beside context and fragments, within the band of the estimate ({} to "
          "{})",
          offer, format_bytes(rank.free.value), format_bytes(rank.total.low),
          format_bytes(rank.total.high));
    default:
      return fmt::format("{}: {} too much, context and fragments counted", offer,
                         format_bytes(bytes_from(value - answer.budget.value.as_double())));
  }
}

}  // namespace

double needed_on_card(const TrainingPlan& plan, double peak) {
  return peak * (1 + lost_for_good) + context_bytes(plan);
}

void judge_training(const TrainingPlan& plan, Answer& answer) {
  const Rank& rank = answer.binding();
  const std::string needs = fmt::format("needs {} per card at its peak ({})",
                                        format_bytes(rank.total.value), answer.training->phase);
  if (!answer.card) {
    answer.verdict = Verdict::not_established;
    answer.reason = needs + "; no card was named to compare with";
    return;
  }
  const CardMemory& card = *answer.card;
  answer.budget = ByteFigure::banded(card.usable.value - card.in_use, card.usable.low - card.in_use,
                                     card.usable.high - card.in_use, card.usable.origin);
  const auto taken = [&](Bytes peak) { return bytes_from(needed_on_card(plan, peak.as_double())); };
  for (Rank& one : answer.ranks) {
    one.free = ByteFigure::banded(answer.budget.value - taken(one.total.value),
                                  answer.budget.low - taken(one.total.high),
                                  answer.budget.high - taken(one.total.low), Origin::predicted);
  }
  const double room = answer.budget.value.as_double();
  const double value = needed_on_card(plan, rank.total.value.as_double());
  const double high = needed_on_card(plan, rank.total.high.as_double());
  answer.verdict = value > room ? Verdict::does_not_fit
                   : high > answer.budget.low.as_double() || value > (1 - tight_room) * room
                       ? Verdict::tight
                       : Verdict::fits;
  answer.reason = verdict_sentence(answer, needs, value);
}

}  // namespace steelyard::memory

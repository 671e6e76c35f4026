#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "memory/training/size_training.h"

namespace steelyard::memory {
namespace {

// As they circulate: gigabytes per billion parameters are bytes per parameter.
struct Multiplier {
  double low, high;
  std::string_view rule;
  bool adapters;  // said of adapter training, else of full fine-tuning
};
constexpr auto multipliers = std::to_array<Multiplier>({
    {16, 16, "16 B per parameter (mixed precision, AdamW)", false},
    {12, 12, "12 B per parameter (optimizer states alone)", false},
    {10, 15, "10-15 x the parameters in GB", false},
    {4, 6, "4-6 x the parameters in GB", true},
    {2.4, 2.4, "16-bit weights x 1.2", true},
});

std::string judged(const Multiplier& one, double real, double parameters,
                   std::string_view left_out) {
  const double per = real / std::max(1.0, parameters);
  const std::string sum = fmt::format("the real sum is {:.1f} B per parameter", per);
  if (one.low <= 1.1 * per && one.high >= 0.9 * per) return "holds here: " + sum;
  if (one.high < per) {
    return fmt::format("{:.0f} % too low here, for it leaves out {}: {}",
                       100 * (1 - one.high / per), left_out, sum);
  }
  return fmt::format("{:.1f} x too high here: {}", one.low / per, sum);
}

}  // namespace

std::vector<TrainingRule> training_rules(const TrainingPlan& plan, double parameters,
                                         const TrainingFigures& figures) {
  const std::string_view left_out =
      figures.phase == "optimizer step" ? "what the step itself takes" : "tokens and vocabulary";
  std::vector<TrainingRule> rules;
  for (const Multiplier& one : multipliers) {
    if (one.adapters != plan.adapters()) continue;
    rules.push_back({std::string(one.rule), bytes_from(parameters * (one.low + one.high) / 2),
                     judged(one, figures.all_cards.as_double(), parameters, left_out)});
  }
  return rules;
}

}  // namespace steelyard::memory

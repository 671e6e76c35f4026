#include "held_out.h"

#include <algorithm>

namespace steelyard::accuracy {
namespace {

bool usable(const StepRow& row) {
  return row.one.holds_inputs && row.one.predicted && row.one.target && row.logits_gib > 0;
}

// What the constant would have to be multiplied by to meet this row; nothing sensible below 0.
double wanted_scale(const StepRow& row) {
  return std::max(0.0, (*row.one.target - row.kept_gib) / row.logits_gib);
}

}  // namespace

std::vector<Scored> hold_out_sampler(const std::vector<StepRow>& rows) {
  std::vector<Scored> result;
  for (const StepRow& row : rows) {
    std::vector<double> scales;
    for (const StepRow& other : rows) {
      if (usable(other) && other.one.group != row.one.group) scales.push_back(wanted_scale(other));
    }
    Scored one = row.one;
    one.table = "vllm activation peak, its model left out";
    if (usable(row) && !scales.empty()) {
      const auto middle = scales.begin() + static_cast<std::ptrdiff_t>(scales.size() / 2);
      std::ranges::nth_element(scales, middle);
      one.predicted = row.kept_gib + *middle * row.logits_gib;
    }
    result.push_back(std::move(one));
  }
  return result;
}

}  // namespace steelyard::accuracy

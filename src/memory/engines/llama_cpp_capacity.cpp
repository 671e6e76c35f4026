#include "memory/engines/llama_cpp_capacity.h"

#include <algorithm>
#include <functional>

namespace steelyard::memory::llama_cpp {

namespace {

// Room left on the fullest card, negative when it does not fit.
double slack_of(const Evaluator& evaluator, const Evaluation& e, double budget) {
  double least = 1e300;
  for (std::uint32_t card = 0; card < evaluator.layout().cards; ++card) {
    least = std::min(least, budget - evaluator.card_total(e, card).as_double());
  }
  return least;
}

double slack(const Evaluator& evaluator, const Workload& workload, double budget) {
  const auto e = evaluator.evaluate(workload);
  return e ? slack_of(evaluator, *e, budget) : -1e300;
}

// What is known before the search: the room left at `x`.
struct Known {
  std::uint64_t x = 0;
  double room = -1;
};

// The largest multiple of `unit` up to `cap` with room left. What is needed grows with x and bends
// upwards only, so the chord through two points never overshoots. 0 when nothing fits.
std::uint64_t largest(const std::function<double(std::uint64_t)>& room, std::uint64_t unit,
                      std::uint64_t cap, const Known& known) {
  cap = cap / unit * unit;
  if (cap == 0) return 0;
  const std::uint64_t start = known.x / unit * unit;
  const bool starts = known.room >= 0 && start >= unit && start < cap;
  std::uint64_t low = starts ? start : unit, high = cap;
  double at_low = starts ? known.room : room(low);
  if (at_low < 0) return 0;
  double at_high = room(high);
  if (at_high >= 0) return high;
  for (int step = 0; step < 8 && high - low > unit; ++step) {
    const double share = at_low / (at_low - at_high);
    std::uint64_t x = low + static_cast<std::uint64_t>(static_cast<double>(high - low) * share);
    x = std::clamp(x / unit * unit, low + unit, high - unit);
    const double at_x = room(x);
    if (at_x >= 0) {
      // One more unit needs at least what the units up to here needed.
      const double each = (at_low - at_x) / static_cast<double>(x - low);
      low = x;
      at_low = at_x;
      if (at_x < each * static_cast<double>(unit)) break;
    } else {
      high = x;
      at_high = at_x;
    }
  }
  return low;
}

}  // namespace

Capacity capacity_of(const model::Model& model, const Evaluator& evaluator,
                     const Workload& workload, const Evaluation& now, const ByteFigure& budget) {
  Capacity out;
  Bytes most;
  for (std::uint32_t card = 0; card < evaluator.layout().cards; ++card) {
    most = std::max(most, now.cache[card]);
  }
  out.kv_bytes = ByteFigure::exact(most);
  out.kv_tokens = static_cast<double>(now.settings.context);
  out.kv_tokens_printed = out.kv_tokens;
  if (model.layers.empty()) {
    out.reason = "layers are not established: " + model.not_established;
    return out;
  }
  if (evaluator.layout().cards == 0 || budget.value.value() == 0) {
    out.reason = "no card was named";
    return out;
  }
  const double room = budget.value.as_double();
  const std::uint64_t per_sequence = now.settings.streams > 1 || !workload.concurrency
                                         ? now.settings.cells
                                         : now.settings.context / now.settings.sequences;
  const std::uint64_t longest =
      model.max_context > 0 ? std::max(model.max_context, per_sequence) : std::uint64_t{1} << 22;
  const double free = slack_of(evaluator, now, room);
  const ByteFigure& driver = evaluator.backend().context;
  const Bytes middle = most + bytes_from(std::max(0.0, free));
  out.sought_in = ByteFigure::banded(middle, middle - (driver.high - driver.value),
                                     middle + (driver.value - driver.low), Origin::predicted);
  const double left = workload.ctx_size ? -1 : free;
  Workload w = workload;
  w.ctx_size.reset();
  out.max_context_tokens = static_cast<double>(largest(
      [&](std::uint64_t context) {
        w.context = context;
        return slack(evaluator, w, room);
      },
      256, longest, {per_sequence, left}));
  w.context = per_sequence;
  out.max_concurrency = static_cast<double>(largest(
      [&](std::uint64_t sequences) {
        w.concurrency = sequences;
        return slack(evaluator, w, room);
      },
      // Slots that nobody asked for share one pool, which is sized for one sequence of this length.
      1, evaluator.build().most_sequences,
      {workload.concurrency ? now.settings.sequences : 1, left}));
  return out;
}

}  // namespace steelyard::memory::llama_cpp

// What would make a training run fit: each change is sized anew by the same function.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "memory/training/size_training.h"
#include "memory/verdict.h"

namespace steelyard::memory {
namespace {

constexpr std::uint32_t most_training_cards = 256;

// One change to the run. `apply` says whether it changes anything there.
struct TrainingChange {
  std::string_view words, cost;
  std::function<bool(Request&)> apply;
};

template <typename T>
bool set(std::optional<T>& option, T value) {
  if (option == value) return false;
  option = value;
  return true;
}

bool raise_zero(Request& request, std::uint32_t stage) {
  if (request.card->count < 2 || request.training->zero.value_or(3) >= stage) return false;
  return set(request.training->zero, stage);
}

// Fewer sequences at once and as many more steps until the optimizer's: the batch stays.
bool split_batch(Request& request) {
  Training& run = *request.training;
  if (run.micro_batch <= 1) return false;
  run.grad_accum = saturating_mul(run.grad_accum, run.micro_batch);
  run.micro_batch = 1;
  return true;
}

// Cheapest first: what costs nothing of the result, then time, then quality.
std::vector<TrainingChange> changes_for(TrainingMethod method) {
  const bool adapters = trains_adapters(method);
  std::vector<TrainingChange> list = {
      {"loss fused-linear", "no cost in quality; needs kernels such as Liger's",
       [](Request& r) { return set(r.training->loss, LossKind::fused_linear); }},
      {"micro-batch 1, the rest accumulated", "more, smaller steps: a little slower", split_batch},
      {"recompute full", "about a third more computing per step",
       [](Request& r) { return set(r.training->recompute, Recompute::full); }}};
  if (adapters) return list;
  list.push_back({"optimizer adamw-fused", "no cost: it steps without a temporary copy",
                  [](Request& r) { return set(r.training->optimizer, Optimizer::adamw_fused); }});
  list.push_back({"ZeRO 1, optimizer states sharded", "no more traffic than gradients already make",
                  [](Request& r) { return raise_zero(r, 1); }});
  list.push_back({"ZeRO 2, gradients sharded too", "little more traffic",
                  [](Request& r) { return raise_zero(r, 2); }});
  list.push_back({"ZeRO 3, parameters sharded too", "half as much traffic again between the cards",
                  [](Request& r) { return raise_zero(r, 3); }});
  list.push_back({"optimizer adamw-8bit", "as fast; moments in 8 bit, rarely a loss in quality",
                  [](Request& r) { return set(r.training->optimizer, Optimizer::adamw_8bit); }});
  list.push_back(
      {"precision pure-bf16", "small updates are rounded away: quality may suffer",
       [](Request& r) { return set(r.training->precision, TrainingPrecision::pure_bf16); }});
  list.push_back({"offload of the optimizer to the host",
                  "the step runs on the CPU: several times slower", [](Request& r) {
                    if (r.training->optimizer_offload != OffloadTo::none) return false;
                    r.training->optimizer_offload = OffloadTo::cpu;
                    return true;
                  }});
  return list;
}

bool add_training(std::vector<Alternative>& list, std::string change, std::string cost,
                  const model::Model& model, const Request& request, std::string weights = {}) {
  auto answer = size_training(model, request);
  if (!answer || !is_yes(*answer)) return false;
  list.push_back(
      {std::move(change), request, std::move(weights), std::move(*answer), std::move(cost)});
  return true;
}

// All cheap changes, one after the other, until it fits. Of optimizers and stages of ZeRO the last
// word counts.
void try_all_together(std::vector<Alternative>& list, const model::Model& model,
                      const Request& request) {
  Request other = request;
  std::vector<std::string_view> words;
  const auto kind = [](std::string_view text) { return text.substr(0, text.find(' ')); };
  for (const TrainingChange& change : changes_for(request.training->method)) {
    if (!change.apply(other)) continue;
    std::erase_if(words, [&](std::string_view one) { return kind(one) == kind(change.words); });
    words.push_back(change.words);
    if (add_training(list, fmt::format("{}", fmt::join(words, " + ")), "all their costs together",
                     model, other)) {
      return;
    }
  }
}

void try_method(std::vector<Alternative>& list, const model::Model& model, const Request& request,
                TrainingMethod method) {
  if (request.training->method == method) return;
  Request other = request;
  other.training->method = method;
  other.training->precision.reset();
  const bool packed = method == TrainingMethod::qlora;
  auto weighed = packed ? model::with_weights(model, "nf4") : Result<model::Model>(model);
  if (!weighed) return;
  const double parameters = std::max(1.0, static_cast<double>(model.parameters()));
  const auto shape = training_shape(*weighed, *other.training);
  if (!shape) return;
  double trained = 0;
  for (const LayerShape& layer : shape->layers) trained += layer.adapter_parameters;
  add_training(list,
               packed ? fmt::format("method qlora, rank {}", other.training->rank)
                      : fmt::format("method lora, rank {}", other.training->rank),
               fmt::format("trains {:.1f} % of the parameters{}", 100 * trained / parameters,
                           packed ? "; base in 4 bit: slower steps, a little quality" : ""),
               *weighed, other, packed ? "nf4" : "");
}

// Powers of two fill machines and whole racks of them.
void try_more_cards(std::vector<Alternative>& list, const model::Model& model,
                    const Request& request) {
  const Placement& place = request.placement;
  const std::uint32_t least = std::max(request.card->count, place.cards_per_replica());
  for (std::uint32_t cards = 2; cards <= most_training_cards; cards *= 2) {
    if (cards <= least || cards % place.cards_per_replica() != 0) continue;
    Request other = request;
    other.card->count = cards;
    other.placement.dp = 1;
    if (place.pp == 1) other.training->zero = 3;
    if (add_training(list, fmt::format("{} cards{}", cards, place.pp == 1 ? ", ZeRO 3" : ""),
                     cards > 8 ? "wants a fast network between machines" : "", model, other)) {
      return;
    }
  }
}

void try_shorter(std::vector<Alternative>& list, const model::Model& model, const Request& request,
                 const Answer& now) {
  constexpr std::uint64_t shortest = 512;
  const auto& longest = now.training->longest_sequence;
  if (!longest || *longest < shortest) return;
  std::uint64_t length = shortest;
  while (length * 2 <= *longest) length *= 2;
  if (length >= now.context) return;
  Request other = request;
  other.training->seq_len = length;
  add_training(list, fmt::format("sequences of {} tokens", with_commas(length)),
               "longer samples are cut", model, other);
}

}  // namespace

std::vector<Alternative> training_alternatives(const model::Model& model, const Request& request) {
  std::vector<Alternative> list;
  if (!request.card) return list;
  const auto now = size_training(model, request);
  if (!now || now->verdict == Verdict::fits) return list;
  // What the framework chose by itself is the state that a change starts from.
  for (const TrainingChange& change : changes_for(request.training->method)) {
    Request other = request;
    if (!change.apply(other)) continue;
    const std::size_t before = list.size();
    add_training(list, std::string(change.words), std::string(change.cost), model, other);
    // A change that leaves the sum as it is was there already.
    if (list.size() > before &&
        list.back().answer.binding().total.value >= now->binding().total.value) {
      list.pop_back();
    }
  }
  if (list.empty()) try_all_together(list, model, request);
  if (request.training->method == TrainingMethod::full) {
    try_method(list, model, request, TrainingMethod::lora);
  }
  if (request.training->method != TrainingMethod::pretrain) {
    try_method(list, model, request, TrainingMethod::qlora);
  }
  try_shorter(list, model, request, *now);
  try_more_cards(list, model, request);
  return list;
}

}  // namespace steelyard::memory

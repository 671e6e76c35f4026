// What a buyer asks without naming a card: one of which, and else how many of which.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pick/common_cards.h"
#include "pick/pick.h"

namespace steelyard::pick {
namespace {

using facts::Accelerator;
using memory::EngineKind;

constexpr std::uint64_t few_sequences = 16;
constexpr std::size_t most_single = 4;  // classes of one card that are named

// Several cards of less memory than this are not bought or rented for a model.
constexpr double least_of_pair = 12, least_of_many = 24;

bool holds(const memory::Answer& answer) {
  return answer.verdict == memory::Verdict::fits || answer.verdict == memory::Verdict::tight;
}

std::optional<CardFit> try_card(const model::Model& model, memory::Request request,
                                const Accelerator& card, std::uint32_t count) {
  request.card = memory::card_memory(card, count);
  if (count > 1 && !request.training && request.placement.cards_per_replica() == 1) {
    const bool by_layers =
        request.engine.kind == EngineKind::llama_cpp || request.engine.kind == EngineKind::ollama;
    (by_layers ? request.placement.pp : request.placement.tp) = count;
  }
  auto answer = memory::size(model, request);
  if (!answer || !holds(*answer)) return std::nullopt;
  return CardFit{&card, count, std::move(*answer), {}, {}, {}};
}

// The rate that a quantised checkpoint asks for; empty when any card computes its format alike.
std::string_view rate_of(const model::Model& model) {
  const std::string& method = model.quantisation.method;
  if (contains_icase(method, "fp8")) return "fp8";
  return contains_icase(method, "fp4") ? "fp4" : "";
}

bool lacks_units(const Accelerator& card, std::string_view rate) {
  return !rate.empty() && facts::has_units(card, rate) == std::optional<bool>(false);
}

// The commonest card of a class that holds it, those with the units first, and its equals.
std::optional<CardFit> try_class(const model::Model& model, const memory::Request& request,
                                 const MemoryClass& of, std::uint32_t count) {
  const std::string_view rate = rate_of(model);
  std::vector<const Accelerator*> cards = of.cards;
  std::ranges::stable_partition(cards,
                                [&](const Accelerator* c) { return !lacks_units(*c, rate); });
  std::optional<CardFit> fit;
  for (const Accelerator* card : cards) {
    auto one = try_card(model, request, *card, count);
    if (!one) continue;
    if (fit) {
      if (!lacks_units(*card, rate)) fit->also.push_back(card);
      continue;
    }
    fit = std::move(one);
    if (lacks_units(*card, rate))
      fit->note = fmt::format("no {} units", rate == "fp8" ? "FP8" : "FP4");
  }
  return fit;
}

// vLLM plans its step for 256 sequences; for one user or a few a smaller card may do.
std::optional<CardFit> with_few_sequences(const model::Model& model, const memory::Request& request,
                                          const std::vector<MemoryClass>& classes, double below) {
  const bool plans = request.engine.kind == EngineKind::vllm && !request.training &&
                     !request.workload.max_num_seqs &&
                     request.workload.concurrency.value_or(1) <= few_sequences;
  if (!plans) return std::nullopt;
  memory::Request few = request;
  few.workload.max_num_seqs = few_sequences;
  for (const MemoryClass& one : classes) {
    if (one.gigabytes >= below) break;
    auto fit = try_class(model, few, one, 1);
    if (!fit) continue;
    fit->with = fmt::format("--max-num-seqs {}", few_sequences);
    return fit;
  }
  return std::nullopt;
}

// The smallest classes that need exactly `count` cards, at most `limit`; one that only just holds
// it does not count, for a little more would be too much for it.
void add_several(std::vector<CardFit>& fits, const model::Model& model,
                 const memory::Request& request, const std::vector<MemoryClass>& classes,
                 std::vector<bool>& held, std::uint32_t count, std::size_t limit) {
  std::size_t added = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const double least = count == 2 ? least_of_pair : least_of_many;
    if (held[i] || classes[i].gigabytes < least) continue;
    auto fit = try_class(model, request, classes[i], count);
    if (!fit) continue;
    held[i] = true;  // more of them would hold it too; they are not named again
    if (added >= limit) continue;
    if (fit->answer.verdict == memory::Verdict::fits) ++added;
    fits.push_back(std::move(*fit));
  }
}

}  // namespace

std::vector<CardFit> smallest_cards(const model::Model& model, const memory::Request& request,
                                    const facts::Catalogue& catalogue) {
  const std::vector<MemoryClass> classes = common_classes(catalogue);
  std::vector<CardFit> fits;
  std::vector<bool> held(classes.size(), false);
  const std::uint32_t asked = request.placement.cards_per_replica() * request.placement.dp;
  if (asked > 1) {
    // The placement was named: it says how many.
    add_several(fits, model, request, classes, held, asked, most_single);
    return fits;
  }
  double smallest = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    auto fit = try_class(model, request, classes[i], 1);
    held[i] = fit.has_value();
    if (!fit) continue;
    if (fits.empty()) smallest = classes[i].gigabytes;
    if (fits.size() < most_single) fits.push_back(std::move(*fit));
  }
  const double below = fits.empty() ? classes.empty() ? 0 : classes.back().gigabytes + 1 : smallest;
  if (auto few = with_few_sequences(model, request, classes, below)) {
    fits.insert(fits.begin(), std::move(*few));
  }
  const bool single = !fits.empty();
  // One card from a desk needs no company; from a data centre's top shelf it has cheaper rivals.
  constexpr double desk = 48;
  for (const std::uint32_t count : {2u, 4u, 8u}) {
    if (count > 2 && single && smallest <= desk) break;
    add_several(fits, model, request, classes, held, count, single ? 1 : 2);
  }
  for (const std::uint32_t count : {16u, 32u}) {
    if (fits.empty()) add_several(fits, model, request, classes, held, count, 2);
  }
  return fits;
}

}  // namespace steelyard::pick

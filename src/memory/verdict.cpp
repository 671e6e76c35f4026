#include "memory/verdict.h"

#include <fmt/format.h>

#include "memory/engines/engine.h"

namespace steelyard::memory {
namespace {

std::string sentence(const Answer& answer, const Rank& rank) {
  const std::string needs = format_bytes(rank.total.value);
  const std::string where = answer.ranks.size() > 1 ? " on " + rank.name : std::string();
  if (!answer.card) {
    return fmt::format("needs {} per card{}; no card was named to compare with", needs, where);
  }
  const CardMemory& card = *answer.card;
  const std::string offer = answer.budget.value == card.usable.value
                                ? format_bytes(answer.budget.value)
                                : fmt::format("{} of its {}", format_bytes(answer.budget.value),
                                              format_bytes(card.usable.value));
  const std::string_view article = card.name.starts_with("this ") ? "" : "the ";
  const std::string pair = fmt::format("needs {} per card{}, {}{} offers {}", needs, where, article,
                                       card.name.empty() ? "card" : card.name, offer);
  switch (answer.verdict) {
    case Verdict::fits:
      return fmt::format("{}: {} stay free", pair, format_bytes(rank.free.value));
    case Verdict::tight:
      return fmt::format("{}: only {} stay free, within the band of the estimate ({} to {})", pair,
                         format_bytes(rank.free.value), format_bytes(rank.total.low),
                         format_bytes(rank.total.high));
    default: {
      const bool near = rank.total.low <= answer.budget.high;
      return fmt::format("{}: {} too much{}", pair,
                         format_bytes(rank.total.value - answer.budget.value),
                         near ? fmt::format(", though the band of the estimate begins at {}",
                                            format_bytes(rank.total.low))
                              : "");
    }
  }
}

void take_least(std::optional<double>& into, const std::optional<double>& from) {
  if (from && (!into || *from < *into)) into = from;
}

}  // namespace

std::string_view verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::fits:
      return "fits";
    case Verdict::tight:
      return "tight";
    case Verdict::does_not_fit:
      return "does_not_fit";
    case Verdict::not_established:
      return "not_established";
  }
  return "not_established";
}

const Rank& Answer::binding() const {
  const Rank* most = &ranks.front();
  for (const Rank& rank : ranks) {
    if (rank.total.value > most->total.value) most = &rank;
  }
  return *most;
}

void bind_capacity(Capacity& whole, Capacity stage, bool first) {
  const bool fewer = stage.kv_tokens && (!whole.kv_tokens || *stage.kv_tokens < *whole.kv_tokens);
  if (first || fewer) std::swap(whole, stage);
  take_least(whole.kv_tokens_printed, stage.kv_tokens_printed);
  take_least(whole.max_concurrency, stage.max_concurrency);
  take_least(whole.max_context_tokens, stage.max_context_tokens);
}

void judge(Answer& answer) {
  for (Rank& rank : answer.ranks) {
    rank.total = ByteFigure::exact(Bytes(0));
    for (const Term& term : rank.terms) {
      if (term.name != "offloaded_to_host") rank.total = rank.total + term.bytes;
    }
    const ByteFigure& budget = answer.budget;
    rank.free = {budget.value - rank.total.value, budget.low - rank.total.high,
                 budget.high - rank.total.low, (budget + rank.total).origin};
  }
  const Rank& rank = answer.binding();
  if (!answer.card) {
    answer.verdict = Verdict::not_established;
  } else if (rank.total.value > answer.budget.value) {
    answer.verdict = Verdict::does_not_fit;
  } else if (rank.total.high > answer.budget.low ||
             rank.free.value.as_double() < tight_room * answer.budget.value.as_double()) {
    answer.verdict = Verdict::tight;
  } else {
    answer.verdict = Verdict::fits;
  }
  answer.reason = sentence(answer, rank);
}

}  // namespace steelyard::memory

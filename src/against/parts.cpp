#include "against/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace steelyard::against {

std::string_view standing_word(Standing standing) {
  switch (standing) {
    case Standing::agrees:
      return "agrees";
    case Standing::off:
      return "off";
    case Standing::open:
      return "not_compared";
  }
  return "not_compared";
}

std::vector<logs::Amount> amounts_of(const logs::StartupLog& log, logs::Term term, bool sums) {
  std::vector<logs::Amount> found;
  for (const logs::Amount& one : log.amounts) {
    if (one.term != term) continue;
    const auto same = std::ranges::find(found, one.where, &logs::Amount::where);
    if (same == found.end() || !sums) {
      found.push_back(one);
      continue;
    }
    same->bytes += one.bytes;
    same->rounding += one.rounding;
    if (same->words != one.words) same->words += ", " + one.words;
  }
  return found;
}

Spread spread_of(const std::vector<logs::Amount>& amounts) {
  Spread spread{.ranks = amounts.size()};
  if (amounts.empty()) return spread;
  const auto [least, most] = std::ranges::minmax_element(amounts, {}, &logs::Amount::bytes);
  spread.smallest = &*least;
  spread.largest = &*most;
  return spread;
}

std::optional<ByteFigure> largest(const memory::Answer& answer,
                                  std::initializer_list<std::string_view> terms) {
  std::optional<ByteFigure> most;
  for (const memory::Rank& rank : answer.ranks) {
    std::optional<ByteFigure> sum;
    for (const memory::Term& term : rank.terms) {
      if (std::ranges::find(terms, term.name) == terms.end()) continue;
      sum = sum ? *sum + term.bytes : term.bytes;
    }
    if (sum && (!most || sum->value > most->value)) most = sum;
  }
  return most;
}

void judge(Row& row, Tolerance tolerance) {
  if (!row.predicted) return;
  const double slack =
      std::max({row.rounding, tolerance.share * *row.predicted, tolerance.least.as_double()});
  const bool inside = row.logged >= row.low - slack && row.logged <= row.high + slack;
  row.standing = inside ? Standing::agrees : Standing::off;
}

Row row_of(std::string name, const logs::Amount& logged, const std::optional<ByteFigure>& predicted,
           Tolerance tolerance) {
  Row row{.name = std::move(name),
          .where = logged.where,
          .logged = logged.bytes.as_double(),
          .rounding = logged.rounding.as_double(),
          .line = logged.line,
          .words = logged.words};
  if (predicted) {
    row.predicted = predicted->value.as_double();
    row.low = predicted->low.as_double();
    row.high = predicted->high.as_double();
    row.origin = predicted->origin;
  }
  judge(row, tolerance);
  return row;
}

std::string ranks_words(std::size_t ranks) {
  return ranks > 1 ? fmt::format("{} ranks", ranks) : std::string();
}

Result<memory::Answer> with_pool(const Start& start, const Pool& pool) {
  memory::Request request = start.request;
  request.workload.kv_cache_memory = pool.bytes;
  return memory::size(start.model, request);
}

Status fill_room(const Start& start, const Pool& pool, const std::vector<Row>& rows,
                 Comparison& out) {
  memory::Request request = start.request;
  memory::Workload& w = request.workload;
  if (start.question.context) w.context = start.question.context;
  w.concurrency = start.question.concurrency.value_or(1);
  // The answer without the logged pool is what the user would have been told.
  auto before = memory::size(start.model, request);
  if (!before) return std::unexpected(before.error());
  w.kv_cache_memory = pool.bytes;
  auto real = memory::size(start.model, request);
  if (!real) return std::unexpected(real.error());
  Room& room = out.room;
  room.pool = pool.bytes;
  room.pool_line = pool.line;
  room.context = real->context;
  room.concurrency = *w.concurrency;
  room.predicted_tokens = before->capacity.kv_tokens;
  room.predicted_sequences = before->capacity.max_concurrency;
  // Where the log counts other tokens in the same bytes than the rules do, the log is right.
  double factor = 1;
  for (const Row& row : rows) {
    if (row.name == "pool_tokens" && row.standing == Standing::off && *row.predicted > 0) {
      factor = row.logged / *row.predicted;
    }
  }
  const auto scaled = [&](const std::optional<double>& value) {
    return value ? std::optional(*value * factor) : std::nullopt;
  };
  room.tokens = scaled(real->capacity.kv_tokens);
  room.sequences = scaled(real->capacity.max_concurrency);
  if (w.max_num_seqs && room.sequences) {
    room.sequences = std::min(*room.sequences, static_cast<double>(*w.max_num_seqs));
  }
  room.longest = real->capacity.max_context_tokens;
  if (factor != 1 && room.tokens) {
    const double most =
        start.model.max_context > 0 ? static_cast<double>(start.model.max_context) : *room.tokens;
    room.longest = std::min(most, *room.tokens / static_cast<double>(room.concurrency));
  }
  room.started_for = start.request.workload.context.value_or(0);
  room.reason = real->capacity.reason;
  return {};
}

}  // namespace steelyard::against

// vLLM and SGLang: weights, what a step needs, and the pool that is left.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "against/parts.h"

namespace steelyard::against {
namespace {

using logs::Counted;
using logs::Setting;
using logs::Term;

// What stays beside the tensors when they are loaded: rotary tables, padded shards.
const Tolerance weights_tolerance{.share = 0.02, .least = mib(32)};
const Tolerance pool_tolerance{.share = 0.01, .least = mib(64)};

void add_largest(const Start& start, Term term, std::string name,
                 const std::optional<ByteFigure>& predicted, Tolerance tolerance,
                 std::vector<Row>& rows) {
  const auto amounts = amounts_of(start.log, term, term == Term::graphs);
  const Spread spread = spread_of(amounts);
  if (spread.largest == nullptr) return;
  Row row = row_of(std::move(name), *spread.largest, predicted, tolerance);
  row.where = ranks_words(spread.ranks);
  rows.push_back(std::move(row));
}

const logs::Count* least_count(const logs::StartupLog& log, Counted what) {
  const logs::Count* least = nullptr;
  for (const logs::Count& one : log.counts) {
    if (one.what == what && (least == nullptr || one.value < least->value)) least = &one;
  }
  return least;
}

Row count_row(std::string name, Unit unit, const logs::Count& logged,
              const std::optional<double>& predicted, const Pool& pool) {
  Row row{.name = std::move(name),
          .where = "",
          .unit = unit,
          .logged = logged.value,
          .rounding = logged.rounding,
          .line = logged.line,
          .words = logged.words,
          .predicted = predicted};
  if (predicted) {
    // The pool is known as far as the log rounds it, and is cut to whole blocks.
    const double share =
        pool.bytes.value() > 0 ? pool.rounding.as_double() / pool.bytes.as_double() : 0;
    row.low = *predicted * (1 - share);
    row.high = *predicted * (1 + share);
  }
  judge(row, {.share = 0.01, .least = Bytes(0)});
  return row;
}

std::optional<Pool> logged_pool(const logs::StartupLog& log) {
  auto amounts = amounts_of(log, Term::kv_pool, log.program == logs::Program::sglang);
  const auto states = amounts_of(log, Term::states, true);
  for (logs::Amount& one : amounts) {
    const auto own = std::ranges::find(states, one.where, &logs::Amount::where);
    if (own == states.end()) continue;
    one.bytes += own->bytes;
    one.rounding += own->rounding;
  }
  const Spread spread = spread_of(amounts.empty() ? states : amounts);
  if (spread.smallest == nullptr) return std::nullopt;
  return Pool{spread.smallest->bytes, spread.smallest->rounding, spread.smallest->line};
}

void add_pool_row(const Start& start, const memory::Answer& predicted, const Pool& pool,
                  std::vector<Row>& rows) {
  const auto amounts = amounts_of(start.log, Term::kv_pool, true);
  const bool known = predicted.capacity.kv_bytes.value.value() > 0;
  logs::Amount logged{.term = Term::kv_pool,
                      .where = ranks_words(amounts.size()),
                      .bytes = pool.bytes,
                      .rounding = pool.rounding,
                      .line = pool.line,
                      .words = ""};
  for (const logs::Amount& one : amounts) {
    if (one.line == pool.line) logged.words = one.words;
  }
  Row row =
      row_of("kv_pool", logged, known ? std::optional(predicted.capacity.kv_bytes) : std::nullopt,
             pool_tolerance);
  if (!known) {
    row.why = start.request.card ? "nothing is predicted to be left for it"
                                 : "name the card (--gpu) to predict it: the log has no total";
  }
  rows.push_back(std::move(row));
}

// What is neither weights nor pool, where vLLM does not print its parts: of the budget, what is
// left beside both.
void add_rest(const Start& start, const memory::Answer& predicted, const Pool& pool,
              std::vector<Row>& rows) {
  const auto weights = amounts_of(start.log, Term::weights, false);
  const Spread spread = spread_of(weights);
  const bool printed = start.log.amount(Term::activations) != nullptr;
  if (printed || !start.request.card || spread.largest == nullptr) return;
  if (start.log.option(Setting::fixed_pool) != nullptr) return;
  const ByteFigure& budget = predicted.budget;
  const Bytes beside = spread.largest->bytes + pool.bytes;
  const auto rest = largest(predicted, {"activations", "logits", "encoder_cache", "runtime",
                                        "communication", "cuda_graphs"});
  if (!rest || budget.value <= beside) return;
  Row row{.name = "activations_and_runtime",
          .where = "",
          .logged = (budget.value - beside).as_double(),
          .rounding = (spread.largest->rounding + pool.rounding).as_double() +
                      (budget.high - budget.low).as_double() / 2,
          .line = pool.line,
          .words = "",
          .predicted = rest->value.as_double(),
          .low = rest->low.as_double(),
          .high = rest->high.as_double(),
          .origin = rest->origin};
  judge(row, pool_tolerance);
  rows.push_back(std::move(row));
}

double block_tokens(const logs::StartupLog& log) {
  const logs::Option* option = log.option(Setting::block_size);
  double tokens = 16;
  if (option == nullptr) return tokens;
  const std::string& text = option->value;
  std::from_chars(text.data(), text.data() + text.size(), tokens);
  return tokens;
}

void add_vllm_counts(const Start& start, const memory::Answer& real, const Pool& pool,
                     std::vector<Row>& rows) {
  const logs::Count* printed = least_count(start.log, Counted::pool_tokens);
  if (printed != nullptr) {
    rows.push_back(
        count_row("pool_tokens", Unit::tokens, *printed, real.capacity.kv_tokens_printed, pool));
  } else if (const logs::Count* blocks = least_count(start.log, Counted::gpu_blocks)) {
    logs::Count tokens = *blocks;
    tokens.value *= block_tokens(start.log);
    rows.push_back(
        count_row("pool_tokens", Unit::tokens, tokens, real.capacity.kv_tokens_printed, pool));
  }
  const logs::Count* sequences = least_count(start.log, Counted::concurrency);
  const logs::Count* length = least_count(start.log, Counted::concurrency_length);
  if (sequences == nullptr || length == nullptr || length->value < 1) return;
  // It stands for the engine's own length; another that was asked is another question.
  if (real.context != static_cast<std::uint64_t>(length->value)) return;
  std::optional<double> predicted;
  if (real.capacity.kv_tokens) predicted = *real.capacity.kv_tokens / length->value;
  Row row = count_row("concurrency", Unit::sequences, *sequences, predicted, pool);
  row.words = fmt::format("{:.0f} tokens per request: {:.2f}x", length->value, sequences->value);
  rows.push_back(std::move(row));
}

}  // namespace

Result<std::vector<Row>> rows_vllm(const Start& start, Comparison& out) {
  const memory::Answer& predicted = out.predicted;
  std::vector<Row> rows;
  add_largest(start, Term::budget, "budget",
              start.request.card ? std::optional(predicted.budget) : std::nullopt, pool_tolerance,
              rows);
  add_largest(start, Term::weights, "weights", largest(predicted, {"weights", "draft", "adapters"}),
              weights_tolerance, rows);
  add_largest(start, Term::activations, "activations",
              largest(predicted, {"activations", "logits", "encoder_cache"}), pool_tolerance, rows);
  add_largest(start, Term::non_torch, "runtime", largest(predicted, {"runtime", "communication"}),
              pool_tolerance, rows);
  const auto graphs = largest(predicted, {"cuda_graphs"});
  add_largest(start, Term::graphs_estimate, "cuda_graphs", graphs, pool_tolerance, rows);
  const auto pool = logged_pool(start.log);
  if (pool) {
    add_rest(start, predicted, *pool, rows);
    add_pool_row(start, predicted, *pool, rows);
    auto real = with_pool(start, *pool);
    if (!real) return std::unexpected(real.error());
    add_vllm_counts(start, *real, *pool, rows);
    if (auto filled = fill_room(start, *pool, rows, out); !filled) {
      return std::unexpected(filled.error());
    }
  } else {
    add_vllm_counts(start, predicted, {}, rows);
    out.room.reason = "the log has no size of the pool";
    if (const logs::Count* tokens = least_count(start.log, Counted::pool_tokens)) {
      out.room.tokens = tokens->value;
    }
  }
  const bool apart = !graphs.has_value();
  add_largest(start, Term::graphs, apart ? "cuda_graphs" : "cuda_graphs_captured", std::nullopt, {},
              rows);
  if (!rows.empty() && rows.back().standing == Standing::open && rows.back().why.empty()) {
    rows.back().why = apart ? "this version captures them beside its budget, when the pool stands"
                            : "captured when the pool stands; the estimate was set aside";
  }
  return rows;
}

Result<std::vector<Row>> rows_sglang(const Start& start, Comparison& out) {
  const memory::Answer& predicted = out.predicted;
  std::vector<Row> rows;
  add_largest(start, Term::weights, "weights", largest(predicted, {"weights"}), weights_tolerance,
              rows);
  const auto pool = logged_pool(start.log);
  if (pool) {
    add_pool_row(start, predicted, *pool, rows);
    auto real = with_pool(start, *pool);
    if (!real) return std::unexpected(real.error());
    if (const logs::Count* tokens = least_count(start.log, Counted::pool_tokens)) {
      rows.push_back(
          count_row("pool_tokens", Unit::tokens, *tokens, real->capacity.kv_tokens_printed, *pool));
    }
    if (auto filled = fill_room(start, *pool, rows, out); !filled) {
      return std::unexpected(filled.error());
    }
  } else {
    out.room.reason = "the log has no size of the pool";
    if (const logs::Count* tokens = least_count(start.log, Counted::pool_tokens)) {
      rows.push_back(
          count_row("pool_tokens", Unit::tokens, *tokens, predicted.capacity.kv_tokens, {}));
      // Their number is known where their bytes are not.
      out.room.tokens = tokens->value;
      out.room.context = start.question.context.value_or(predicted.context);
      if (out.room.context > 0) {
        out.room.sequences = tokens->value / static_cast<double>(out.room.context);
      }
    }
  }
  // Graphs come out of what its fraction keeps from the pool; how much they take moves no token.
  add_largest(start, Term::graphs, "cuda_graphs", std::nullopt, {}, rows);
  if (!rows.empty() && rows.back().standing == Standing::open && rows.back().why.empty()) {
    const logs::Amount* left = start.log.amount(Term::card_left);
    rows.back().why = "taken from what mem_fraction_static keeps from the pool";
    if (left != nullptr) {
      rows.back().why +=
          fmt::format(": {} were free behind it (line {})", format_bytes(left->bytes), left->line);
    }
  }
  return rows;
}

}  // namespace steelyard::against

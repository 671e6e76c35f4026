#include "logs/starts.h"

#include <fmt/format.h>

#include <algorithm>

namespace steelyard::logs {
namespace {

// More figures than any placement prints: not a start-up log, or one made to fill the memory.
constexpr std::size_t most_figures = 8192;
constexpr std::size_t most_remarks = 16;
// No machine has more in one piece.
constexpr double most_bytes = 1125899906842624.0;  // 1 PiB
constexpr double most_counted = 1e13;

}  // namespace

Error absurd(const Line& line, std::string_view words) {
  return {.kind = ErrorKind::bad_input,
          .what = fmt::format("\"{}\" is more than any machine has", words),
          .field = fmt::format("line {}", line.number),
          .try_this = "give the log as the engine wrote it"};
}

bool complete(const StartupLog& start) {
  return start.amount(Term::kv_pool) != nullptr || start.amount(Term::kv_buffer) != nullptr ||
         start.amount(Term::recurrent_buffer) != nullptr || start.amount(Term::states) != nullptr ||
         start.count(Counted::pool_tokens) != nullptr ||
         start.count(Counted::gpu_blocks) != nullptr;
}

void Starts::begin(const Line& line) {
  if (complete(now_)) {
    kept_ = std::move(now_);
    has_kept_ = true;
  }
  const Program program = has_kept_ ? kept_.program : now_.program;
  now_ = StartupLog{.program = program, .first_line = line.number};
  if (has_kept_ && program == Program::ollama) now_.version = kept_.version;
  ++starts_;
  ready_ = false;
  if (!seen_) first_ = line.number;
  seen_ = true;
}

Status Starts::room(const Line& line) const {
  if (now_.amounts.size() + now_.counts.size() < most_figures) return {};
  return fail({.kind = ErrorKind::too_large,
               .what = fmt::format("one start with more than {} figures", most_figures),
               .field = fmt::format("line {}", line.number),
               .try_this = "give the log of one start, from the engine's first line on"});
}

Status Starts::put(const Line& line, Amount amount, bool replaces) {
  if (ready_) return {};
  if (!seen_) begin(line);
  amount.line = line.number;
  if (replaces) {
    std::erase_if(now_.amounts, [&](const Amount& known) {
      return known.term == amount.term && known.where == amount.where;
    });
  }
  if (auto enough = room(line); !enough) return enough;
  now_.amounts.push_back(std::move(amount));
  return {};
}

Status Starts::add(const Line& line, Term term, std::string where, std::string_view before,
                   bool replaces, std::string_view from) {
  const std::size_t at = line.text.find(before);
  if (at == std::string_view::npos) return {};
  const auto number = number_at(line.text, at + before.size());
  if (!number) return {};
  const auto unit = unit_at(line.text, number->end);
  if (!unit) return {};
  const std::size_t start = from.empty() ? at : std::min(line.text.find(from), at);
  const std::string words =
      quoted(line.text, start, line.text.find_first_of(" ,;)", number->end + 1));
  if (number->value * *unit > most_bytes) return fail(absurd(line, words));
  if (number->negative) {
    // A negative pool is why it did not start; other terms are a profile that others disturbed.
    if (term == Term::kv_pool) {
      failure(line);
    } else {
      note(line, words + ": less than nothing, not compared");
    }
    return {};
  }
  return put(line,
             {.term = term,
              .where = std::move(where),
              .bytes = bytes_from(number->value * *unit),
              .rounding = bytes_from(number->rounding * *unit),
              .words = words},
             replaces);
}

Status Starts::count(const Line& line, Counted what, std::string where, std::string_view before) {
  const std::size_t at = line.text.find(before);
  if (ready_ || at == std::string_view::npos) return {};
  const auto number = number_at(line.text, at + before.size());
  if (!number || number->negative) return {};
  const std::string words = quoted(line.text, at, number->end);
  if (number->value > most_counted) return fail(absurd(line, words));
  if (!seen_) begin(line);
  std::erase_if(now_.counts,
                [&](const Count& known) { return known.what == what && known.where == where; });
  if (auto enough = room(line); !enough) return enough;
  now_.counts.push_back({.what = what,
                         .where = std::move(where),
                         .value = number->value,
                         .rounding = number->rounding,
                         .line = line.number,
                         .words = words});
  return {};
}

void Starts::set(const Line& line, Setting setting, std::string value) {
  if (ready_ || value.empty()) return;
  if (!seen_) begin(line);
  const auto known = std::ranges::find(now_.options, setting, &Option::setting);
  if (known == now_.options.end()) {
    now_.options.push_back({setting, std::move(value), line.number});
  } else {
    *known = {setting, std::move(value), line.number};
  }
}

void Starts::version(const Line& line, std::string text) {
  if (ready_ || text.empty()) return;
  if (!seen_) begin(line);
  now_.version = std::move(text);
  now_.version_line = line.number;
}

void Starts::failure(const Line& line) {
  if (ready_ || now_.failures.size() >= most_remarks) return;
  if (!seen_) begin(line);
  now_.failures.push_back({line.number, one_line(trim(line.text).substr(0, 240))});
}

void Starts::note(const Line& line, std::string words) {
  if (ready_ || now_.notes.size() >= most_remarks) return;
  if (!seen_) begin(line);
  now_.notes.push_back({line.number, std::move(words)});
}

namespace {

// The size of a group of ranks from their names, where no option says it: "TP3" is the fourth.
void add_group(StartupLog& log, std::string_view axis, Setting setting) {
  if (log.option(setting) != nullptr) return;
  double most = 0;
  std::uint64_t line = 0;
  for (const Amount& one : log.amounts) {
    for (const std::string_view part : split(one.where, ' ')) {
      if (!part.starts_with(axis)) continue;
      const auto index = number_at(part, axis.size());
      if (!index || index->value < most || index->value > 65535) continue;
      most = index->value;
      line = one.line;
    }
  }
  if (most > 0) log.options.push_back({setting, fmt::format("{:.0f}", most + 1), line});
}

void add_groups(StartupLog& log) {
  if (log.program != Program::vllm && log.program != Program::sglang) return;
  add_group(log, "TP", Setting::tp);
  add_group(log, "PP", Setting::pp);
}

}  // namespace

StartupLog Starts::finish() {
  add_groups(now_);
  add_groups(kept_);
  now_.complete = complete(now_);
  const std::uint64_t starts = std::max<std::uint64_t>(1, starts_);
  if (!now_.complete && has_kept_) {
    kept_.later_failed = now_.first_line;
    kept_.complete = true;
    kept_.starts = starts;
    return std::move(kept_);
  }
  now_.starts = starts;
  return std::move(now_);
}

}  // namespace steelyard::logs

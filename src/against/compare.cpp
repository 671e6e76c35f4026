// The same start predicted and logged, side by side.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "against/parts.h"

namespace steelyard::against {
namespace {

Error not_complete(const logs::StartupLog& log) {
  std::string what =
      fmt::format("{} did not come as far as its KV pool", logs::program_name(log.program));
  if (!log.failures.empty()) {
    const logs::Remark& first = log.failures.front();
    what += fmt::format("; line {}: \"{}\"", first.line, first.words);
  } else if (!log.amounts.empty()) {
    const logs::Amount& last = log.amounts.back();
    what += fmt::format("; the last figure is \"{}\" (line {})", last.words, last.line);
  }
  return {.kind = ErrorKind::bad_input,
          .what = what,
          .field = fmt::format("line {}", log.failures.empty()
                                              ? std::max<std::uint64_t>(1, log.first_line)
                                              : log.failures.front().line),
          .try_this =
              "give a start that serves; for one that fails, `steelyard size` with its "
              "options and --gpu says what does not fit"};
}

std::string signed_percent(double share) {
  return fmt::format("{:+.1f} %", share * 100);
}

void conclude(Comparison& out) {
  std::vector<std::string> off;
  std::size_t compared = 0;
  for (const Row& row : out.rows) {
    if (row.standing == Standing::open) continue;
    ++compared;
    if (row.standing != Standing::off) continue;
    const std::string where = row.where.empty() ? "" : " of " + row.where;
    off.push_back(row.predicted && *row.predicted > 0
                      ? fmt::format("{}{} {}", row.name, where, signed_percent(row.off()))
                      : fmt::format("{}{}", row.name, where));
  }
  std::ranges::for_each(off, [](std::string& text) { std::ranges::replace(text, '_', ' '); });
  if (compared == 0) {
    out.standing = Standing::open;
    out.reason = "no figure of the log has a prediction beside it";
  } else if (off.empty()) {
    out.standing = Standing::agrees;
    out.reason = fmt::format("all {} figures are as predicted", compared);
  } else {
    out.standing = Standing::off;
    out.reason =
        fmt::format("{} of {} figures are off: {}", off.size(), compared, fmt::join(off, ", "));
  }
}

void add_notes(const logs::StartupLog& log, Comparison& out) {
  if (log.starts > 1) {
    out.notes.push_back(
        fmt::format("{} starts are in the log: this is the last that came as far "
                    "as its pool, from line {} on",
                    log.starts, log.first_line));
  }
  if (log.later_failed > 0) {
    out.notes.push_back(
        fmt::format("a later start, from line {} on, did not come so far", log.later_failed));
  }
  for (const logs::Remark& note : log.notes) {
    out.notes.push_back(fmt::format("line {}: {}", note.line, note.words));
  }
  for (const logs::Remark& failure : log.failures) {
    out.notes.push_back(fmt::format("line {}: \"{}\"", failure.line, failure.words));
  }
  if (!out.predicted.refusal.empty()) {
    out.notes.push_back(fmt::format("predicted to refuse, but the log shows that it starts: {}",
                                    out.predicted.refusal));
  }
  if (log.version.empty() && !out.predicted.engine.version) {
    out.notes.push_back(
        "the log does not say which version wrote it: the newest rules are taken "
        "unless --engine NAME@VERSION says more");
  }
}

}  // namespace

Result<Comparison> compare(const Start& start) {
  if (!start.log.complete) return fail(not_complete(start.log));
  auto predicted = memory::size(start.model, start.request);
  if (!predicted) return std::unexpected(predicted.error());
  Comparison out;
  out.log = start.log;
  out.predicted = std::move(*predicted);
  out.conflicts = start.conflicts;
  out.taken = start.taken;
  const logs::Program program = start.log.program;
  auto rows = program == logs::Program::vllm     ? rows_vllm(start, out)
              : program == logs::Program::sglang ? rows_sglang(start, out)
                                                 : rows_llama_cpp(start, out);
  if (!rows) return std::unexpected(rows.error());
  out.rows = std::move(*rows);
  explain(start, out);
  conclude(out);
  add_notes(start.log, out);
  return out;
}

}  // namespace steelyard::against

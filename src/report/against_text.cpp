// A log beside the prediction, one line a figure.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/against.h"
#include "report/words.h"
#include "report/wrap.h"

namespace steelyard::report {
namespace {

using against::Standing;
using against::Unit;

std::string painted(Standing standing, bool color) {
  const std::string label(say(standing == Standing::agrees ? Word::against_agrees
                              : standing == Standing::off  ? Word::against_off
                                                           : Word::against_open));
  if (!color) return label;
  const char* code = standing == Standing::agrees ? "32" : standing == Standing::off ? "31" : "33";
  return fmt::format("\033[1;{}m{}\033[0m", code, label);
}

std::string whole(double value) {
  return with_commas(static_cast<std::uint64_t>(std::max(0.0, std::floor(value))));
}

std::string figure(double value, Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return format_bytes(bytes_from(value));
    case Unit::tokens:
      return whole(value);
    case Unit::sequences:
      return fmt::format("{:.2f}", value);
  }
  return "";
}

std::string label_of(const against::Row& row) {
  std::string name(term_label(row.name));
  std::ranges::replace(name, '_', ' ');
  return row.where.empty() ? name : fmt::format("{} {}", row.where, name);
}

std::string percent_of(const against::Row& row) {
  const double percent = std::round(row.off() * 1000) / 10;
  return percent == 0 ? "0.0 %" : fmt::format("{:+.1f} %", percent);
}

std::string standing_of(const against::Row& row) {
  if (row.standing == Standing::open) return "not compared";
  const bool far = row.predicted && *row.predicted > 0;
  const std::string percent = far ? " " + percent_of(row) : std::string();
  if (row.standing == Standing::off) return "OFF" + percent;
  if (std::abs(row.off()) <= 0.02) return "agrees" + percent;
  // A figure may be far from the value and still where the band or a few MiB put it.
  if (row.high > row.low) return fmt::format("agrees{}, in its band", percent);
  return fmt::format("agrees, {} apart",
                     figure(std::abs(row.logged - row.predicted.value_or(0)), row.unit));
}

std::string predicted_of(const against::Row& row) {
  if (!row.predicted) return "-";
  return figure(*row.predicted, row.unit);
}

void add_rows(std::string& text, const against::Comparison& comparison, bool explain) {
  text += fmt::format("\n  {:<24} {:>11} {:>11} {:>7}\n", "", "logged", "predicted", "line");
  for (const against::Row& row : comparison.rows) {
    text +=
        fmt::format("  {:<24} {:>11} {:>11} {:>7}  {}\n", label_of(row),
                    figure(row.logged, row.unit), predicted_of(row), row.line, standing_of(row));
    if (explain && row.predicted && row.high > row.low) {
      text += fmt::format("      predicted {} to {}\n", figure(row.low, row.unit),
                          figure(row.high, row.unit));
    }
    if (explain && !row.words.empty()) text += fmt::format("      \"{}\"\n", row.words);
    if (!row.why.empty()) text += fmt::format("      {}\n", wrapped(row.why, 6, 6));
  }
}

void add_line(std::string& text, std::string_view title, std::string_view line) {
  text += fmt::format("  {:<10}{}\n", title, wrapped(line, 12, 12));
}

void add_room(std::string& text, const against::Comparison& comparison) {
  const against::Room& room = comparison.room;
  std::string line;
  const auto add = [&](std::string part) { line += (line.empty() ? "" : "; ") + std::move(part); };
  if (room.pool) {
    add(fmt::format("{} of cache (line {})", format_bytes(*room.pool), room.pool_line));
  }
  if (room.tokens) add(fmt::format("{} tokens", whole(*room.tokens)));
  if (room.sequences) {
    add(fmt::format("{:.1f} sequences of {} tokens at once", *room.sequences,
                    with_commas(room.context)));
  }
  if (room.with_slots && room.sequences && *room.with_slots > *room.sequences) {
    line += fmt::format(" (its cache would hold {} in as many slots)", whole(*room.with_slots));
  }
  if (room.longest) {
    std::string part = fmt::format("longest context {} tokens with {} at once",
                                   whole(*room.longest), room.concurrency);
    if (room.started_for > 0 && std::floor(*room.longest) > static_cast<double>(room.started_for)) {
      part += fmt::format(" (started for {})", with_commas(room.started_for));
    }
    add(std::move(part));
  }
  if (!line.empty()) text += "\n", add_line(text, "has room", line);
  if (room.predicted_tokens && room.predicted_sequences) {
    add_line(text, "predicted",
             fmt::format("{} tokens; {:.1f} sequences of {} tokens without the log's pool",
                         whole(*room.predicted_tokens), *room.predicted_sequences,
                         with_commas(room.context)));
  }
  if (room.left && room.more_tokens) {
    add_line(text, "left",
             fmt::format("{} of the fullest card beside its buffers, before the driver's own: at "
                         "most {} more tokens",
                         format_bytes(*room.left), whole(*room.more_tokens)));
  }
  if (!room.reason.empty()) add_line(text, "room", room.reason);
}

void add_settings(std::string& text, const AgainstDocument& document) {
  const against::Comparison& comparison = document.comparison;
  for (const against::Conflict& one : comparison.conflicts) {
    // Cards are as many as the log's ranks need; of all else the user's word stands.
    const std::string_view which = one.option == "--gpu" ? "the log's is taken" : "it is taken";
    add_line(text, say(Word::warning),
             fmt::format("{} {} was given, the log says {} (line {}): {}", one.option, one.given,
                         one.logged, one.line, which));
  }
  std::string taken;
  for (const against::Taken& one : comparison.taken) {
    taken +=
        fmt::format("{}{} {} (line {})", taken.empty() ? "" : ", ", one.name, one.value, one.line);
  }
  if (!taken.empty()) add_line(text, "from log", taken);
  for (const against::Taken& one : comparison.taken) {
    if (!one.tokens_without || !one.pool_without) continue;
    const std::string other =
        one.pool_without->value() == 0
            ? std::string("left no pool")
            : fmt::format("predicted a pool of {}, {} tokens", format_bytes(*one.pool_without),
                          whole(*one.tokens_without));
    add_line(text, "corrected",
             fmt::format("{} {} (line {}): the default would have {}", one.name, one.value,
                         one.line, other));
  }
  for (const memory::Assumption& item : comparison.predicted.assumptions) {
    if (item.origin == Origin::exact) continue;
    add_line(text, say(Word::assumed),
             fmt::format("{} {} ({})", item.name, item.value, origin_word(item.origin)));
  }
  if (comparison.predicted.card) {
    const memory::CardMemory& card = *comparison.predicted.card;
    add_line(text, "card",
             fmt::format("{}, {}: {}", card.name, format_bytes(card.usable.value), card.basis));
  }
  for (const std::string& warning : comparison.predicted.warnings) {
    add_line(text, say(Word::warning), warning);
  }
  for (const std::string& note : document.model.notes) add_line(text, say(Word::note), note);
  for (const std::string& note : comparison.notes) add_line(text, say(Word::note), note);
}

}  // namespace

std::string against_text(const AgainstDocument& document, TextStyle style) {
  const against::Comparison& comparison = document.comparison;
  const std::string engine =
      fmt::format("{}{}{}", logs::program_name(comparison.log.program),
                  comparison.log.version.empty() ? "" : " ", comparison.log.version);
  std::string text = fmt::format(
      "{}  {}\n", painted(comparison.standing, style.color),
      wrapped(fmt::format("{} on {}: {}", document.model.name, engine, comparison.reason), 8, 8));
  if (style.quiet) return text;
  add_rows(text, comparison, style.explain);
  add_room(text, comparison);
  text += "\n";
  add_settings(text, document);
  return text;
}

}  // namespace steelyard::report

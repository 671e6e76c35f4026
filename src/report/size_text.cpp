// The text answer, in the order verdict, sum, what would fit, assumptions, next command.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/quality.h"
#include "report/size.h"
#include "report/words.h"
#include "report/wrap.h"

namespace steelyard::report {
namespace {

using memory::Verdict;

Word verdict_label(Verdict verdict) {
  switch (verdict) {
    case Verdict::fits:
      return Word::yes;
    case Verdict::tight:
      return Word::tight;
    case Verdict::does_not_fit:
      return Word::no;
    case Verdict::not_established:
      return Word::not_judged;
  }
  return Word::not_judged;
}

std::string painted(Verdict verdict, bool color) {
  const std::string label(say(verdict_label(verdict)));
  if (!color) return label;
  const char* code = verdict == Verdict::fits           ? "32"
                     : verdict == Verdict::does_not_fit ? "31"
                                                        : "33";
  return fmt::format("\033[1;{}m{}\033[0m", code, label);
}

// "[exact]", "[predicted 1.10-1.90 GiB]".
std::string tag(const ByteFigure& figure) {
  std::string word(origin_word(figure.origin));
  std::ranges::replace(word, '_', ' ');
  if (figure.low == figure.high) return fmt::format("[{}]", word);
  return fmt::format("[{} {} - {}]", word, format_bytes(figure.low), format_bytes(figure.high));
}

void add_rank(std::string& text, const memory::Rank& rank, bool name_it, bool explain) {
  if (name_it) {
    text += fmt::format("\n  {}{}\n", rank.name,
                        rank.repeats > 1 ? fmt::format(" ({} alike)", rank.repeats) : "");
  }
  for (const memory::Term& term : rank.terms) {
    if (term.bytes.high == Bytes(0)) continue;
    text += fmt::format("  {:<16} {:>9}  {}\n", term_label(term.name),
                        format_bytes(term.bytes.value), tag(term.bytes));
    if (!term.formula.empty()) {
      text += fmt::format("  {:<16} {:>9}  {}\n", "", "",
                          wrapped(explain ? "= " + term.formula : term.formula, 30, 30));
    }
  }
  const auto line = [&](std::string_view label, const ByteFigure& bytes, std::string_view what) {
    text += fmt::format("  {:<16} {:>9}  {}\n", label, format_bytes(bytes.value), tag(bytes));
    if (!what.empty()) text += fmt::format("  {:<16} {:>9}  {}\n", "", "", what);
  };
  line("total", rank.total, rank.process ? "the allocator's peak, torch's max allocated" : "");
  if (rank.reserved) line(say(Word::reserved), *rank.reserved, "what the allocator keeps of it");
  if (rank.process) line(say(Word::process), *rank.process, "what nvidia-smi shows");
  if (rank.host > Bytes(0) && rank.process) line(say(Word::host), ByteFigure::exact(rank.host), "");
}

void add_rule(std::string& text, const RuleOfThumb& rule) {
  if (rule.rule.empty()) return;
  text += fmt::format(
      "  {:<9}{}\n", "rule",
      wrapped(fmt::format("{} = {}: {}", rule.rule, format_bytes(rule.bytes), rule.verdict), 11,
              11));
}

void add_training(std::string& text, const memory::TrainingFigures& run) {
  std::vector<std::string> parts;
  if (run.largest_micro_batch) {
    parts.push_back(fmt::format("largest micro-batch {} at this length",
                                with_commas(*run.largest_micro_batch)));
  }
  if (run.longest_sequence) {
    parts.push_back(fmt::format("longest sequence {} tokens at this micro-batch",
                                with_commas(*run.longest_sequence)));
  }
  if (!parts.empty()) {
    text += fmt::format("\n  {:<9}{}\n", say(Word::capacity),
                        wrapped(fmt::format("{}", fmt::join(parts, "; ")), 11, 11));
  }
  for (const memory::TrainingRule& rule : run.rules) {
    add_rule(text, {rule.rule, rule.bytes, rule.verdict});
  }
}

void add_capacity(std::string& text, const memory::Answer& answer) {
  const memory::Capacity& room = answer.capacity;
  // A pool that is not there has no room to tell about.
  if (answer.card && room.kv_bytes.value == Bytes(0) && room.kv_tokens.value_or(0) == 0) return;
  std::vector<std::string> parts;
  if (room.kv_bytes.value > Bytes(0)) {
    parts.push_back(fmt::format("KV pool {}", format_bytes(room.kv_bytes.value)));
  }
  if (room.kv_tokens) {
    parts.push_back(
        fmt::format("{} tokens", with_commas(static_cast<std::uint64_t>(*room.kv_tokens))));
  }
  if (room.kv_tokens_printed && room.kv_tokens &&
      std::abs(*room.kv_tokens_printed - *room.kv_tokens) > 0.02 * *room.kv_tokens) {
    parts.push_back(fmt::format("its log prints {} tokens",
                                with_commas(static_cast<std::uint64_t>(*room.kv_tokens_printed))));
  }
  if (room.max_concurrency) {
    const bool replicas = answer.placement.dp * answer.placement.attention_dp > 1;
    parts.push_back(fmt::format("{:.1f} sequences of this length at once{}", *room.max_concurrency,
                                replicas ? " on each replica" : ""));
  }
  if (room.max_context_tokens) {
    parts.push_back(fmt::format("longest context {} tokens at this concurrency",
                                with_commas(static_cast<std::uint64_t>(*room.max_context_tokens))));
  }
  if (parts.empty()) {
    if (!room.reason.empty())
      text += fmt::format("\n  {:<9}{}\n", say(Word::capacity), wrapped(room.reason, 11, 11));
    return;
  }
  text += fmt::format("\n  {:<9}{}\n", say(Word::capacity),
                      wrapped(fmt::format("{}", fmt::join(parts, "; ")), 11, 11));
}

// "RTX PRO 6000 (96 GB)": what a shop calls it, for editions do not differ in what they hold.
std::string shop_name(const facts::Accelerator& card) {
  const std::string name = card.name.substr(0, card.name.find(" Blackwell"));
  if (name.find("GB") != std::string::npos || card.sold_as_gb == 0) return name;
  return fmt::format("{} ({:g} GB)", name, card.sold_as_gb);
}

// One size of memory: the commonest card, and in brief those that do as well.
std::string smallest_line(const pick::CardFit& fit) {
  constexpr std::size_t width = 100;
  std::string line = fmt::format(
      "    {:<34} {:<6} {:>9} free", fmt::format("{}x {}", fit.count, shop_name(*fit.card)),
      say(verdict_label(fit.answer.verdict)), format_bytes(fit.answer.binding().free.value));
  if (!fit.with.empty()) line += fmt::format("  {}", fit.with);
  if (!fit.note.empty()) line += fmt::format("  {}", fit.note);
  std::string_view before = "  or ";
  for (const facts::Accelerator* card : fit.also) {
    const std::string name = card->name.substr(0, card->name.find(" Blackwell"));
    if (line.size() + before.size() + name.size() > width) break;
    line += fmt::format("{}{}", before, name);
    before = ", ";
  }
  return line + "\n";
}

void add_closest(std::string& text, const SizeCase& one) {
  if (!one.smallest.empty()) {
    text += fmt::format("\n  {}\n", say(Word::smallest));
    for (const pick::CardFit& fit : one.smallest) {
      text += smallest_line(fit);
    }
  }
  bool title = false;
  for (const memory::Alternative& other : one.alternatives) {
    if (!title) text += fmt::format("\n  {}\n", say(Word::closest));
    title = true;
    text += fmt::format("    {:<44} {:>9}  {:<6} {} free\n", other.change,
                        format_bytes(other.answer.binding().total.value),
                        say(verdict_label(other.answer.verdict)),
                        format_bytes(other.answer.binding().free.value));
    if (!other.cost.empty()) text += fmt::format("      {}\n", wrapped(other.cost, 6, 6));
  }
}

void add_assumptions(std::string& text, const SizeDocument& document, const SizeCase& one) {
  std::vector<std::string> lines;
  if (one.card_assumed && one.card != nullptr) {
    std::string line = fmt::format("card {} (the commonest '{}')", one.card->name, one.asked);
    for (const VariantAnswer& other : one.variants) {
      line += fmt::format("; {}: {}", other.name, verdict_word(other.verdict));
    }
    lines.push_back(line);
  } else if (!one.variants.empty()) {
    std::vector<std::string> names;
    for (const VariantAnswer& other : one.variants) names.push_back(other.name);
    lines.push_back(fmt::format("the same answer for {}", fmt::join(names, ", ")));
  }
  for (const memory::Assumption& item : one.answer.assumptions) {
    // What was asked or stands in the config is not an assumption; it is still part of the answer.
    const bool given = item.origin == Origin::exact;
    lines.push_back(fmt::format("{} {} ({})", item.name, item.value,
                                given ? "given" : origin_word(item.origin)));
  }
  if (one.answer.card && !one.answer.card->basis.empty()) {
    lines.push_back(fmt::format("usable memory {} per card: {}",
                                format_bytes(one.answer.card->usable.value),
                                one.answer.card->basis));
  }
  for (const std::string& note : document.model.notes) lines.push_back(note);
  if (!document.model.not_established.empty()) {
    lines.push_back("not established: " + document.model.not_established);
  }
  bool first = true;
  for (const std::string& line : lines) {
    text += fmt::format("{}  {:<9}{}\n", first ? "\n" : "", first ? say(Word::assumed) : "",
                        wrapped(line, 11, 13));
    first = false;
  }
  for (const std::string& warning : one.answer.warnings) {
    text += fmt::format("  {:<9}{}\n", say(Word::warning), wrapped(warning, 11, 13));
  }
}

void add_quality(std::string& text, const FormatQuality& quality) {
  const auto line = [&](const std::string& format, const std::optional<facts::Quality>& found) {
    const std::string sentence = found
                                     ? fmt::format("{} [{}]", found->sentence, found->source)
                                     : std::string("not established: no measurement with a source");
    text += fmt::format("  {:<9}{}\n", say(Word::quality),
                        wrapped(fmt::format("{}: {}", format, sentence), 11, 13));
  };
  line(quality.weights, quality.weights_quality);
  if (quality.cache != "auto") line("KV " + quality.cache, quality.cache_quality);
}

void add_case(std::string& text, const SizeDocument& document, const SizeCase& one,
              TextStyle style) {
  text += fmt::format("{}  {}\n", painted(one.answer.verdict, style.color),
                      wrapped(one.answer.reason, 6, 6));
  if (style.quiet) return;
  const bool several = one.answer.ranks.size() > 1;
  if (!several) text += "\n";
  for (const memory::Rank& rank : one.answer.ranks) add_rank(text, rank, several, style.explain);
  if (one.answer.budget.value > Bytes(0)) {
    text += fmt::format("  {:<16} {:>9}  {}\n", "may use", format_bytes(one.answer.budget.value),
                        tag(one.answer.budget));
  }
  if (style.explain) {
    for (const memory::Buffer& buffer : one.answer.buffers) {
      text += fmt::format("  {:<10} {:<10} {:>10.2f} MiB  {}\n", buffer.device, buffer.kind,
                          buffer.bytes.value.as_mib(), tag(buffer.bytes));
    }
  }
  if (one.answer.training) {
    add_training(text, *one.answer.training);
  } else {
    add_capacity(text, one.answer);
    add_quality(text, quality_of(document.model, one.request));
    add_rule(text, rule_of_thumb(document.model, one.answer));
  }
  add_closest(text, one);
  add_assumptions(text, document, one);
  if (!one.answer.launch.empty()) {
    text += fmt::format("\n  {:<9}{}\n", say(Word::next), one.answer.launch);
  }
}

}  // namespace

std::string size_text(const SizeDocument& document, TextStyle style) {
  std::string text;
  for (const SizeCase& one : document.cases) {
    if (!text.empty()) text += "\n";
    add_case(text, document, one, style);
  }
  return text;
}

}  // namespace steelyard::report

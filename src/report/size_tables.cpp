// The flat forms of the `size` answer: CSV in long form (base units), Markdown for issues.
#include <fmt/format.h>

#include "report/size.h"
#include "report/words.h"

namespace steelyard::report {
namespace {

std::string card_name(const SizeCase& one) {
  return one.answer.card ? one.answer.card->name : std::string();
}

}  // namespace

std::string size_csv(const SizeDocument& document) {
  std::string text =
      "model,card,cards,verdict,rank,repeats,term,bytes,low_bytes,high_bytes,origin\n";
  for (const SizeCase& one : document.cases) {
    const auto row = [&](const memory::Rank& rank, std::string_view term, const ByteFigure& f) {
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(document.model.name),
                          csv_cell(card_name(one)), one.answer.card ? one.answer.card->count : 0,
                          verdict_word(one.answer.verdict), csv_cell(rank.name), rank.repeats, term,
                          f.value.value(), f.low.value(), f.high.value(), origin_word(f.origin));
    };
    for (const memory::Rank& rank : one.answer.ranks) {
      for (const memory::Term& term : rank.terms) row(rank, term.name, term.bytes);
      row(rank, "total", rank.total);
      row(rank, "free", rank.free);
      if (rank.reserved) row(rank, "reserved", *rank.reserved);
      if (rank.process) row(rank, "process", *rank.process);
    }
  }
  return text;
}

std::string size_markdown(const SizeDocument& document) {
  std::string text;
  for (const SizeCase& one : document.cases) {
    text += fmt::format(
        "**{}** {}\n\n| rank | term | memory | low | high | origin |\n"
        "| --- | --- | ---: | ---: | ---: | --- |\n",
        verdict_word(one.answer.verdict), one.answer.reason);
    const auto row = [&](const memory::Rank& rank, std::string_view term, const ByteFigure& f) {
      text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", rank.name, term_label(term),
                          format_bytes(f.value), format_bytes(f.low), format_bytes(f.high),
                          origin_word(f.origin));
    };
    for (const memory::Rank& rank : one.answer.ranks) {
      for (const memory::Term& term : rank.terms) {
        if (term.bytes.high > Bytes(0)) row(rank, term.name, term.bytes);
      }
      row(rank, "total", rank.total);
      if (rank.reserved) row(rank, "reserved", *rank.reserved);
      if (rank.process) row(rank, "process", *rank.process);
    }
    if (!one.answer.launch.empty()) text += fmt::format("\n`{}`\n", one.answer.launch);
    text += "\n";
  }
  return text;
}

}  // namespace steelyard::report

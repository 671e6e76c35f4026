#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/claims.h"
#include "report/words.h"
#include "report/wrap.h"

namespace steelyard::report {
namespace {

using claims::Claim;
using claims::Reading;

// "fits", "does not compare", ... as the reader sees it.
std::string_view shown(claims::Verdict verdict) {
  switch (verdict) {
    case claims::Verdict::right:
      return say(Word::claim_right);
    case claims::Verdict::not_comparable:
      return say(Word::claim_not_comparable);
    case claims::Verdict::misleading:
      return say(Word::claim_misleading);
    case claims::Verdict::wrong:
      return say(Word::claim_wrong);
    case claims::Verdict::impossible:
      return say(Word::claim_impossible);
  }
  return say(Word::claim_wrong);
}

std::string verdict_line(const Claim& claim) {
  if (!claim.unread.empty()) {
    const auto& first = claim.unread.front();
    return fmt::format("{}  {}: {}", say(Word::no), first.figure, first.because);
  }
  if (claim.readings.empty()) {
    return fmt::format("{}  {}", say(Word::not_judged), say(Word::claim_no_figure));
  }
  if (!claim.holds()) return fmt::format("{}  {}", say(Word::no), say(Word::claim_contradicts));
  for (const Reading& reading : claim.readings) {
    if (reading.plausible && reading.verdict == claims::Verdict::right) continue;
    return fmt::format("{}  {}", say(Word::tight), say(Word::claim_depends));
  }
  return fmt::format("{}  {}", say(Word::yes), say(Word::claim_holds));
}

void add_lines(std::string& text, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  text += fmt::format("\n  {}\n", title);
  for (const std::string& line : lines) text += "    " + wrapped(line, 4, 6) + "\n";
}

// The meanings of one figure that the rest of the text contradicts, in one line.
std::string contradicted(const Claim& claim, const std::string& figure) {
  std::vector<std::string> names;
  for (const Reading& reading : claim.readings) {
    if (reading.plausible || reading.figure != figure) continue;
    names.push_back(reading.meaning.substr(0, reading.meaning.rfind(": ")));
  }
  if (names.empty()) return {};
  return fmt::format("{} {}", say(Word::claim_elsewhere), fmt::join(names, "; "));
}

}  // namespace

std::string claim_text(const Claim& claim, bool all) {
  std::string text = wrapped(verdict_line(claim), 0, 6) + "\n";
  std::string figure;
  const auto close_figure = [&] {
    const std::string rest = figure.empty() || all ? "" : contradicted(claim, figure);
    if (!rest.empty()) text += "    " + wrapped(rest, 4, 6) + "\n";
  };
  for (const Reading& reading : claim.readings) {
    if (reading.figure != figure) {
      close_figure();
      figure = reading.figure;
      text += fmt::format("\n  {}\n", figure);
    }
    if (!reading.plausible && !all) continue;
    std::string line = fmt::format("{:<15} {}", shown(reading.verdict), reading.meaning);
    if (!reading.because.empty()) line += fmt::format(" ({})", reading.because);
    text += (reading.plausible ? "    " : "  - ") + wrapped(line, 4, 20) + "\n";
  }
  close_figure();
  for (const claims::Unread& unread : claim.unread) {
    text += fmt::format("\n  {}\n", unread.figure);
    const std::string line = fmt::format("{:<15} {}", shown(unread.verdict), unread.because);
    text += "    " + wrapped(line, 4, 20) + "\n";
  }
  add_lines(text, say(Word::claim_in_practice), claim.in_practice);
  add_lines(text, say(Word::claim_ask), claim.ask);
  return text;
}

std::string claim_markdown(const Claim& claim) {
  std::string text =
      "| figure | meaning | plausible | verdict | because |\n|---|---|---|---|---|\n";
  for (const Reading& r : claim.readings) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", r.figure, r.meaning,
                        r.plausible ? "yes" : "no", claims::verdict_word(r.verdict), r.because);
  }
  for (const claims::Unread& u : claim.unread) {
    text += fmt::format("| {} | | no | {} | {} |\n", u.figure, claims::verdict_word(u.verdict),
                        u.because);
  }
  return text;
}

}  // namespace steelyard::report

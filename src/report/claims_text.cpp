#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/claims.h"
#include "report/words.h"
#include "report/wrap.h"

namespace steelyard::report {
namespace {

using claims::Claim;

// "fits", "does not compare", ... as the reader sees it.
std::string_view shown(claims::Verdict verdict) {
  switch (verdict) {
    case claims::Verdict::right:
      return say(Word::claim_right);
    case claims::Verdict::not_comparable:
      return say(Word::claim_not_comparable);
    case claims::Verdict::misleading:
      return say(Word::claim_misleading);
    case claims::Verdict::unknown:
      return say(Word::claim_unknown);
    case claims::Verdict::wrong:
      return say(Word::claim_wrong);
    case claims::Verdict::impossible:
      return say(Word::claim_impossible);
  }
  return say(Word::claim_wrong);
}

std::string not_read(const Claim& claim) {
  constexpr std::size_t most = 4;
  std::string text(say(Word::claim_not_read));
  for (std::size_t i = 0; i < claim.not_read.size() && i < most; ++i) {
    text += fmt::format("{} {}", i > 0 ? "," : "", claim.not_read[i].text);
  }
  if (claim.not_read.size() > most) text += ", ...";
  return text;
}

const claims::Unread* first_bad(const Claim& claim) {
  const auto bad = std::ranges::find_if(
      claim.unread, [](const auto& u) { return u.verdict != claims::Verdict::unknown; });
  return bad == claim.unread.end() ? nullptr : &*bad;
}

std::string verdict_line(const Claim& claim) {
  switch (claim.outcome()) {
    case claims::Outcome::yes:
      return fmt::format("{}  {}", say(Word::yes), say(Word::claim_holds));
    case claims::Outcome::tight: {
      const bool right = std::ranges::all_of(claim.readings, [](const claims::Reading& r) {
        return !r.plausible || r.verdict == claims::Verdict::right;
      });
      std::string text = fmt::format("{}  ", say(Word::tight));
      text += right ? not_read(claim) : std::string(say(Word::claim_depends));
      if (!right && !claim.not_read.empty()) text += "; " + not_read(claim);
      return text;
    }
    case claims::Outcome::no:
      if (const auto* bad = first_bad(claim)) {
        return fmt::format("{}  {}: {}", say(Word::no), bad->figure, bad->because);
      }
      return fmt::format("{}  {}", say(Word::no), say(Word::claim_contradicts));
    case claims::Outcome::open:
      if (!claim.unread.empty()) {
        const auto& first = claim.unread.front();
        return fmt::format("{}  {}: {}", say(Word::claim_open), first.figure, first.because);
      }
      return fmt::format("{}  {}", say(Word::claim_open), not_read(claim));
    case claims::Outcome::none:
      break;
  }
  return fmt::format("{}  {}", say(Word::not_judged), say(Word::claim_no_figure));
}

void add_lines(std::string& text, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  text += fmt::format("\n  {}\n", title);
  for (const std::string& line : lines) text += "    " + wrapped(line, 4, 6) + "\n";
}

// The meanings of one figure that the rest of the text contradicts, in one line.
std::string contradicted(const Claim& claim, const std::string& figure) {
  std::vector<std::string> names;
  for (const claims::Reading& reading : claim.readings) {
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
  for (const claims::Reading& reading : claim.readings) {
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
  std::vector<std::string> lines;
  for (const claims::NotRead& one : claim.not_read) {
    lines.push_back(fmt::format("{} ({})", one.text, one.because));
  }
  add_lines(text, say(Word::claim_not_read_title), lines);
  if (!claim.aside.empty()) {
    add_lines(text, say(Word::claim_aside), {fmt::format("{}", fmt::join(claim.aside, "; "))});
  }
  add_lines(text, say(Word::claim_in_practice), claim.in_practice);
  add_lines(text, say(Word::claim_ask), claim.ask);
  return text;
}

std::string claim_markdown(const Claim& claim) {
  std::string text =
      "| figure | meaning | plausible | verdict | because |\n|---|---|---|---|---|\n";
  for (const claims::Reading& r : claim.readings) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", r.figure, r.meaning,
                        r.plausible ? "yes" : "no", claims::verdict_word(r.verdict), r.because);
  }
  for (const claims::Unread& u : claim.unread) {
    text += fmt::format("| {} | | no | {} | {} |\n", u.figure, claims::verdict_word(u.verdict),
                        u.because);
  }
  for (const claims::NotRead& n : claim.not_read) {
    text += fmt::format("| {} | | | not read | {} |\n", n.text, n.because);
  }
  return text;
}

}  // namespace steelyard::report

#include "statement.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>

namespace steelyard::claims_document {
namespace {

std::string text_of(const toml::table& row, std::string_view key) {
  return row[key].value<std::string>().value_or("");
}

std::vector<std::string> texts_of(const toml::table& row, std::string_view key) {
  std::vector<std::string> texts;
  if (const toml::array* list = row[key].as_array()) {
    for (const auto& item : *list) texts.push_back(item.value<std::string>().value_or(""));
  }
  return texts;
}

// "fp16/fp32/sx4", "memory": how a row writes one meaning.
std::string short_form(const claims::Reading& r) {
  std::string text;
  if (r.unit == "FLOP/s") {
    text = r.precision;
    if (!r.accumulate.empty()) text += "/" + r.accumulate;
    if (r.sparse) text += "/s";
  } else {
    text = r.unit == "B"     ? "memory"
           : r.unit == "B/s" ? "bandwidth"
           : r.unit == "W"   ? "power"
                             : "feature";
  }
  return r.cards > 1 ? fmt::format("{}x{}", text, r.cards) : text;
}

void check_advert(const Statement& s, const facts::Catalogue& catalogue,
                  std::vector<std::string>& faults) {
  const auto claim = claims::read_claim(catalogue, s.advert);
  if (!claim) return faults.push_back("advert: " + claim.error().what);
  if (claim->holds() != s.holds) {
    faults.push_back(fmt::format("advert: holds is {}", claim->holds()));
  }
  for (const std::string& wanted : s.reads) {
    const bool there = std::ranges::any_of(claim->readings, [&](const claims::Reading& r) {
      return r.plausible && short_form(r) == wanted;
    });
    if (!there) faults.push_back(fmt::format("advert: no plausible meaning {}", wanted));
  }
}

}  // namespace

Result<std::vector<Statement>> read_statements(os::Files& files, const std::string& path) {
  auto text = os::read_whole(files, path, std::uint64_t{1} << 22);
  if (!text) return std::unexpected(text.error());
  const toml::parse_result parsed = toml::parse(*text);
  if (!parsed) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = std::string(parsed.error().description()),
                 .file = path,
                 .field = fmt::format("line {}", parsed.error().source().begin.line)});
  }
  const toml::array* rows = parsed.table()["claim"].as_array();
  if (rows == nullptr) {
    return fail({.kind = ErrorKind::missing_field, .what = "no [[claim]]", .file = path});
  }
  std::vector<Statement> statements;
  for (const auto& item : *rows) {
    const toml::table& row = *item.as_table();
    statements.push_back({.id = text_of(row, "id"),
                          .about = text_of(row, "about"),
                          .claim = text_of(row, "claim"),
                          .verdict = text_of(row, "verdict"),
                          .right = text_of(row, "right"),
                          .advert = text_of(row, "advert"),
                          .checks = texts_of(row, "checks"),
                          .reads = texts_of(row, "reads"),
                          .sources = texts_of(row, "sources"),
                          .holds = row["holds"].value<bool>().value_or(true)});
  }
  return statements;
}

std::vector<std::string> faults_of(const Statement& s, const facts::Catalogue& catalogue) {
  std::vector<std::string> faults;
  const auto known = {claims::Verdict::right, claims::Verdict::not_comparable,
                      claims::Verdict::misleading, claims::Verdict::wrong,
                      claims::Verdict::impossible};
  if (std::ranges::none_of(
          known, [&](claims::Verdict v) { return claims::verdict_word(v) == s.verdict; })) {
    faults.push_back(fmt::format("verdict \"{}\" is none of the five", s.verdict));
  }
  for (const auto& [name, text] : {std::pair{"id", &s.id}, std::pair{"about", &s.about},
                                   std::pair{"claim", &s.claim}, std::pair{"right", &s.right}}) {
    if (text->empty()) faults.push_back(fmt::format("{} is empty", name));
  }
  if (s.sources.empty()) faults.push_back("no source");
  for (const std::string& check : s.checks) {
    if (std::string fault = fault_of_check(check, catalogue); !fault.empty()) {
      faults.push_back(std::move(fault));
    }
  }
  if (!s.advert.empty()) check_advert(s, catalogue, faults);
  return faults;
}

}  // namespace steelyard::claims_document

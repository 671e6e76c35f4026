#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <sstream>

#include "offers/fields.h"

namespace steelyard::offers {
namespace {

std::string text_of(const toml::node* node) {
  if (node == nullptr) return {};
  if (const auto* text = node->as_string()) return text->get();
  std::ostringstream out;
  node->visit([&](const auto& value) { out << value; });
  return out.str();
}

std::unexpected<Error> bad(const std::string& file, std::string what, std::size_t line) {
  return fail({.kind = ErrorKind::bad_input,
               .what = std::move(what),
               .file = file,
               .field = fmt::format("line {}", line),
               .try_this = "see docs/offers.md and data/offers/template.toml"});
}

}  // namespace

Result<std::vector<Offer>> parse_offers_toml(std::string_view text, const std::string& file,
                                             Latest latest) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return bad(file, std::string(parsed.error().description()), parsed.error().source().begin.line);
  }
  const toml::table& root = parsed.table();
  std::vector<Offer> offers;
  const toml::array* rows = root["offer"].as_array();
  if (rows == nullptr) return bad(file, "no [[offer]] in it", 1);
  if (rows->empty()) return bad(file, "no [[offer]] in it", 1);
  for (const toml::node& node : *rows) {
    const toml::table* row = node.as_table();
    const std::size_t line = node.source().begin.line;
    if (row == nullptr) return bad(file, "an offer is not a table", line);
    for (const auto& [key, value] : *row) {
      if (std::ranges::find(offer_fields(), key.str()) == offer_fields().end()) {
        return bad(file, fmt::format("unknown key '{}'", key.str()), value.source().begin.line);
      }
    }
    auto offer =
        offer_from([&](Field field) { return text_of(row->get(field_name(field))); }, latest);
    if (!offer) {
      return bad(file, offer.error().what, line);
    }
    offers.push_back(std::move(*offer));
  }
  return offers;
}

}  // namespace steelyard::offers

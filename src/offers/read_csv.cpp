#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "offers/fields.h"

namespace steelyard::offers {
namespace {

bool is_field(const std::string& column) {
  return std::ranges::find(offer_fields(), column) != offer_fields().end();
}

// What is wrong with the header; empty when nothing is.
std::string wrong_header(const std::vector<std::string>& columns) {
  if (columns.empty()) return "the file is empty";
  if (std::ranges::none_of(columns, is_field)) {
    for (const char other : {';', '\t'}) {
      if (columns.front().find(other) == std::string::npos) continue;
      return fmt::format("the first line is separated by {}, expected commas",
                         other == ';' ? "semicolons" : "tabs");
    }
    return "the first line names none of the columns: the header is missing";
  }
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    if (!is_field(*column)) return fmt::format("unknown column '{}'", *column);
    if (std::find(columns.begin(), column, *column) != column) {
      return fmt::format("the column {} stands there twice", *column);
    }
  }
  for (const Field field : required_fields()) {
    if (std::ranges::find(columns, field_name(field)) != columns.end()) continue;
    return fmt::format("the column {} is missing", field_name(field));
  }
  return {};
}

std::unexpected<Error> refused(const std::string& file, std::string what, std::string field) {
  return fail(
      {.kind = ErrorKind::bad_input,
       .what = std::move(what),
       .file = file,
       .field = std::move(field),
       .try_this = "docs/offers.md lists the columns, data/offers/template.csv shows them"});
}

}  // namespace

Result<std::vector<Offer>> parse_offers_csv(std::string_view text, const std::string& file,
                                            Latest latest) {
  auto table = parse_csv(text);
  if (!table) return fail(std::move(table.error()).in_file(file));
  for (std::string& column : table->columns) column = std::string(trim(column));
  if (std::string what = wrong_header(table->columns); !what.empty()) {
    return refused(file, std::move(what), "line 1");
  }
  if (table->rows.empty()) return refused(file, "a header and no offer below it", "line 1");
  // Where each field stands; looked up once, for a list may have hundreds of thousands of rows.
  std::vector<std::size_t> columns;
  for (const std::string_view field : offer_fields()) columns.push_back(table->column(field));
  std::vector<Offer> offers;
  offers.reserve(table->rows.size());
  for (std::size_t row = 0; row < table->rows.size(); ++row) {
    const std::vector<std::string>& cells = table->rows[row];
    auto offer = offer_from(
        [&](Field field) {
          const std::size_t at = columns[static_cast<std::size_t>(field)];
          return at < cells.size() ? std::string(trim(cells[at])) : std::string();
        },
        latest);
    if (!offer) {
      return refused(file, offer.error().what,
                     fmt::format("row {}, {}", row + 1, offer.error().field));
    }
    offers.push_back(std::move(*offer));
  }
  return offers;
}

}  // namespace steelyard::offers

#include <fmt/format.h>

#include <algorithm>

#include "offers/fields.h"

namespace steelyard::offers {

Result<std::vector<Offer>> parse_offers_csv(std::string_view text, const std::string& file) {
  auto table = parse_csv(text);
  if (!table) return fail(std::move(table.error()).in_file(file));
  for (const std::string& column : table->columns) {
    if (std::ranges::find(offer_fields(), column) != offer_fields().end()) continue;
    return fail({.kind = ErrorKind::bad_input,
                 .what = fmt::format("unknown column '{}'", column),
                 .file = file,
                 .field = "line 1",
                 .try_this = "the columns are listed in docs/offers.md"});
  }
  std::vector<Offer> offers;
  offers.reserve(table->rows.size());
  for (std::size_t row = 0; row < table->rows.size(); ++row) {
    auto offer = offer_from(
        [&](std::string_view field) { return std::string(trim(table->cell(row, field))); });
    if (!offer) {
      Error error = std::move(offer.error());
      error.field = fmt::format("row {}, {}", row + 1, error.field);
      error.try_this = "see docs/offers.md and data/offers/template.csv";
      return fail(std::move(error).in_file(file));
    }
    offers.push_back(std::move(*offer));
  }
  return offers;
}

}  // namespace steelyard::offers

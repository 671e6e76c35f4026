#include "offers/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace steelyard::offers {
namespace {

constexpr auto fields = std::to_array<std::string_view>(
    {"provider", "region", "instance", "card", "count", "memory_gb", "vcpu", "host_memory_gb",
     "tier", "price", "currency", "per", "link", "sla", "date", "source", "note"});

constexpr auto required = std::to_array<Field>(
    {Field::provider, Field::card, Field::tier, Field::price, Field::currency, Field::date});

// The smallest price that is one: below a ten-thousandth nothing is rented by the hour.
constexpr double least_price = 1e-4;
// No cloud rented cards before; an older date is a slip of the keyboard.
constexpr int first_year = 2010;

using Texts = std::function<std::string(Field)>;

std::unexpected<Error> wrong(std::string_view field, const std::string& text,
                             std::string_view wanted) {
  return fail({.kind = ErrorKind::bad_input,
               .what = fmt::format("{} is '{}', expected {}", field, text, wanted),
               .field = std::string(field)});
}

struct Bounds {
  double least = 0, most = 0;  // `least` itself is allowed where it is above 0
};

Result<std::optional<double>> number(const std::string& cell, std::string_view field,
                                     Bounds bounds) {
  if (cell.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool whole = error == std::errc() && end == cell.data() + cell.size();
  if (!whole || !std::isfinite(value) || value <= 0 || value < bounds.least ||
      value > bounds.most) {
    return wrong(field, cell,
                 bounds.least > 0
                     ? fmt::format("a number from {:g} to {:g}", bounds.least, bounds.most)
                     : fmt::format("a number above 0, at most {:g}", bounds.most));
  }
  return value;
}

Result<Money> money(double amount, std::string currency) {
  if (is_currency(currency)) return Money{amount, std::move(currency)};
  return wrong("currency", currency,
               "a code of ISO 4217 in capital letters, as USD, CNY (for RMB) or EUR");
}

Result<Date> day(const std::string& text, Latest latest) {
  const auto date = parse_date(text);
  if (!date) return wrong("date", text, "a day, as in 2026-11-30");
  if (date->year < first_year) {
    return wrong("date", text,
                 fmt::format("a day since {}: no cloud rented cards before", first_year));
  }
  if (latest && *date > *latest) {
    return wrong("date", text,
                 fmt::format("the day the price was seen, {} at the latest", date_text(*latest)));
  }
  return *date;
}

}  // namespace

std::span<const std::string_view> offer_fields() {
  return fields;
}

std::string_view field_name(Field field) {
  return fields[static_cast<std::size_t>(field)];
}
std::span<const Field> required_fields() {
  return required;
}

Result<Offer> offer_from(const Texts& cells, Latest latest) {
  // Lists come from strangers: what a cell says stays on its line.
  const auto text = [&](Field field) { return one_line(cells(field)); };
  Offer offer{.provider = text(Field::provider),
              .region = text(Field::region),
              .instance = text(Field::instance),
              .card = text(Field::card),
              .tier = lower(text(Field::tier)),
              .link = text(Field::link),
              .sla = text(Field::sla),
              .source = text(Field::source),
              .note = text(Field::note)};
  for (const Field field : required) {
    if (!text(field).empty()) continue;
    return fail({.kind = ErrorKind::missing_field,
                 .what = fmt::format("{} is missing", field_name(field)),
                 .field = std::string(field_name(field))});
  }
  struct Number {
    Field field;
    std::optional<double>* target;
    Bounds bounds;
  };
  std::optional<double> count, price;
  for (const Number& n : {Number{Field::count, &count, {.most = 4096}},
                          Number{Field::memory_gb, &offer.memory_gb, {.most = 4096}},
                          Number{Field::vcpu, &offer.vcpu, {.most = 1e5}},
                          Number{Field::host_memory_gb, &offer.host_memory_gb, {.most = 1e6}},
                          Number{Field::price, &price, {.least = least_price, .most = 1e9}}}) {
    auto read = number(text(n.field), field_name(n.field), n.bounds);
    if (!read) return std::unexpected(read.error());
    *n.target = *read;
  }
  if (count && *count != std::floor(*count))
    return wrong("count", text(Field::count), "a whole number");
  offer.count = static_cast<std::uint32_t>(count.value_or(1));
  auto paid = money(*price, text(Field::currency));
  if (!paid) return std::unexpected(paid.error());
  offer.price = std::move(*paid);
  const std::string per = lower(text(Field::per));
  if (!per.empty() && per != "hour" && per != "month") return wrong("per", per, "hour or month");
  offer.monthly = per == "month";
  const auto date = day(text(Field::date), latest);
  if (!date) return std::unexpected(date.error());
  offer.date = *date;
  return offer;
}

}  // namespace steelyard::offers

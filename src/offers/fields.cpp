#include "offers/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace steelyard::offers {
namespace {

constexpr auto fields = std::to_array<std::string_view>(
    {"provider", "region", "instance", "card", "count", "memory_gb", "vcpu", "host_memory_gb",
     "tier", "price", "currency", "per", "link", "sla", "date", "source", "note"});

using Texts = std::function<std::string(std::string_view)>;

std::unexpected<Error> wrong(std::string_view field, const std::string& text,
                             std::string_view wanted) {
  return fail({.kind = ErrorKind::bad_input,
               .what = fmt::format("{} is '{}', expected {}", field, text, wanted),
               .field = std::string(field)});
}

Result<std::optional<double>> number(const Texts& text, std::string_view field, double most) {
  const std::string cell = text(field);
  if (cell.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (end != cell.c_str() + cell.size() || !std::isfinite(value) || value <= 0 || value > most) {
    return wrong(field, cell, fmt::format("a number above 0, at most {:g}", most));
  }
  return value;
}

}  // namespace

std::span<const std::string_view> offer_fields() {
  return fields;
}

Result<Offer> offer_from(const Texts& text) {
  Offer offer{.provider = text("provider"),
              .region = text("region"),
              .instance = text("instance"),
              .card = text("card"),
              .tier = lower(text("tier")),
              .link = text("link"),
              .sla = text("sla"),
              .source = text("source"),
              .note = text("note")};
  for (const std::string_view field : {"provider", "card", "tier", "price", "currency", "date"}) {
    if (!text(field).empty()) continue;
    return fail({.kind = ErrorKind::missing_field,
                 .what = fmt::format("{} is missing", field),
                 .field = std::string(field)});
  }
  struct Number {
    std::string_view field;
    std::optional<double>* target;
    double most;
  };
  std::optional<double> count, price;
  for (const Number& n :
       {Number{"count", &count, 4096}, Number{"memory_gb", &offer.memory_gb, 4096},
        Number{"vcpu", &offer.vcpu, 1e5}, Number{"host_memory_gb", &offer.host_memory_gb, 1e6},
        Number{"price", &price, 1e9}}) {
    auto read = number(text, n.field, n.most);
    if (!read) return std::unexpected(read.error());
    *n.target = *read;
  }
  if (count && *count != std::floor(*count)) return wrong("count", text("count"), "a whole number");
  offer.count = static_cast<std::uint32_t>(count.value_or(1));
  offer.price = {*price, text("currency")};
  if (offer.price.currency.size() != 3 ||
      !std::ranges::all_of(offer.price.currency, [](char c) { return c >= 'A' && c <= 'Z'; })) {
    return wrong("currency", offer.price.currency, "three capital letters, as in USD or CNY");
  }
  const std::string per = lower(text("per"));
  if (!per.empty() && per != "hour" && per != "month") return wrong("per", per, "hour or month");
  offer.monthly = per == "month";
  const auto date = parse_date(text("date"));
  if (!date) return wrong("date", text("date"), "a day, as in 2026-11-30");
  offer.date = *date;
  return offer;
}

}  // namespace steelyard::offers

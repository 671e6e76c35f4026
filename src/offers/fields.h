// One offer out of named texts, checked; shared by the CSV and the TOML reader.
#pragma once

#include <functional>
#include <span>

#include "offers/offers.h"

namespace steelyard::offers {

// The columns of the format, in their order, and their names.
enum class Field {
  provider,
  region,
  instance,
  card,
  count,
  memory_gb,
  vcpu,
  host_memory_gb,
  tier,
  price,
  currency,
  per,
  link,
  sla,
  date,
  source,
  note
};
std::span<const std::string_view> offer_fields();
std::string_view field_name(Field field);
std::span<const Field> required_fields();

// `text` gives a field's text, "" when absent; `latest` as in parse_offers_csv. Errors:
// missing_field, bad_input, with the field.
Result<Offer> offer_from(const std::function<std::string(Field)>& text, Latest latest);

// Whether ISO 4217 knows that currency.
bool is_currency(std::string_view code);

}  // namespace steelyard::offers

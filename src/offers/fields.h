// One offer out of named texts, checked; shared by the CSV and the TOML reader.
#pragma once

#include <functional>

#include "offers/offers.h"

namespace steelyard::offers {

// The columns of the format, in their order.
std::span<const std::string_view> offer_fields();

// `text` gives a field's text, "" when absent. Errors: missing_field, bad_input, with the field.
Result<Offer> offer_from(const std::function<std::string(std::string_view)>& text);

}  // namespace steelyard::offers

// One card of the catalogue as JSON, for every document that lists cards.
#pragma once

#include <nlohmann/json.hpp>

#include "facts/facts.h"

namespace steelyard::report {

nlohmann::ordered_json card_json(const facts::Accelerator& card);

}  // namespace steelyard::report

// What the formats of an answer cost in quality.
#pragma once

#include <optional>
#include <string>

#include "report/size.h"

namespace steelyard::report {

struct FormatQuality {
  std::string weights, cache;  // names of the formats
  std::optional<facts::Quality> weights_quality, cache_quality;
};

FormatQuality quality_of(const model::Model& model, const memory::Request& request);

}  // namespace steelyard::report

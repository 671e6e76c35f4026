// What a format costs in quality: one sourced sentence each, from data/quality.csv.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace steelyard::facts {

struct Quality {
  std::string sentence, source, confidence;
};

// By the name of a weight format or mix ("awq", "q4_k_m", "fp8"); nothing where no measurement with
// a source was found.
std::optional<Quality> weight_quality(std::string_view format);
// The same for a format of the KV cache.
std::optional<Quality> cache_quality(std::string_view format);

}  // namespace steelyard::facts

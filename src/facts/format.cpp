#include "facts/format.h"

namespace steelyard::facts {
std::optional<Format> find_format(std::string_view) {
  return std::nullopt;
}
}  // namespace steelyard::facts

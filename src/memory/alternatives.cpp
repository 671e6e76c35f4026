#include "memory/engines/engine.h"

namespace steelyard::memory {

std::vector<Alternative> alternatives(const model::Model&, const Request&) {
  return {};
}

}  // namespace steelyard::memory

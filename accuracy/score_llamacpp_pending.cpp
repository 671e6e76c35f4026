// Placeholder until score_llamacpp.cpp is there.
#include "accuracy.h"

namespace steelyard::accuracy {
std::vector<Scored> score_llamacpp(const CsvTable&) {
  return {};
}
}  // namespace steelyard::accuracy

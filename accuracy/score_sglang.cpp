#include "accuracy.h"

namespace steelyard::accuracy {
std::vector<Scored> score_sglang(const CsvTable&) {
  return {};
}
}  // namespace steelyard::accuracy

#include "accuracy.h"

namespace steelyard::accuracy {
std::vector<Scored> score_vllm(const CsvTable&) {
  return {};
}
}  // namespace steelyard::accuracy

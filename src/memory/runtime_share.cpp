#include "memory/runtime_share.h"

#include <algorithm>

namespace steelyard::memory {

ByteFigure runtime_share(const RuntimeConstants& constants) {
  return ByteFigure::scaled(gib(constants.runtime_gib), 0.2, 2.5, Origin::predicted);
}

ByteFigure communication_share(std::uint32_t tensor_parallel, std::uint32_t pipeline,
                               const RuntimeConstants& constants) {
  if (tensor_parallel * pipeline <= 1) return ByteFigure::exact(Bytes(0));
  return ByteFigure::scaled(gib(constants.communication_gib), 0.2, 2.5, Origin::predicted);
}

std::uint64_t captured_sizes(std::uint64_t sequences) {
  const std::uint64_t most = std::min<std::uint64_t>(saturating_mul(sequences, 2), 512);
  if (most < 8) return most >= 4 ? 3 : std::max<std::uint64_t>(1, most);
  return 3 + std::min<std::uint64_t>(most, 256) / 8 + (most > 256 ? (most - 256) / 16 : 0);
}

ByteFigure graph_share(std::size_t layers, std::uint64_t sizes, bool old_capture,
                       const RuntimeConstants& constants) {
  const double each =
      old_capture ? constants.old_graphs_per_layer_gib : constants.graphs_per_layer_gib;
  const double part =
      std::max(0.1, static_cast<double>(sizes) / static_cast<double>(captured_sizes(256)));
  return ByteFigure::scaled(gib(each * static_cast<double>(layers) * part), 0.4, 2.0,
                            Origin::predicted);
}

}  // namespace steelyard::memory

#include "memory/runtime_share.h"

#include <algorithm>

namespace steelyard::memory {

ByteFigure runtime_share(bool with_context, const RuntimeConstants& constants) {
  const double context = with_context ? constants.context_gib : 0;
  return ByteFigure::scaled(gib(constants.runtime_gib + context), with_context ? 0.7 : 0.2, 2.5,
                            Origin::predicted);
}

ByteFigure communication_share(const Placement& placement, bool host_links_only,
                               const RuntimeConstants& constants) {
  if (placement.tp * placement.pp <= 1) return ByteFigure::exact(Bytes(0));
  const double share = host_links_only ? constants.host_link_gib : constants.communication_gib;
  return ByteFigure::scaled(gib(share), 0.2, host_links_only ? 5.0 : 2.5, Origin::predicted);
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

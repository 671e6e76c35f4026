#include "memory/runtime_share.h"

namespace steelyard::memory {

ByteFigure runtime_share(const RuntimeConstants& constants) {
  return ByteFigure::scaled(gib(constants.runtime_gib), 0.2, 2.5, Origin::predicted);
}

ByteFigure communication_share(std::uint32_t tensor_parallel, std::uint32_t pipeline,
                               const RuntimeConstants& constants) {
  if (tensor_parallel * pipeline <= 1) return ByteFigure::exact(Bytes(0));
  return ByteFigure::scaled(gib(constants.communication_gib), 0.2, 2.5, Origin::predicted);
}

ByteFigure graph_share(std::size_t layers, bool old_capture, const RuntimeConstants& constants) {
  const double each =
      old_capture ? constants.old_graphs_per_layer_gib : constants.graphs_per_layer_gib;
  return ByteFigure::scaled(gib(each * static_cast<double>(layers)), 0.4, 2.0, Origin::predicted);
}

}  // namespace steelyard::memory

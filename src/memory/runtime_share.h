// What the CUDA runtime, the communication libraries and captured graphs take beside tensors.
#pragma once

#include "memory/memory.h"

namespace steelyard::memory {

// Global constants, read from start-up logs (notes in docs/accuracy.md give the residuals).
struct RuntimeConstants {
  double runtime_gib = 0.09;        // grows after the context exists: kernels, cuBLAS workspaces
  double communication_gib = 0.42;  // NCCL and custom all-reduce buffers, from two ranks on
  double host_link_gib = 0.1;       // the same over PCIe: few channels, no peer buffers
  double context_gib = 0.5;         // the context itself, before any tensor
  double graphs_per_layer_gib = 0.012;
  double old_graphs_per_layer_gib = 0.027;  // before captured graphs shared one pool well
  double graph_overestimate = 2.2;          // the profile extrapolates one graph linearly
};

ByteFigure runtime_share(bool with_context, const RuntimeConstants& constants = {});
// Over NVLink and the like, or over the host's links only.
ByteFigure communication_share(const Placement& placement, bool host_links_only,
                               const RuntimeConstants& constants = {});
// Batch sizes that are captured for so many sequences: 1, 2, 4, every 8 to 256, every 16 to 512.
std::uint64_t captured_sizes(std::uint64_t sequences);
// The constants stand for all sizes; fewer sizes take less, but never less than a tenth.
ByteFigure graph_share(std::size_t layers, std::uint64_t sizes, bool old_capture,
                       const RuntimeConstants& constants = {});

}  // namespace steelyard::memory

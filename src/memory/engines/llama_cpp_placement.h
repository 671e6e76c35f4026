// Which layer, tensor and cache lies on which device, and the model buffers that follow.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/engines/llama_cpp_builds.h"
#include "memory/weights.h"

namespace steelyard::memory::llama_cpp {

// Device numbers: 0..cards-1, host = cards.
struct Layout {
  std::uint32_t cards = 1;
  bool experts_on_host = false;
  bool rows_split = false;   // every matrix over all cards (--split-mode row), caches by layer
  bool all_on_cards = true;  // layers and output
  std::vector<std::uint32_t> layer_device;
  std::uint32_t output_device = 0;
  std::uint32_t host() const { return cards; }
};

// Equal cards take equal shares of the layers plus the output, in order.
Layout layout_of(const model::Model& model, const Request& request, const Build& build);

// Stored bytes per device, host last, each tensor padded as the buffers pad it. A tied head is
// stored again on the card that computes it.
struct ModelBuffers {
  std::vector<Bytes> device;
  Bytes mapped_span;  // what a memory-mapped file shows for the host: from its first to its last
  bool tied_copy = false;
};
ModelBuffers model_buffers(const model::Model& model, const Layout& layout, bool with_projector);

}  // namespace steelyard::memory::llama_cpp

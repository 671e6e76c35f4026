// What a placement means for one model: is it legal, and which ranks differ.
#pragma once

#include <cstddef>
#include <vector>

#include "memory/memory.h"

namespace steelyard::memory {

// The layers of one pipeline stage, [first, last), and what else lives there.
struct Stage {
  std::size_t first = 0, last = 0;
  bool holds_embedding = true, holds_head = true;
};

// Layers are spread evenly; what is left over goes to the stages before the last, which already
// carries the head. `layers` 0 (not established) gives one stage that holds everything.
std::vector<Stage> pipeline_stages(std::size_t layers, std::uint32_t pp);

// Errors: usage, naming the legal values, when tp does not divide the heads, a stage would be
// empty, ep does not divide the experts, attention_dp or dcp do not divide tp.
Status check_placement(const model::Model& model, const Placement& placement);

// Experts over all replicas (Placement::experts_over_replicas) as the one engine that it is:
// tensor parallel over all cards, attention data parallel over the replicas.
Placement spread(Placement placement);

// Tensor parallel sizes that check_placement would accept, up to `limit`.
std::vector<std::uint32_t> legal_tensor_parallel(const model::Model& model, std::uint32_t limit);

}  // namespace steelyard::memory

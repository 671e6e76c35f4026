// How far real models of a size lie from the shape that stands for them.
#pragma once

#include "memory/memory.h"

namespace steelyard::memory {

// For a model that is only a size ("27b"): what is counted exactly is the assumed shape's. Weights
// and KV cache get the band of the catalogue's models of that name, and the origin `assumed`.
void widen_for_typical(const model::Model& model, Answer& answer);

}  // namespace steelyard::memory

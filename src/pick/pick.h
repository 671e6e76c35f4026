// Front header of the room that chooses cards.
#pragma once

#include <vector>

#include "facts/facts.h"
#include "memory/memory.h"

namespace steelyard::pick {

struct CardFit {
  const facts::Accelerator* card;
  std::uint32_t count;
  memory::Answer answer;
};

// The smallest cards that hold the workload: one card of each memory size that fits, smallest
// first; when no single card does, the smallest count of the largest ones. At most `limit` rows.
// Rows of low confidence are left out.
std::vector<CardFit> smallest_cards(const model::Model& model, const memory::Request& request,
                                    const facts::Catalogue& catalogue, std::size_t limit);

}  // namespace steelyard::pick

// Front header of the room that chooses cards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.h"
#include "memory/memory.h"

namespace steelyard::pick {

struct CardFit {
  const facts::Accelerator* card;
  std::uint32_t count;
  memory::Answer answer;
  std::vector<const facts::Accelerator*> also;  // of the same memory, and they hold it too
  std::string with;                             // the option it needs, else empty
  std::string note;                             // "no FP8 units"
};

// The smallest cards that hold the workload, out of those that people buy and rent
// (data/accelerators/common.csv), one line per size of memory: single cards first, smallest first,
// then the fewest of smaller ones, 2, 4 or 8.
std::vector<CardFit> smallest_cards(const model::Model& model, const memory::Request& request,
                                    const facts::Catalogue& catalogue);

// A catalogue model on a card, in the format with the most bits that fits.
struct ModelFit {
  std::string name;
  std::uint64_t parameters = 0, active_parameters = 0;
  std::string format;
  memory::Answer answer;
};

// The request names engine, card, placement and workload; `only` a weight format, "" tries all.
// Nothing when no format fits.
std::optional<ModelFit> best_format_on(const model::Model& model, const memory::Request& request,
                                       std::string_view only = "");

// Every catalogue model that runs under the request, largest first. Models whose layers are not
// established are left out, and with `only` those that are published in another packed format.
std::vector<ModelFit> runs_on(const memory::Request& request, std::string_view only = "");

}  // namespace steelyard::pick

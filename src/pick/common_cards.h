// The cards that a buyer or a renter can get, by size of memory.
#pragma once

#include <vector>

#include "facts/facts.h"

namespace steelyard::pick {

// Cards of about the same memory, the most common first. Never empty.
struct MemoryClass {
  double gigabytes = 0;
  std::vector<const facts::Accelerator*> cards;
};

// From data/accelerators/common.csv, smallest class first; cards that the catalogue lacks are left
// out.
std::vector<MemoryClass> common_classes(const facts::Catalogue& catalogue);

}  // namespace steelyard::pick

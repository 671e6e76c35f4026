// PyTorch's caching allocator, as far as loading needs it: blocks are cut out of segments, and
// only whole segments are taken from the card.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace steelyard::memory {

// Allocations that are never given back, in the order they are made. Source: PyTorch
// c10/cuda/CUDACachingAllocator.cpp: blocks in steps of 512 B; up to 1 MiB from segments of 2 MiB,
// below 10 MiB from segments of 20 MiB, larger ones in segments of their own in steps of 2 MiB.
class CachingAllocator {
 public:
  void allocate(std::uint64_t bytes);
  std::uint64_t reserved() const { return reserved_; }    // bytes taken from the card
  std::uint64_t allocated() const { return allocated_; }  // blocks, with the ends kept with them

 private:
  std::uint64_t reserved_ = 0, allocated_ = 0;
  // Blocks of small and of large segments, smallest first: few at any time.
  std::array<std::vector<std::uint64_t>, 2> free_;
};

}  // namespace steelyard::memory

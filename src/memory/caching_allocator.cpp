#include "memory/caching_allocator.h"

#include <algorithm>

#include "base/base.h"

namespace steelyard::memory {
namespace {

constexpr std::uint64_t kStep = 512, kSmall = 1 << 20, kSmallSegment = 2 << 20;
constexpr std::uint64_t kOwnSegment = 10 << 20, kLargeSegment = 20 << 20, kOwnStep = 2 << 20;

std::uint64_t segment_for(std::uint64_t bytes) {
  if (bytes <= kSmall) return kSmallSegment;
  return bytes < kOwnSegment ? kLargeSegment : round_up(bytes, kOwnStep);
}

}  // namespace

void CachingAllocator::allocate(std::uint64_t bytes) {
  if (bytes == 0) return;
  bytes = round_up(bytes, kStep);
  const bool small = bytes <= kSmall;
  auto& free = free_[small ? 0 : 1];
  std::uint64_t block = 0;
  if (const auto fit = std::ranges::lower_bound(free, bytes); fit != free.end()) {
    block = *fit;
    free.erase(fit);
  } else {
    block = segment_for(bytes);
    reserved_ = saturating_add(reserved_, block);
  }
  // A large block's rest of 1 MiB or less stays with it.
  const std::uint64_t rest = block - bytes;
  const bool split = small ? rest >= kStep : rest > kSmall;
  if (split) free.insert(std::ranges::lower_bound(free, rest), rest);
  allocated_ = saturating_add(allocated_, split ? bytes : block);
}

}  // namespace steelyard::memory

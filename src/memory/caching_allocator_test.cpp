#include "memory/caching_allocator.h"

#include <gtest/gtest.h>

#include <vector>

namespace steelyard::memory {
namespace {

TEST(CachingAllocator, WholeSegmentsAreTaken) {
  constexpr std::uint64_t mib = 1 << 20;
  struct Case {
    const char* why;
    std::vector<std::uint64_t> blocks;
    std::uint64_t reserved, allocated;
  };
  const Case table[] = {
      {"nothing", {}, 0, 0},
      {"an empty tensor", {0}, 0, 0},
      {"one byte", {1}, 2 * mib, 512},
      {"small ones share", {mib, mib / 2, mib / 2}, 2 * mib, 2 * mib},
      {"steps of 512 B", std::vector<std::uint64_t>(4097, 1), 4 * mib, 4097 * 512},
      {"middle ones share 20 MiB", {8 * mib, 8 * mib, 4 * mib}, 20 * mib, 20 * mib},
      {"a rest of 1 MiB is lost",
       {19 * mib / 2, 19 * mib / 2, mib + 1},
       40 * mib,
       20 * mib + mib + 512},
      {"small ones stay out of large segments", {8 * mib, mib}, 22 * mib, 9 * mib},
      {"a large one stands alone", {11 * mib}, 12 * mib, 12 * mib},
      {"its rest above 1 MiB is used", {16 * mib + 1, mib + 512}, 18 * mib, 18 * mib},
      {"the best fit is taken", {6 * mib, 8 * mib, 9 * mib, 9 * mib, 2 * mib}, 40 * mib, 34 * mib},
  };
  for (const Case& c : table) {
    CachingAllocator allocator;
    for (const std::uint64_t bytes : c.blocks) allocator.allocate(bytes);
    EXPECT_EQ(allocator.reserved(), c.reserved) << c.why;
    EXPECT_EQ(allocator.allocated(), c.allocated) << c.why;
  }
}

}  // namespace
}  // namespace steelyard::memory

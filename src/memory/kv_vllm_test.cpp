#include "memory/kv_vllm.h"

#include <gtest/gtest.h>

namespace steelyard::memory {
namespace {

std::vector<LayerCache> repeat(LayerCache cache, std::size_t count) {
  return std::vector<LayerCache>(count, cache);
}

std::vector<LayerCache> joined(std::vector<LayerCache> a, const std::vector<LayerCache>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr std::uint64_t one_gib = std::uint64_t{1} << 30;

TEST(BlockLayout, UniformLayersAreOneGroup) {
  // 32 layers x 8 heads x 128 x 2 x 2 B: 131072 B per token, 2 MiB per block of 16.
  const auto caches = repeat({.bytes_per_token = 4096}, 32);
  BlockRules rules;
  const BlockLayout layout = block_layout(caches, rules);
  EXPECT_EQ(layout.groups, 1U);
  EXPECT_EQ(layout.block_bytes, 2U << 20);
  EXPECT_EQ(layout.blocks_of(8192, rules).all(), 512U);
  EXPECT_EQ(layout.blocks_of(8193, rules).all(), 513U);
  EXPECT_EQ(layout.printed_tokens(layout.blocks_in(Bytes(one_gib)), 8192, rules), 8192U);
}

TEST(BlockLayout, DecodeContextParallelMultipliesTokens) {
  const auto caches = repeat({.kind = CacheKind::mla, .bytes_per_token = 1152}, 61);
  BlockRules rules{.block_tokens = 64, .prints_capacity = false, .context_parallel = 8};
  const BlockLayout layout = block_layout(caches, rules);
  // 46.80 GiB of 70272 B per token hold about 715 thousand tokens, eight times that with dcp 8.
  const auto blocks = layout.blocks_in(gib(46.80));
  EXPECT_NEAR(static_cast<double>(layout.printed_tokens(blocks, 163840, rules)), 8 * 715136.0,
              8 * 200.0);
}

// 30 delta-net layers whose state is 2146304 B and 10 attention layers of 1024 B per token (fp8):
// the block grows to 2096 tokens, four groups of ten layers share the pool.
TEST(BlockLayout, AttentionBlockGrowsToHoldAState) {
  const auto caches = joined(repeat({.bytes_per_token = 1024}, 10),
                             repeat({.kind = CacheKind::state, .state_bytes = 2146304}, 30));
  BlockRules rules{.states_aligned = true, .prints_capacity = true};
  const BlockLayout layout = block_layout(caches, rules);
  EXPECT_EQ(layout.groups, 4U);
  EXPECT_EQ(layout.group_layers, 10U);
  EXPECT_EQ(layout.page_bytes, 2146304U);
  EXPECT_EQ(layout.blocks_of(131072, rules).all(), 69U);  // 63 of tokens, 3 x 2 of states
  EXPECT_EQ(layout.printed_tokens(layout.blocks_in(gib(6.01)), 131072, rules), 569878U);
}

TEST(BlockLayout, OlderVersionsPrintBlocksOverGroups) {
  const auto caches = joined(repeat({.bytes_per_token = 2048}, 8),
                             repeat({.kind = CacheKind::state, .state_bytes = 1073152}, 24));
  BlockRules rules{.states_aligned = false, .prints_capacity = false};
  const BlockLayout layout = block_layout(caches, rules);
  EXPECT_EQ(layout.kinds.front().block_tokens, 528U);
  const auto blocks = layout.blocks_in(gib(15.06));
  EXPECT_EQ(layout.printed_tokens(blocks, 4096, rules), 246576U);
}

TEST(BlockLayout, WindowsKeepNoMoreThanWindowAndStep) {
  const auto caches =
      joined(repeat({.bytes_per_token = 4096}, 10),
             repeat({.kind = CacheKind::sliding, .bytes_per_token = 4096, .window = 1024}, 50));
  BlockRules rules{.batched_tokens = 2048};
  const BlockLayout layout = block_layout(caches, rules);
  EXPECT_EQ(layout.groups, 6U);
  // 131072/16 blocks of the full group, five groups of (1023 + 2048)/16 + 1.
  EXPECT_EQ(layout.blocks_of(131072, rules).all(), 8192U + 5U * 193U);
  rules.hybrid_windows = false;
  const BlockLayout before = block_layout(caches, rules);
  EXPECT_EQ(before.groups, 1U);
  EXPECT_EQ(before.block_bytes, 16U * 60U * 4096U);
}

TEST(BlockLayout, NothingToKeepIsNoBlock) {
  const BlockLayout layout = block_layout({}, BlockRules{});
  EXPECT_EQ(layout.blocks_in(gib(10)), 0U);
  EXPECT_EQ(layout.printed_tokens(0, 1024, BlockRules{}), 0U);
}

}  // namespace
}  // namespace steelyard::memory

#include "memory/kv_vllm.h"

#include <algorithm>

namespace steelyard::memory {
namespace {

bool grows(CacheKind kind) {
  return kind == CacheKind::full || kind == CacheKind::mla;
}

std::vector<CacheGroup> kinds_of(const std::vector<LayerCache>& caches, const BlockRules& rules) {
  std::vector<CacheGroup> kinds;
  for (LayerCache cache : caches) {
    const bool bounded = cache.kind == CacheKind::sliding || cache.kind == CacheKind::chunked ||
                         cache.kind == CacheKind::cross;
    if (bounded && !rules.hybrid_windows) {
      cache.kind = CacheKind::full;
      cache.window = cache.cross_tokens = 0;
    }
    auto found = std::ranges::find(kinds, cache, &CacheGroup::layer);
    if (found == kinds.end()) {
      kinds.push_back(
          {.layer = cache, .layers = 0, .groups = 1, .block_tokens = rules.block_tokens});
      found = kinds.end() - 1;
    }
    ++found->layers;
  }
  return kinds;
}

// Bytes of one block of one layer; compressed caches keep one entry per `compress_ratio` tokens.
std::uint64_t page_of(const CacheGroup& kind) {
  if (kind.layer.kind == CacheKind::state) return kind.layer.state_bytes;
  return saturating_mul(ceil_div(kind.block_tokens, kind.layer.compress_ratio),
                        kind.layer.bytes_per_token);
}

// The attention block grows, in steps the kernels can address, until its page holds a state.
void grow_to_states(std::vector<CacheGroup>& kinds, std::uint64_t step) {
  std::uint64_t state = 0, per_token = 0;
  for (const CacheGroup& kind : kinds) {
    state = std::max(state, kind.layer.state_bytes);
    per_token = std::max(per_token, kind.layer.bytes_per_token);
  }
  if (state == 0 || per_token == 0) return;
  const std::uint64_t tokens = round_up(ceil_div(state, per_token), step);
  for (CacheGroup& kind : kinds) {
    if (kind.layer.kind != CacheKind::state) {
      kind.block_tokens = std::max(kind.block_tokens, tokens);
    }
  }
}

// Smaller pages take more tokens, when that comes out even, to reach the largest.
std::uint64_t unify_pages(std::vector<CacheGroup>& kinds) {
  std::uint64_t largest = 0;
  for (const CacheGroup& kind : kinds) largest = std::max(largest, page_of(kind));
  for (CacheGroup& kind : kinds) {
    const std::uint64_t page = page_of(kind);
    if (kind.layer.kind == CacheKind::state || page == 0 || largest % page != 0) continue;
    kind.block_tokens *= largest / page;
  }
  return largest;
}

// As many layers as the smallest kind has; when the largest is barely larger, padding it is cheaper
// than cutting it in two.
std::size_t layers_per_group(const std::vector<CacheGroup>& kinds) {
  std::size_t least = kinds.front().layers, most = 0;
  for (const CacheGroup& kind : kinds) {
    least = std::min(least, kind.layers);
    most = std::max(most, kind.layers);
  }
  return 4 * most < 5 * least ? most : least;
}

// All kinds keep whole sequences: one group whose block is the sum of their pages.
void lay_side_by_side(BlockLayout& layout) {
  layout.groups = 1;
  layout.group_layers = 1;
  for (const CacheGroup& kind : layout.kinds) {
    layout.page_bytes =
        saturating_add(layout.page_bytes, saturating_mul(page_of(kind), kind.layers));
  }
  layout.block_bytes = layout.page_bytes;
}

std::uint64_t blocks_of_kind(const CacheGroup& kind, std::uint64_t tokens,
                             const BlockRules& rules) {
  const LayerCache& layer = kind.layer;
  const std::uint64_t block = std::max<std::uint64_t>(1, kind.block_tokens);
  switch (layer.kind) {
    case CacheKind::full:
    case CacheKind::mla:
      return ceil_div(ceil_div(tokens, std::max<std::uint64_t>(1, rules.context_parallel)), block);
    case CacheKind::sliding: {
      const std::uint64_t held = saturating_add(layer.window, rules.batched_tokens) - 1;
      return ceil_div(std::min(held, tokens), block) + 1;
    }
    case CacheKind::chunked:
      return ceil_div(std::min(saturating_add(layer.window, rules.batched_tokens), tokens), block);
    case CacheKind::cross:
      return ceil_div(layer.cross_tokens, block);
    case CacheKind::state:
      return (rules.states_aligned ? 2 : 1) + rules.speculative_tokens;
  }
  return 0;
}

}  // namespace

BlockLayout block_layout(const std::vector<LayerCache>& caches, const BlockRules& rules) {
  BlockLayout layout;
  std::vector<LayerCache> pooled;
  pooled.reserve(caches.size());
  for (const LayerCache& cache : caches) {
    if (cache.kind == CacheKind::state && !rules.hybrid_states) {
      layout.outside_bytes = saturating_add(layout.outside_bytes, cache.state_bytes);
    } else {
      pooled.push_back(cache);
    }
  }
  if (pooled.empty()) return layout;
  layout.kinds = kinds_of(pooled, rules);
  if (std::ranges::all_of(layout.kinds,
                          [](const CacheGroup& kind) { return grows(kind.layer.kind); })) {
    lay_side_by_side(layout);
    return layout;
  }
  grow_to_states(layout.kinds, rules.block_tokens);
  layout.page_bytes = unify_pages(layout.kinds);
  layout.group_layers = layers_per_group(layout.kinds);
  for (CacheGroup& kind : layout.kinds) {
    kind.groups = ceil_div(kind.layers, layout.group_layers);
    layout.groups += kind.groups;
    layout.padding_layers += kind.groups * layout.group_layers - kind.layers;
  }
  layout.block_bytes = saturating_mul(layout.page_bytes, layout.group_layers);
  return layout;
}

BlockLayout::Need BlockLayout::blocks_of(std::uint64_t sequence_tokens,
                                         const BlockRules& rules) const {
  Need need;
  if (groups == 1 && group_layers == 1 && kinds.size() > 1) {
    need.tokens = blocks_of_kind(kinds.front(), sequence_tokens, rules);
    return need;
  }
  for (const CacheGroup& kind : kinds) {
    const std::uint64_t blocks =
        saturating_mul(blocks_of_kind(kind, sequence_tokens, rules), kind.groups);
    std::uint64_t& sum = kind.layer.kind == CacheKind::state ? need.states : need.tokens;
    sum = saturating_add(sum, blocks);
  }
  return need;
}

std::uint64_t BlockLayout::blocks_in(Bytes pool) const {
  return block_bytes == 0 ? 0 : pool.value() / block_bytes;
}

std::uint64_t BlockLayout::printed_tokens(std::uint64_t blocks, std::uint64_t max_len,
                                          const BlockRules& rules) const {
  if (kinds.empty() || groups == 0) return 0;
  if (rules.prints_capacity) {
    const std::uint64_t need = blocks_of(max_len, rules).all();
    if (need == 0) return 0;
    return bytes_from(static_cast<double>(blocks) / static_cast<double>(need) *
                          static_cast<double>(max_len) -
                      0.5)
        .value();
  }
  std::uint64_t block = kinds.front().block_tokens;
  for (const CacheGroup& kind : kinds) {
    if (kind.layer.kind != CacheKind::state) block = std::min(block, kind.block_tokens);
  }
  return blocks / groups * block * std::max<std::uint64_t>(1, rules.context_parallel);
}

}  // namespace steelyard::memory

#include "memory/kv_sglang.h"

#include <algorithm>
#include <cmath>

namespace steelyard::memory {

TokenPool token_pool(const std::vector<LayerCache>& caches, std::uint64_t state_copies) {
  TokenPool pool;
  for (const LayerCache& cache : caches) {
    switch (cache.kind) {
      case CacheKind::state:
        pool.state_bytes =
            saturating_add(pool.state_bytes, saturating_mul(cache.state_bytes, state_copies));
        break;
      case CacheKind::sliding:
      case CacheKind::chunked:
        pool.sliding_bytes = saturating_add(pool.sliding_bytes, cache.bytes_per_token);
        pool.window = std::max(pool.window, cache.window);
        break;
      default:
        pool.full_bytes =
            saturating_add(pool.full_bytes, cache.bytes_per_token / cache.compress_ratio);
    }
  }
  // A model of sliding layers alone has no second pool to divide with: one slot per token.
  if (pool.full_bytes == 0) std::swap(pool.full_bytes, pool.sliding_bytes);
  return pool;
}

TokenPool::Split TokenPool::divide(Bytes pool) const {
  Split split;
  split.kv = pool;
  if (state_bytes > 0) {
    split.states =
        full_bytes == 0
            ? pool
            : bytes_from(pool.as_double() * state_memory_ratio / (1 + state_memory_ratio));
    split.state_slots = std::floor(split.states.as_double() / static_cast<double>(state_bytes));
    split.kv = pool - split.states;
  }
  const double each =
      static_cast<double>(full_bytes) + sliding_token_ratio * static_cast<double>(sliding_bytes);
  split.tokens = each > 0 ? std::floor(split.kv.as_double() / each) : 0;
  return split;
}

}  // namespace steelyard::memory

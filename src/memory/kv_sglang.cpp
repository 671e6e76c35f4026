#include "memory/kv_sglang.h"

#include <algorithm>
#include <cmath>

namespace steelyard::memory {
namespace {

// Entry: eight-bit values, a scale per 64 of them (padded to 8 bytes), a 16-bit rotary part.
constexpr double kEntryScaleBytes = 8, kIndexScaleBytes = 4, kStateBytes = 4;
constexpr double kWindowShare = 0.1;  // swa_full_tokens_ratio of these models
// Tokens whose sums are kept while entries of 4 (overlapping, so two sets) and more are built.
constexpr double kFineRing = 8;

struct CompressedLayer {
  double entry = 0, index = 0, ratio = 1, window = 1, width = 0, index_width = 0;

  double bytes() const {
    double sum = entry / ratio + (index > 0 ? (index + kIndexScaleBytes) / ratio : 0);
    const bool fine = ratio <= 4;
    const double ring = fine ? kFineRing : ratio, sets = fine ? 2 : 1;
    // A value and its weight for each element, over the ring of each window.
    const double state = 2 * sets * kStateBytes * (width + index_width);
    return sum + kWindowShare * ring / window * state;
  }
};

}  // namespace

double compressed_bytes_per_token(const model::Model& model, const Stage& stage) {
  double window = 0, entry = 0;
  for (const model::Layer& layer : model.layers) {
    const model::Attention& a = layer.attention;
    if (layer.mixer != model::Mixer::mla || a.compress_ratio <= 1) continue;
    window = a.window;
    entry = a.kv_lora_rank + 2.0 * a.rope_dim + kEntryScaleBytes;
  }
  if (window <= 0) return 0;
  double sum = 0;
  for (std::size_t i = stage.first; i < std::min(stage.last, model.layers.size()); ++i) {
    const model::Attention& a = model.layers[i].attention;
    sum += kWindowShare * entry;
    if (a.compress_ratio <= 1) continue;
    const CompressedLayer layer{.entry = entry,
                                .index = static_cast<double>(a.indexer_dim),
                                .ratio = static_cast<double>(a.compress_ratio),
                                .window = window,
                                .width = static_cast<double>(a.kv_lora_rank + a.rope_dim),
                                .index_width = static_cast<double>(a.indexer_dim)};
    sum += layer.bytes();
  }
  if (stage.holds_head) sum += kWindowShare * entry * static_cast<double>(model.mtp_layers.size());
  return sum;
}

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

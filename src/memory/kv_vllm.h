// vLLM's block arithmetic: groups of layers that share block tables, and what its log prints.
#pragma once

#include <optional>

#include "memory/kv_layout.h"

namespace steelyard::memory {

// What the engine version does; see vllm_versions.h.
struct BlockRules {
  std::uint64_t block_tokens = 16;
  bool hybrid_windows = true;           // sliding layers give blocks back; before: full length
  bool hybrid_states = true;            // recurrent states live in the same pool
  bool states_aligned = false;          // prefix caching keeps a second state block per group
  bool prints_capacity = true;          // the printed tokens are concurrency x length
  std::uint64_t batched_tokens = 2048;  // a window also holds the tokens of the running step
  std::uint64_t context_parallel = 1;   // dcp: each rank keeps every dcp-th token
  std::uint64_t speculative_tokens = 0;
};

// One kind of layer: how many groups of how many layers, and its block.
struct CacheGroup {
  LayerCache layer;
  std::size_t layers = 0, groups = 0;
  std::uint64_t block_tokens = 16;
};

struct BlockLayout {
  std::vector<CacheGroup> kinds;
  std::size_t group_layers = 0;     // layers per group, padding included
  std::size_t groups = 0;           // of all kinds
  std::uint64_t page_bytes = 0;     // of one layer's block, the same for all
  std::uint64_t block_bytes = 0;    // page_bytes x group_layers
  std::uint64_t outside_bytes = 0;  // states kept outside the pool, per sequence
  std::size_t padding_layers = 0;

  // Blocks that one sequence of `tokens` takes; split into those of states and the rest.
  struct Need {
    std::uint64_t tokens = 0, states = 0;
    std::uint64_t all() const { return saturating_add(tokens, states); }
  };
  Need blocks_of(std::uint64_t tokens, const BlockRules& rules) const;

  std::uint64_t blocks_in(Bytes pool) const;
  std::uint64_t printed_tokens(std::uint64_t blocks, std::uint64_t max_len,
                               const BlockRules& rules) const;
};

// Layers of one kind share one group; unequal kinds are cut into groups as large as the smallest
// kind, pages are brought to one size (the attention block grows until it holds a state; smaller
// pages take more tokens), as vllm/v1/core/kv_cache_utils.py does.
BlockLayout block_layout(const std::vector<LayerCache>& caches, const BlockRules& rules);

}  // namespace steelyard::memory

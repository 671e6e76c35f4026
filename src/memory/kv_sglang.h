// SGLang's token pools: one slot per token for all layers, states in slots of their own.
#pragma once

#include "memory/kv_layout.h"

namespace steelyard::memory {

struct TokenPool {
  std::uint64_t full_bytes = 0;     // per token, layers that keep everything
  std::uint64_t sliding_bytes = 0;  // per token, layers with a window
  std::uint64_t state_bytes = 0;    // per sequence
  std::uint32_t window = 0;

  // Shares of the pool when the engine divides it by its own ratios.
  struct Split {
    double tokens = 0;  // full tokens that fit
    double state_slots = 0;
    Bytes kv, states;
  };
  Split divide(Bytes pool) const;
};

// Sliding layers get this share of the tokens of the full ones (swa_full_tokens_ratio).
inline constexpr double sliding_token_ratio = 0.8;
// States get this many bytes for each byte of KV (mamba_full_memory_ratio).
inline constexpr double state_memory_ratio = 0.9;

// `state_copies`: 1, plus one per draft token whose state a verify pass keeps.
TokenPool token_pool(const std::vector<LayerCache>& caches, std::uint64_t state_copies);

// Bytes of one token of a model whose layers cache compressed entries (DeepSeek-V4); 0 for others.
// Every layer, MTP layers too, has a window's pool for a tenth of the tokens; compressing layers
// add an entry per `compress_ratio` tokens, the indexer's key to it, and the unfinished sums of the
// compressor, as 32-bit pairs for the tokens of the windows' pool.
double compressed_bytes_per_token(const model::Model& model, const Stage& stage);

}  // namespace steelyard::memory

// The KV cache and the recurrent states of llama.cpp: cells, and bytes per layer.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/engines/llama_cpp_builds.h"

namespace steelyard::memory::llama_cpp {

// The engine's settings after its own defaults are filled in.
struct Settings {
  std::uint64_t context = 0;       // n_ctx, all sequences together, as the log prints it
  std::uint64_t cells = 0;         // of one stream, full attention
  std::uint64_t window_cells = 0;  // of one stream, sliding layers; 0 when there are none
  std::uint64_t streams = 1;
  std::uint64_t sequences = 1;
  std::uint64_t micro_batch = 512;
  bool flash = true;
  bool full_length_windows = false;  // ik_llama.cpp, old builds
  facts::Format keys, values;
  std::uint64_t state_copies = 1;  // 1 + depth of speculative rollback
};

// Errors: usage (an unknown cache format, quantised values without flash attention),
// missing_field (no context anywhere).
Result<Settings> settings_of(const model::Model& model, const Workload& workload,
                             const Build& build);

// How MLA layers are cached: latent only, latent twice, or expanded to every head.
enum class LatentCache { latent, latent_and_values, expanded };
LatentCache latent_cache_of(const model::Model& model, const Workload& workload,
                            const Build& build);

// Bytes of one layer, all sequences.
struct LayerCache {
  Bytes keys, values;
  Bytes conv_state, scan_state;
};
LayerCache layer_cache(const model::Layer& layer, const Settings& settings, LatentCache latent,
                       const Build& build);

}  // namespace steelyard::memory::llama_cpp

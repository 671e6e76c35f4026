// What changed from build to build of llama.cpp and matters to memory, in one place.
#pragma once

#include <cstdint>
#include <optional>

#include "memory/memory.h"

namespace steelyard::memory::llama_cpp {

// The rules of one build. Numbers of builds are those of the merge of the change, or the nearest
// release after it (sources in llama_cpp_builds.cpp).
struct Build {
  bool pads_context_to_256 =
      true;                   // else the cache is padded: 256 with flash attention, 32 without
  bool streams = true;        // sequences have caches of their own unless one is shared
  bool sliding_cache = true;  // sliding layers keep only what they see
  bool latent_cache = true;   // MLA keeps one compressed vector per token
  bool latent_values_cached = false;  // ... and a second copy of it as V
  bool encoders_without_cache = true;
  bool flash_attention_default = true;
  bool fused_activation = true;         // gate and up are joined by an operation of its own
  bool copies_fused_parts = false;      // q, k and v are copied out of a fused product
  bool pinned_host_cache = false;       // a host's cache lies in memory that the card can write
  bool selects_outputs = true;          // the last layer drops the tokens without logits
  bool counts_output_as_layer = true;   // -ngl 1 moves the output matrix first
  bool reserves_all_outputs = false;    // logits of a whole micro-batch, else one per sequence
  bool keys_last = true;                // values are projected before keys
  bool half_masks = true;               // flash attention's mask is 16-bit from the start
  bool keeps_embedding_input = true;    // room for embeddings as input, though tokens come in
  bool index_inputs = true;             // the rows to write in the cache are an input
  bool rotates_quantised_cache = true;  // q, k and v are rotated before a quantised cache
  bool rpc_events = true;               // servers over RPC keep a pipeline, as cards do
  bool context_from_model = true;       // the default context is the model's own
  std::uint64_t default_context = 4096;
  std::uint64_t default_slots = 4;     // sharing one cache
  std::uint64_t most_sequences = 256;  // LLAMA_MAX_SEQ
  bool single_buffer = false;  // 2023: one buffer for all, with the bookkeeping of its graph
};

// The newest rules when no version is given.
Build build_of(const std::optional<Version>& version);

}  // namespace steelyard::memory::llama_cpp

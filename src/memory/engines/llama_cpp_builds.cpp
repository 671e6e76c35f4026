#include "memory/engines/llama_cpp_builds.h"

namespace steelyard::memory::llama_cpp {

namespace {

// First build with the change. Pull requests of ggml-org/llama.cpp:
constexpr std::uint32_t split_buffers = 1842;         // #4766: compute buffers per backend
constexpr std::uint32_t selected_outputs = 2540;      // #6122: only wanted tokens reach the head
constexpr std::uint32_t plain_host_cache = 4000;      // logs: CUDA_Host before, CPU after
constexpr std::uint32_t latent = 5127;                // #12801: MLA with a compressed cache
constexpr std::uint32_t sliding = 5434;               // #13194: a cache of its own for windows
constexpr std::uint32_t no_encoder_cache = 5600;      // #13979 and before: memory only where needed
constexpr std::uint32_t fused_views = 5700;           // #14126 and after: views of fused products
constexpr std::uint32_t glu = 5760;                   // #14158, #14181: gated activations as one op
constexpr std::uint32_t per_sequence_streams = 5913;  // #14363
constexpr std::uint32_t cache_indices = 6070;         // #14959, August 2025: rows by index
constexpr std::uint32_t automatic_flash = 6325;       // #15434: flash attention "auto"
constexpr std::uint32_t more_sequences = 6510;        // #15916, September 2025: 256 instead of 64
constexpr std::uint32_t keys_after_values = 6970;     // #16884, November 2025
constexpr std::uint32_t padded_context = 6990;        // #17046
constexpr std::uint32_t four_slots = 6993;            // #16736: the server's slots default to four
constexpr std::uint32_t fitted_context = 7407;        // #16653: the context default is the model's
constexpr std::uint32_t selected_input = 7815;        // #18898, January 2026: tokens or embeddings
constexpr std::uint32_t latent_without_values = 7850;  // #19067: MLA caches no V
constexpr std::uint32_t rotated_cache = 8590;          // #21038, 1 April 2026
constexpr std::uint32_t half_masks = 9440;             // #23764, 28 May 2026
constexpr std::uint32_t few_outputs = 9450;            // #23861: logits only where wanted
// #18626, merged on 26 August 2026; the build is told from the numbers of that day's issues.
constexpr std::uint32_t rpc_events = 10370;

}  // namespace

Build build_of(const std::optional<Version>& version) {
  if (!version) return {};
  // Since the summer of 2026 releases are called v0.4.0 and so on: newer than every build here.
  if (version->text.find('.') != std::string::npos && version->parts[0] < 100) return {};
  const std::uint32_t b = version->parts[0];
  return {.pads_context_to_256 = b >= padded_context,
          .streams = b >= per_sequence_streams,
          .sliding_cache = b >= sliding,
          .latent_cache = b >= latent,
          .latent_values_cached = b >= latent && b < latent_without_values,
          .encoders_without_cache = b >= no_encoder_cache,
          .flash_attention_default = b >= automatic_flash,
          .fused_activation = b >= glu,
          .copies_fused_parts = b < fused_views,
          .pinned_host_cache = b < plain_host_cache,
          .selects_outputs = b >= selected_outputs,
          .counts_output_as_layer = b >= fitted_context,
          .reserves_all_outputs = b < few_outputs,
          .keys_last = b >= keys_after_values,
          .half_masks = b >= half_masks,
          .keeps_embedding_input = b >= selected_input,
          .index_inputs = b >= cache_indices,
          .rotates_quantised_cache = b >= rotated_cache,
          .rpc_events = b >= rpc_events,
          .context_from_model = b >= fitted_context,
          .default_context = b < split_buffers ? 512U : 4096U,
          .default_slots = b >= four_slots ? 4U : 1U,
          .most_sequences = b >= more_sequences ? 256U : 64U,
          .single_buffer = b < split_buffers};
}

}  // namespace steelyard::memory::llama_cpp

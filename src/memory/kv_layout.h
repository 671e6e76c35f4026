// What each layer keeps per token or per sequence on one rank. Exact arithmetic.
#pragma once

#include <vector>

#include "memory/placement.h"

namespace steelyard::memory {

enum class CacheKind { full, sliding, chunked, mla, cross, state };

struct LayerCache {
  CacheKind kind = CacheKind::full;
  std::uint64_t bytes_per_token = 0;  // of one cached token; indexer values included
  std::uint64_t state_bytes = 0;      // recurrent: of one sequence
  std::uint32_t window = 0;           // sliding and chunked: tokens
  std::uint32_t cross_tokens = 0;
  std::uint32_t compress_ratio = 1;  // one cached entry per this many tokens
  bool operator==(const LayerCache&) const = default;
};

struct CacheRules {
  double key_bytes = 2, value_bytes = 2;  // per element
  // 0: an element of the latent vector takes key_bytes. Else the whole entry takes this many bytes
  // (the layout with one scale per 128 values and 16-bit rotary part: 512 + 16 + 128 = 656).
  std::uint64_t mla_entry_bytes = 0;
  std::uint64_t indexer_scale_bytes = 0;  // per token; the values take one byte each
  double conv_bytes = 2;                  // type of the convolution's inputs
  double state_bytes = 4;                 // type of delta-net states and their kin
  double mamba_bytes = 2;                 // type of Mamba states
  bool encoders_too = false;              // the engine gives encoders a token pool as well
};

// Layers [stage.first, stage.last) that keep anything; MTP layers are added on the last stage when
// `mtp_layers` > 0. `tp` is the tensor parallel size the attention really has.
std::vector<LayerCache> layer_caches(const model::Model& model, const Stage& stage,
                                     std::uint32_t tp, const CacheRules& rules,
                                     std::uint64_t mtp_layers);

// Sum over the layers whose cache grows with the whole context.
std::uint64_t growing_bytes_per_token(const std::vector<LayerCache>& caches);

// Bytes of one element of a KV format word: "", "auto", "bf16", "fp8", "q8_0" ... 0: unknown word.
double kv_element_bytes(std::string_view format, const model::Model& model);
// The same for a workload: a cache without a format of its own follows the compute type asked for.
double cache_element_bytes(const Workload& workload, std::string_view format,
                           const model::Model& model);
// The word with the model's own KV format and the compute type filled in.
std::string kv_format_name(std::string_view asked, const model::Model& model);

}  // namespace steelyard::memory

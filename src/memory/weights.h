// Bytes of weights on one rank: the sum of the model's tensors, each cut as the engine cuts it.
#pragma once

#include "memory/placement.h"

namespace steelyard::memory {

struct WeightRules {
  std::uint32_t vocabulary_padding = 64;  // rows of embedding and head are padded to this
  bool shards_towers = true;              // vision and audio towers by tensor parallelism
  // Dense feed-forward under attention data parallelism: by the attention's share of tp (vLLM) or
  // by the whole of it (SGLang).
  bool dense_by_attention_tp = true;
  bool loads_mtp = false;  // MTP layers are only loaded when speculative decoding uses them
  // Engines cast what a checkpoint stores in 32 bit to 16 bit when they load it.
  bool casts_to_16_bit = true;
  // Sizes that the kernels for 4-bit block-scaled experts pad to (gpt-oss: 2880 to 3072 and 2944).
  std::uint32_t mxfp4_hidden_step = 256, mxfp4_inner_step = 128;
  // What PyTorch's allocator counts as allocated: with the ends that stay with a block.
  bool allocator_rounding = true;
  // Instead: whole segments, for an engine that logs what loading took from the card.
  bool whole_segments = false;
  bool rope_cache = true;  // cos and sin of every position, kept beside the weights
  std::uint32_t rope_element_bytes = 2;
  std::uint32_t mrope_factor = 1;  // longer tables where time, height and width are apart
  // Decoding with latent attention multiplies by a 16-bit copy of kv_b: always, or only where the
  // stored one is quantised and so cannot be used itself.
  bool copies_plain_kv_b = false;
};

// Exact for what the description lists. Source: column/row/vocabulary parallel linear layers of
// Megatron-LM (arXiv 1909.08053), which vLLM, SGLang and TensorRT-LLM all follow.
Bytes rank_weights(const model::Model& model, const Placement& placement, const Stage& stage,
                   const WeightRules& rules);

// LoRA pairs A (rank x in) and B (out x rank) for every matrix of the layers, in the compute type;
// the engine keeps room for all adapters at once.
Bytes adapter_bytes(const model::Model& model, const Placement& placement, const Stage& stage,
                    std::uint64_t adapters, std::uint64_t rank);

// Whether some layer chooses among experts.
bool has_experts(const model::Model& model);

// max(1, kv_heads / tp): a head is never cut, only held twice.
std::uint64_t kv_heads_on_rank(std::uint32_t kv_heads, std::uint32_t tp);

}  // namespace steelyard::memory

// The compute graph of one evaluation: what each kind of layer multiplies, in llama.cpp's order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "memory/memory.h"
#include "model/model.h"

namespace steelyard::memory::llama_cpp {

// What the layers of a model have in common on their devices, found once for many evaluations.
struct Pattern {
  std::vector<std::size_t> picked;  // layers that stand for the rest
  bool slides = false, full = false, states = false, both_ways = false;
};
Pattern pattern_of(const model::Model& model, const std::vector<std::uint32_t>& layer_device);

// Where things lie and how large one evaluation is. Device numbers: 0..cards-1, host = cards.
struct GraphSetup {
  std::uint32_t cards = 0;
  std::uint64_t tokens = 512;      // of one micro-batch
  std::uint64_t outputs = 512;     // tokens whose logits are wanted
  std::uint64_t cells = 0;         // cache cells one stream's token may see, full attention
  std::uint64_t window_cells = 0;  // the same in sliding layers
  std::uint64_t streams = 1;       // caches side by side; 1 when all sequences share one
  std::uint64_t sequences = 1;     // recurrent states
  bool flash = true;
  bool mla_compressed = true;    // the cache holds the latent, not expanded keys and values
  bool fused_activation = true;  // gate x up is an operation of its own (builds of mid-2025 on)
  bool offload_large_batches = true;  // a card computes what the host stores
  bool experts_on_host = false;
  bool host_computes_experts = false;  // ik_llama.cpp: experts of the host are never copied
  // ik_llama.cpp -mla 2 and 3 with flash attention: a prompt expands the latent cache to 16-bit
  // keys and values of all heads, through 32-bit pieces of at most this many bytes (-amb; 0 =
  // whole).
  std::optional<std::uint64_t> expansion_bytes;
  bool copies_fused_parts = true;  // q, k and v are copied out of one fused product
  bool pinned_host_cache = false;  // a card writes into the host's cache directly
  bool selects_outputs = true;     // the last layer drops the tokens without logits
  bool takes_over_views = false;   // see ComputeGraph::reserve
  bool half_masks = true, keeps_embedding_input = true, index_inputs = true;  // see Build
  bool keys_last = true;
  bool rotates_keys = false, rotates_values = false;  // a quantised cache is kept rotated
  bool cache_on_cards = true;                         // false: every cache lies in host memory
  std::uint32_t copies = 1;                           // pipeline parallelism keeps 4
  double key_bytes = 2, value_bytes = 2;              // per cached element
  std::vector<std::uint32_t> layer_device;
  std::uint32_t output_device = 0;
  const Pattern* pattern = nullptr;  // null: found anew
};

// Sizes of the weights by layer and role; roles a file lacks are 0 and cost nothing to copy. The
// tensors outside the layers are layer -1.
class LayerWeights {
 public:
  explicit LayerWeights(const model::Model& model);
  std::uint64_t of(std::int32_t layer, model::Role role) const {
    return rows_[static_cast<std::size_t>(layer + 1)].bytes[static_cast<std::size_t>(role)];
  }
  // Output features of the query projection, 0 when the file does not keep it apart.
  std::uint64_t query_rows(std::int32_t layer) const {
    return rows_[static_cast<std::size_t>(layer + 1)].query_rows;
  }

 private:
  struct Row {
    std::array<std::uint64_t, static_cast<std::size_t>(model::Role::other) + 1> bytes{};
    std::uint64_t query_rows = 0;
  };
  std::vector<Row> rows_;
};

// Bytes of scratch per device, host last. `weights` are those of the same model.
std::vector<std::uint64_t> compute_buffers(const model::Model& model, const LayerWeights& weights,
                                           const GraphSetup& setup);

}  // namespace steelyard::memory::llama_cpp

// One description of a model, whatever file it came from: layers, and groups of tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/base.h"
#include "facts/facts.h"

namespace steelyard::model {

// What a layer keeps for each past token, or for each sequence.
enum class Mixer {
  none,           // a layer without sequence mixing (Nemotron-H MLP layers, skipped attention)
  full,           // MHA, GQA, MQA over the whole context
  sliding,        // the last `window` tokens
  chunked,        // Llama-4: attention inside chunks of `window` tokens
  mla,            // one compressed vector per token, shared by K and V
  cross,          // keys and values of an encoder's tokens
  recurrent,      // a state per sequence: Mamba, gated delta net, RWKV, short convolution
  bidirectional,  // encoders: no cache at all
};

struct Attention {
  std::uint32_t query_heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t key_dim = 0;                     // per head, as cached
  std::uint32_t value_dim = 0;                   // per head, as cached
  std::uint32_t window = 0;                      // sliding / chunked: tokens
  std::uint32_t kv_lora_rank = 0, rope_dim = 0;  // MLA
  std::uint32_t indexer_dim = 0;                 // sparse indexer: key values per token (0 = none)
  std::uint32_t compress_ratio =
      0;  // DeepSeek-V4: one cached entry per this many tokens (0/1 = all)
  std::int32_t shares_cache_with = -1;  // layer whose cache is reused (Gemma-3n/4), -1 = its own
  std::uint32_t cross_tokens = 0;       // cross: encoder tokens per image or clip

  bool operator==(const Attention&) const = default;
};

enum class RecurrentKind { mamba1, mamba2, gated_delta, kimi_delta, rwkv, lightning, short_conv };

// State of one sequence in one layer, in elements; the engine decides the type of each part.
struct Recurrent {
  RecurrentKind kind = RecurrentKind::mamba2;
  std::uint64_t state_heads = 0, state_key_dim = 0, state_value_dim = 0;  // S = product
  std::uint64_t conv_channels = 0, conv_kernel = 0;  // R = channels x (kernel - 1)
  std::uint64_t groups = 0;                          // Mamba-2 B/C groups

  std::uint64_t state_elements() const { return state_heads * state_key_dim * state_value_dim; }
  std::uint64_t conv_elements() const {
    return conv_kernel > 0 ? conv_channels * (conv_kernel - 1) : 0;
  }
  bool operator==(const Recurrent&) const = default;
};

enum class FeedForwardKind { none, dense, moe };

struct FeedForward {
  FeedForwardKind kind = FeedForwardKind::dense;
  std::uint32_t intermediate = 0;  // dense width (0 in a pure MoE layer)
  bool gated = true;               // SwiGLU / GeGLU: three matrices instead of two
  std::uint32_t experts = 0, experts_per_token = 0, expert_intermediate = 0;
  std::uint32_t shared_experts = 0, shared_intermediate = 0;  // total width of the shared part

  bool operator==(const FeedForward&) const = default;
};

struct Layer {
  Mixer mixer = Mixer::full;
  Attention attention;
  Recurrent recurrent;
  FeedForward feed_forward;

  bool operator==(const Layer&) const = default;
};

// What a tensor is for. The quantisation mixes of GGUF and the placement rules both ask this.
enum class Role {
  token_embedding,
  position_embedding,
  output_head,
  norm,
  attention_q,
  attention_k,
  attention_v,
  attention_qkv,
  attention_output,
  attention_other,
  mla_q_a,
  mla_q_b,
  mla_kv_a,
  mla_kv_b,
  indexer,
  ffn_gate,
  ffn_up,
  ffn_down,
  router,
  expert_gate,
  expert_up,
  expert_down,
  shared_gate,
  shared_up,
  shared_down,
  recurrent_in,
  recurrent_out,
  recurrent_other,
  cross_attention,
  vision,
  audio,
  projector,
  other,
};

// A routed expert's matrix; any matrix of a feed-forward part, the router not among them.
bool is_expert(Role role);
bool is_feed_forward(Role role);

// How tensor parallelism cuts it.
enum class Split {
  replicated,
  column,      // rows (output features) / tp
  row,         // cols (input features) / tp
  kv_column,   // rows by kv heads: max(1, kv_heads / tp) heads per rank
  vocabulary,  // rows padded (vLLM: to 64) then / tp
  expert,      // whole experts over ep; the inner width over tp otherwise
};

// A name as in the file; "*" stands for the expert number of a group. Layers of one kind share it:
// the number of each is left out, and stands at `number_at`.
struct TensorName {
  std::string text;
  std::size_t number_at = 0;
};

// `count` equal tensors of rows x cols (a vector has cols 1). Groups never span layers. Plain
// figures: a model has thousands, and is copied for each format that is tried.
struct Tensor {
  std::uint32_t name = 0;    // which of Model::names
  std::int32_t number = -1;  // what its name leaves out; -1: nothing
  Role role = Role::other;
  std::int32_t layer = -1;  // -1: outside the layers; MTP layers follow the decoder layers
  std::uint64_t rows = 0, cols = 1, count = 1;
  facts::Format format;
  Bytes bytes;  // stored, all `count` of them, scales and zero points included
  Split split = Split::replicated;
  bool quantisable = false;  // a matrix that weight quantisation applies to

  // Saturates. Packed formats count the weights they stand for, scales do not count.
  std::uint64_t parameters() const { return saturating_mul(saturating_mul(rows, cols), count); }
};

// Vision or audio tower, as far as memory needs it.
struct Encoder {
  std::uint32_t layers = 0, hidden = 0, heads = 0, intermediate = 0;
  std::uint32_t image_size = 0, patch_size = 0, merge = 1;  // tokens = (image/patch/merge)^2
  std::uint32_t tokens_per_item = 0;                        // fixed count, when the model has one
  std::uint32_t max_tokens_per_item = 0;                    // dynamic resolution: the largest
  std::uint32_t frames = 0;        // audio: positions that one clip has inside the tower
  std::uint32_t input_values = 0;  // pixels or mel bins behind one position
  std::uint32_t kept_layers = 0;   // layers whose outputs the projector also reads (Llama-3.2)
  bool gated = false;              // three matrices in the feed-forward part
};

// One table of cos and sin that an engine keeps for rotary positions.
struct RotaryTable {
  std::uint64_t positions = 0, values = 0;
  bool sections = false;  // time, height and width apart (mrope)
};

// Where the description came from; shown in the answer as `reading`.
enum class Reading { config, safetensors, gguf, catalogue, typical_shape, catalogue_and_header };

// How the file itself stores its weights ("awq", "gptq", "fp8", "nvfp4", "mxfp4", "bnb-nf4", ...).
struct Quantisation {
  std::string method;       // empty: not quantised
  std::string description;  // for people: "compressed-tensors, 4-bit, groups of 128"
  std::string kv_format;    // a KV cache format the config asks for ("fp8"), else empty
};

// What reading a model from a hub cost.
struct Fetched {
  std::uint64_t requests = 0, bytes = 0;
};

struct Model {
  std::string name;
  std::string architecture;  // "LlamaForCausalLM" or GGUF's "llama"
  std::string model_type;
  Reading reading = Reading::config;
  std::string source;              // file, catalogue entry or "hf:org/name@commit"
  std::optional<Fetched> fetched;  // when it came from a hub
  std::string served;              // what an engine is told to load; empty: `name`
  std::string stored_as;           // a weight format asked for that the named files do not have
  std::uint64_t hidden = 0, vocab = 0, max_context = 0;
  std::vector<Layer> layers;      // decoder layers; empty when not established
  std::vector<Layer> mtp_layers;  // multi-token prediction, not counted in `layers`
  std::vector<TensorName> names;  // of the tensors
  std::vector<Tensor> tensors;
  std::vector<RotaryTable> rotary;
  facts::Format dtype;  // compute type of the checkpoint
  Quantisation quantisation;
  bool tied_embeddings = false;
  bool encoder_only = false;         // embedding and reranking models: no cache
  std::uint32_t encoder_layers = 0;  // encoder-decoder models: layers without a growing cache
  std::optional<Encoder> vision, audio;
  std::string not_established;     // why layers or attention are unknown; empty when all is known
  std::vector<std::string> notes;  // what was assumed while reading, one sentence each

  std::uint64_t parameters() const;         // all tensors, MTP layers and towers included
  std::uint64_t active_parameters() const;  // per token: experts scaled by experts_per_token
  Bytes weight_bytes() const;
  std::string name_of(const Tensor& tensor) const;
};

// Adds a group with checked sizes, under a name of its own. Errors: too_large when the element
// count leaves 62 bits.
Status add_tensor(Model& model, TensorName name, Tensor tensor);

}  // namespace steelyard::model

// A model in the making: the fields read, the description so far, and how a family names and
// shapes its tensors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/config_fields.h"
#include "model/description.h"

namespace steelyard::model {

enum class QkNorm { none, head, full, query_heads };

// The names of a family's modules, as in the published files; relative to the layer where it says.
struct NameStyle {
  std::string embedding = "model.embed_tokens";
  std::string layers = "model.layers";
  std::string final_norm = "model.norm";
  std::string head = "lm_head";
  std::string attention = "self_attn";  // within a layer
  std::string q = "q_proj", k = "k_proj", v = "v_proj", o = "o_proj";
  std::string qkv;  // one fused matrix instead of q, k and v
  std::string q_norm = "q_norm", k_norm = "k_norm";
  std::string mlp = "mlp", moe = "mlp";
  std::string gate = "gate_proj", up = "up_proj", down = "down_proj";
  std::string gate_up;  // one fused matrix instead of gate and up
  std::string router = "gate";
  std::string experts = "experts";
  std::string expert_gate = "gate_proj", expert_up = "up_proj", expert_down = "down_proj";
  std::string shared = "shared_experts";
  // Norms that a layer has when it mixes the sequence, and when it has a feed-forward part.
  std::vector<std::string> mixer_norms = {"input_layernorm"};
  std::vector<std::string> mlp_norms = {"post_attention_layernorm"};
  std::string positions = "model.embed_positions";
  std::string embedding_norm;  // BLOOM
  std::string mtp;  // "mtp.layers": MTP layers counted from 0 there; empty: numbered on from layers
};

// What differs between decoders beside the figures in Layer.
struct Style {
  NameStyle names;
  bool qkv_bias = false, o_bias = false, mlp_bias = false, head_bias = false, norm_bias = false;
  bool norm_weight = true;      // OLMo-1 has norms without parameters
  std::uint64_t positions = 0;  // rows of a learned position table
  bool rope_sections = false;   // positions have a time, a height and a width (mrope)
  bool local_rope = false;      // sliding layers turn by a rope of their own (Gemma 3)
  bool final_norm = true;
  bool head = true;  // embedding models end without one
  QkNorm qk_norm = QkNorm::none;
  bool output_gate = false;        // q also yields a gate of the same size (Qwen3-Next)
  bool sinks = false;              // one learned logit per query head
  bool k_eq_v = false;             // full-attention layers without a v matrix (Gemma 4)
  bool router_bias = false;        // a bias of the router matrix
  bool router_correction = false;  // DeepSeek's e_score_correction_bias
  bool expert_bias = false, experts_fused = false;  // one tensor for all experts of a layer
  bool shared_expert_gate = false;                  // Qwen's sigmoid gate of the shared expert
  // Multi-head latent attention: figures not in Attention.
  std::uint64_t q_lora_rank = 0, nope_dim = 0, indexer_heads = 0;
  bool mla_output_gate = false;
  // Recurrent layers: figures not in Recurrent.
  std::uint64_t dt_rank = 0;
  bool conv_bias = true, recurrent_bias = false, recurrent_norm = true;
  bool fused_gates = true;          // Qwen3-Next: one matrix for q, k, v and z; Qwen3.5: four
  bool full_rank_gate = false;      // Kimi K3: the output gate of a delta layer is one matrix
  std::string mixer = "mixer";      // the recurrent part within a layer
  std::uint64_t expert_hidden = 0;  // experts that work in a narrower space (0: the hidden size)
  bool mtp_own_embedding = false;   // the MTP layers carry their own embedding and head
};

// "a.b", or the one that is not empty.
std::string joined_name(std::string_view a, std::string_view b);

struct Draft {
  Fields root;  // the whole config
  Fields text;  // text_config where there is one, else the same
  Model model;
  Style style;
  std::int32_t layer = -1;   // where add() puts tensors
  std::string base;          // what their names begin with: "model.layers"
  std::int32_t number = -1;  // and the number after that; -1: neither

  void note(std::string sentence) { model.notes.push_back(std::move(sentence)); }

  // One group of `count` rows x cols in the compute type. Sizes are checked; the first that is
  // too large becomes the document's error.
  void add(std::string_view name, Role role, std::uint64_t rows, std::uint64_t cols, Split split,
           bool quantisable, std::uint64_t count = 1);
  // The same, called NAME and ENDING in one.
  void add_ending(std::string_view name, std::string_view ending, Role role, std::uint64_t rows,
                  std::uint64_t cols, Split split, bool quantisable, std::uint64_t count = 1);
  // A matrix out x in called NAME.weight, with NAME.bias when asked.
  void linear(std::string_view name, Role role, std::uint64_t out, std::uint64_t in, Split split,
              bool bias = false, bool quantisable = true);
  // NAME.weight (and NAME.bias by the style) of `size` values.
  void norm(std::string_view name, std::uint64_t size);
  void vector(std::string_view name, Role role, std::uint64_t size,
              Split split = Split::replicated);
  void enter_layer(std::size_t index);  // names begin with "model.layers.7."
  void enter_mtp(std::size_t index);    // the same for MTP layer `index`
  // Names begin with "PREFIX.7."; `layer` stays.
  void enter_block(std::string_view prefix, std::size_t index);
  void leave_layer();
  // The tensors from `begin` to `end` once more, in the layer or block that was entered.
  void repeat(std::size_t begin, std::size_t end);
};

}  // namespace steelyard::model

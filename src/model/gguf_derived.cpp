// The tensors of a GGUF file that is not there: derived from the layers.
#include <fmt/format.h>

#include "model/gguf_architectures.h"
#include "model/gguf_layers.h"
#include "model/tensor_names.h"

namespace steelyard::model {
namespace {

class Writer {
 public:
  Writer(Model& model, const GgufArchitecture& arch, const GgufMetadata& metadata)
      : model_(model), arch_(arch), metadata_(metadata) {}

  Status write() {
    matrix("token_embd.weight", model_.vocab, model_.hidden);
    for (std::size_t i = 0; i < model_.layers.size(); ++i) layer(i);
    vector("output_norm.weight", model_.hidden);
    if (!arch_.tied && !model_.encoder_only) matrix("output.weight", model_.vocab, model_.hidden);
    return status_;
  }

 private:
  void add(std::string name, std::uint64_t rows, std::uint64_t cols, std::uint64_t count,
           std::string_view format, std::uint32_t bytes) {
    if (rows == 0 || cols == 0 || count == 0 || !status_) return;
    const NameMeaning meaning = gguf_name(name);
    Tensor tensor{.role = meaning.role, .layer = index_};
    tensor.rows = rows;
    tensor.cols = cols;
    tensor.count = count;
    tensor.format = {.name = format, .block_elements = 1, .block_bytes = bytes};
    tensor.bytes = Bytes(saturating_mul(saturating_mul(saturating_mul(rows, cols), count), bytes));
    tensor.split = cols > 1 ? split_of(meaning.role) : vector_split(meaning.role);
    tensor.quantisable = cols > 1 && is_quantisable(meaning.role);
    status_ = add_tensor(model_, {.text = std::move(name)}, tensor);
  }
  void matrix(std::string name, std::uint64_t rows, std::uint64_t cols, std::uint64_t count = 1) {
    add(std::move(name), rows, cols, count, "f16", 2);
  }
  // Norms, biases, routers: the converter keeps them in f32.
  void vector(std::string name, std::uint64_t size) { add(std::move(name), size, 1, 1, "f32", 4); }

  std::string block(std::string_view stem, std::string_view ending = ".weight") const {
    return fmt::format("blk.{}.{}{}", block_, stem, ending);
  }
  void linear(std::string_view stem, std::uint64_t rows, std::uint64_t cols, bool bias) {
    matrix(block(stem), rows, cols);
    if (bias) vector(block(stem, ".bias"), rows);
  }

  void layer(std::size_t i) {
    index_ = static_cast<std::int32_t>(i);
    block_ = arch_.beside ? i / 2 : i;
    const Layer& l = model_.layers[i];
    if (l.mixer == Mixer::recurrent) {
      recurrent(l.recurrent);
    } else if (l.attention.kv_lora_rank > 0) {
      latent(l.attention);
    } else if (l.mixer != Mixer::none) {
      attention(l.attention);
    }
    feed_forward(l.feed_forward);
    static constexpr std::string_view names[] = {"attn_norm", "ffn_norm", "post_attention_norm",
                                                 "post_ffw_norm"};
    const bool second_half = arch_.beside && l.mixer == Mixer::recurrent;
    for (std::uint32_t n = 0; n < arch_.norms && n < 4 && !second_half; ++n) {
      vector(block(names[n]), model_.hidden);
      if (plain()) vector(block(names[n], ".bias"), model_.hidden);
    }
    index_ = -1;
  }

  bool plain() const {
    return arch_.blocks == GgufBlocks::plain || arch_.blocks == GgufBlocks::fused_plain;
  }
  bool fused() const {
    return arch_.blocks == GgufBlocks::fused || arch_.blocks == GgufBlocks::fused_plain;
  }

  void attention(const Attention& a) {
    const std::uint64_t q = saturating_mul(a.query_heads, a.key_dim);
    const std::uint64_t k = saturating_mul(a.kv_heads, a.key_dim);
    const std::uint64_t v = saturating_mul(a.kv_heads, a.value_dim);
    const bool bias = arch_.qkv_bias || plain();
    const bool gate = arch_.recurrent == RecurrentKind::gated_delta;  // q also yields a gate
    if (fused()) {
      linear("attn_qkv", q + k + v, model_.hidden, bias);
    } else {
      linear("attn_q", gate ? 2 * q : q, model_.hidden, bias);
      if (a.shares_cache_with < 0) {
        linear("attn_k", k, model_.hidden, bias);
        linear("attn_v", v, model_.hidden, bias);
      }
    }
    linear("attn_output", model_.hidden, saturating_mul(a.query_heads, a.value_dim), plain());
    if (arch_.qk_norm) {
      vector(block("attn_q_norm"), a.key_dim);
      vector(block("attn_k_norm"), a.key_dim);
    }
  }

  void latent(const Attention& a) {
    const std::uint64_t rank = metadata_.number(metadata_.key("attention.q_lora_rank")).value_or(0);
    const std::uint64_t q = saturating_mul(a.query_heads, a.key_dim);
    const std::uint64_t nope = a.key_dim > a.rope_dim ? a.key_dim - a.rope_dim : 0;
    if (rank > 0) {
      linear("attn_q_a", rank, model_.hidden, false);
      vector(block("attn_q_a_norm"), rank);
      linear("attn_q_b", q, rank, false);
    } else {
      linear("attn_q", q, model_.hidden, false);
    }
    linear("attn_kv_a_mqa", std::uint64_t{a.kv_lora_rank} + a.rope_dim, model_.hidden, false);
    vector(block("attn_kv_a_norm"), a.kv_lora_rank);
    if (a.kv_heads == 1 && a.query_heads > 1) {
      linear("attn_k_b", saturating_mul(a.query_heads, a.kv_lora_rank), nope, false);
      linear("attn_v_b", saturating_mul(a.query_heads, a.value_dim), a.kv_lora_rank, false);
    } else {
      linear("attn_kv_b", saturating_mul(a.query_heads, nope + a.value_dim), a.kv_lora_rank, false);
    }
    linear("attn_output", model_.hidden, saturating_mul(a.query_heads, a.value_dim), false);
  }

  void recurrent(const Recurrent& r) {
    const std::uint64_t hidden = model_.hidden;
    const std::uint64_t inner = saturating_mul(r.state_heads, r.state_value_dim);
    switch (r.kind) {
      case RecurrentKind::mamba1: {
        const std::uint64_t rank =
            metadata_.number(metadata_.key("ssm.time_step_rank")).value_or(ceil_div(hidden, 16));
        linear("ssm_in", 2 * inner, hidden, false);
        linear("ssm_x", rank + 2 * r.state_key_dim, inner, false);
        linear("ssm_dt", inner, rank, true);
        vector(block("ssm_a", ""), saturating_mul(inner, r.state_key_dim));
        linear("ssm_out", hidden, inner, false);
        break;
      }
      case RecurrentKind::gated_delta:
        linear("attn_qkv", r.conv_channels, hidden, false);
        linear("attn_gate", inner, hidden, false);
        linear("ssm_ba", 2 * r.state_heads, hidden, false);
        linear("ssm_out", hidden, inner, false);
        break;
      case RecurrentKind::short_conv:
        linear("shortconv.in_proj", 3 * hidden, hidden, false);
        linear("shortconv.out_proj", hidden, hidden, false);
        break;
      case RecurrentKind::rwkv:
        for (const char* name : {"key", "value", "receptance", "gate", "output"}) {
          linear(fmt::format("time_mix_{}", name), hidden, hidden, false);
        }
        break;
      default:
        linear("ssm_in", inner + r.conv_channels + r.state_heads, hidden, false);
        linear("ssm_out", hidden, inner, false);
        break;
    }
    if (r.kind != RecurrentKind::rwkv) {
      vector(block("ssm_conv1d"), saturating_mul(r.conv_channels, r.conv_kernel));
    }
  }

  void feed_forward(const FeedForward& ff) {
    const std::uint64_t hidden = model_.hidden;
    if (ff.kind == FeedForwardKind::dense && arch_.name == "qwen") {
      // Its feed-forward length counts gate and up together.
      linear("ffn_gate", ff.intermediate / 2, hidden, false);
      linear("ffn_up", ff.intermediate / 2, hidden, false);
      linear("ffn_down", hidden, ff.intermediate / 2, false);
    } else if (ff.kind == FeedForwardKind::dense) {
      const bool joined = arch_.blocks == GgufBlocks::fused;
      if (ff.gated && !joined) linear("ffn_gate", ff.intermediate, hidden, false);
      linear("ffn_up", std::uint64_t{ff.intermediate} * (joined ? 2 : 1), hidden, plain());
      linear("ffn_down", hidden, ff.intermediate, plain());
    }
    if (ff.kind != FeedForwardKind::moe) return;
    add(block("ffn_gate_inp"), ff.experts, hidden, 1, "f32", 4);
    if (ff.gated) matrix(block("ffn_gate_exps"), ff.expert_intermediate, hidden, ff.experts);
    matrix(block("ffn_up_exps"), ff.expert_intermediate, hidden, ff.experts);
    matrix(block("ffn_down_exps"), hidden, ff.expert_intermediate, ff.experts);
    if (ff.shared_intermediate == 0) return;
    linear("ffn_gate_shexp", ff.shared_intermediate, hidden, false);
    linear("ffn_up_shexp", ff.shared_intermediate, hidden, false);
    linear("ffn_down_shexp", hidden, ff.shared_intermediate, false);
  }

  Model& model_;
  const GgufArchitecture& arch_;
  const GgufMetadata& metadata_;
  std::int32_t index_ = -1;
  std::size_t block_ = 0;
  Status status_;
};

}  // namespace

Result<Model> from_gguf_metadata(const GgufMetadata& metadata) {
  auto model = layers_from_gguf_metadata(metadata);
  if (!model || model->layers.empty()) return model;
  const GgufArchitecture* known = find_gguf_architecture(model->architecture);
  const GgufArchitecture arch = known != nullptr ? *known : GgufArchitecture{};
  if (Status written = Writer(*model, arch, metadata).write(); !written) {
    return fail(std::move(written.error()));
  }
  model->notes.push_back("no tensor table: the tensors are derived from the layers");
  return model;
}

}  // namespace steelyard::model

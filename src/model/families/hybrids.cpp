// Layers with a recurrent state between attention layers: delta nets, Mamba, short convolutions.
#include <algorithm>

#include <fmt/format.h>

#include "model/families/all.h"

namespace steelyard::model {
namespace {

Recurrent mamba2_of(const Fields& f, std::uint64_t hidden) {
  Recurrent r{.kind = RecurrentKind::mamba2};
  r.state_heads = f.number({"mamba_n_heads", "mamba_num_heads", "num_heads"}, 0);
  r.state_value_dim = f.number({"mamba_d_head", "mamba_head_dim", "head_dim"}, 64);
  if (r.state_heads == 0 && r.state_value_dim > 0) {
    const std::uint64_t inner =
        f.number({"mamba_d_ssm"}, saturating_mul(f.number({"mamba_expand", "expand"}, 2), hidden));
    r.state_heads = inner / r.state_value_dim;
  }
  r.state_key_dim = f.number({"mamba_d_state", "ssm_state_size", "state_size"}, 128);
  r.groups = f.number({"mamba_n_groups", "n_groups", "mamba_ngroups"}, 1);
  r.conv_kernel = f.number({"mamba_d_conv", "conv_kernel"}, 4);
  r.conv_channels = saturating_add(saturating_mul(r.state_heads, r.state_value_dim),
                                   saturating_mul(2 * r.groups, r.state_key_dim));
  return r;
}

Recurrent mamba1_of(Draft& d) {
  const Fields& f = d.text;
  Recurrent r{.kind = RecurrentKind::mamba1};
  const std::uint64_t inner =
      saturating_mul(f.number({"mamba_expand", "expand"}, 2), d.model.hidden);
  r.state_heads = r.conv_channels = std::min(inner, kDimLimit * 16);
  r.state_key_dim = f.number({"mamba_d_state", "state_size"}, 16);
  r.state_value_dim = 1;
  r.conv_kernel = f.number({"mamba_d_conv", "conv_kernel"}, 4);
  d.style.dt_rank = f.number({"mamba_dt_rank", "time_step_rank"}, ceil_div(d.model.hidden, 16));
  d.style.conv_bias = f.flag({"mamba_conv_bias", "use_conv_bias"}, true);
  return r;
}

void make_recurrent(Layer& layer, const Recurrent& recurrent) {
  layer.mixer = Mixer::recurrent;
  layer.attention = {};
  layer.recurrent = recurrent;
}

// Marks the layers whose word in layer_types is `word`; without the list, all but every n-th.
void mark(Draft& d, std::string_view word, std::uint64_t full_every, const Recurrent& recurrent) {
  auto types = d.text.texts("layer_types");
  if (types.empty() && d.text.is_object("layer_type_counts")) {
    // Only how many of each: their places change no sum.
    const std::uint64_t count = d.text.object("layer_type_counts").number({word}, 0, kLayerLimit);
    types.assign(count, std::string(word));
    d.note("assumed: which layers are recurrent; the config only counts them");
  }
  for (std::size_t i = 0; i < d.model.layers.size(); ++i) {
    const bool is = types.empty() ? full_every > 0 && (i + 1) % full_every != 0
                                  : i < types.size() && types[i] == word;
    if (is) make_recurrent(d.model.layers[i], recurrent);
  }
}

}  // namespace

// Qwen3-Next, Qwen3.5 and later: three gated delta layers, then one attention layer.
void build_qwen3_next(Draft& d) {
  const Fields& f = d.text;
  Style& s = d.style;
  s.qk_norm = QkNorm::head;
  s.output_gate = f.flag({"attn_output_gate"}, true);
  s.shared_expert_gate = true;
  s.names.shared = "shared_expert";
  s.names.mtp = "mtp.layers";
  s.mixer = "linear_attn";
  s.fused_gates = d.root.text({"model_type"}) == "qwen3_next";
  if (!s.fused_gates) {
    s.names.embedding = "model.language_model.embed_tokens";
    s.names.layers = "model.language_model.layers";
    s.names.final_norm = "model.language_model.norm";
  }
  read_decoder(d);
  Recurrent r{.kind = RecurrentKind::gated_delta};
  r.state_heads = f.need({"linear_num_value_heads"});
  r.state_key_dim = f.need({"linear_key_head_dim"});
  r.state_value_dim = f.need({"linear_value_head_dim"});
  r.groups = f.need({"linear_num_key_heads"});
  r.conv_kernel = f.number({"linear_conv_kernel_dim"}, 4);
  r.conv_channels = saturating_add(saturating_mul(2 * r.groups, r.state_key_dim),
                                   saturating_mul(r.state_heads, r.state_value_dim));
  mark(d, "linear_attention", f.number({"full_attention_interval"}, 4, kLayerLimit), r);
  emit_decoder(d);
  read_towers(d);
}

void build_jamba(Draft& d) {
  const Fields& f = d.text;
  NameStyle& n = d.style.names;
  n.mlp = n.moe = "feed_forward";
  n.router = "router";
  n.mlp_norms = {"pre_ff_layernorm"};
  n.final_norm = "model.final_layernorm";
  d.style.mixer = "mamba";
  read_decoder(d);
  const Recurrent r = mamba1_of(d);
  const std::uint64_t period = std::max<std::uint64_t>(1, f.number({"attn_layer_period"}, 8));
  const std::uint64_t offset = f.number({"attn_layer_offset"}, 4);
  for (std::size_t i = 0; i < d.model.layers.size(); ++i) {
    if (i % period != offset) make_recurrent(d.model.layers[i], r);
  }
  emit_decoder(d);
}

void build_granite_hybrid(Draft& d) {
  NameStyle& n = d.style.names;
  d.style.experts_fused = true;
  d.style.mixer = "mamba";
  n.moe = "block_sparse_moe";
  n.router = "router.layer";
  n.mlp = "shared_mlp";
  n.shared = "shared_mlp";
  n.gate_up = "input_linear";
  n.down = "output_linear";
  read_decoder(d, {.tied = true});
  d.style.conv_bias = d.text.flag({"mamba_conv_bias"}, true);
  d.style.recurrent_bias = d.text.flag({"mamba_proj_bias"}, false);
  // Without experts the "shared" MLP is the only one.
  const std::uint64_t shared = d.text.number({"shared_intermediate_size"}, 0);
  for (Layer& layer : d.model.layers) {
    if (layer.feed_forward.kind == FeedForwardKind::dense && shared > 0) {
      layer.feed_forward.intermediate = u32(shared);
    }
  }
  mark(d, "mamba", 0, mamba2_of(d.text, d.model.hidden));
  emit_decoder(d);
}

void build_bamba(Draft& d) {
  d.style.mixer = "mamba";
  d.style.names.mlp = "feed_forward";
  d.style.names.mlp_norms = {"pre_ff_layernorm"};
  d.style.names.final_norm = "model.final_layernorm";
  read_decoder(d);
  d.style.conv_bias = d.text.flag({"mamba_conv_bias"}, true);
  d.style.recurrent_bias = d.text.flag({"mamba_proj_bias"}, false);
  const auto attention = d.text.numbers("attn_layer_indices", kLayerLimit);
  const Recurrent r = mamba2_of(d.text, d.model.hidden);
  for (std::size_t i = 0; i < d.model.layers.size(); ++i) {
    if (std::ranges::find(attention, i) == attention.end()) make_recurrent(d.model.layers[i], r);
  }
  emit_decoder(d);
}

// Every layer has attention and Mamba-2 side by side: described as two layers, so that the cache
// and the state are both seen by whoever sums over layers.
void build_falcon_h1(Draft& d) {
  d.style.mixer = "mamba";
  d.style.names.mlp = "feed_forward";
  d.style.names.mlp_norms = {"pre_ff_layernorm"};
  d.style.names.final_norm = "model.final_layernorm";
  read_decoder(d);
  d.style.conv_bias = d.text.flag({"mamba_conv_bias"}, true);
  d.style.recurrent_bias = d.text.flag({"mamba_proj_bias"}, false);
  d.style.recurrent_norm = d.text.flag({"mamba_rms_norm"}, true);
  const Recurrent r = mamba2_of(d.text, d.model.hidden);
  std::vector<Layer> halves;
  for (Layer layer : d.model.layers) {
    Layer state;
    state.feed_forward = {.kind = FeedForwardKind::none};
    make_recurrent(state, r);
    halves.push_back(state);
    halves.push_back(layer);
  }
  const std::vector<std::string> norms = d.style.names.mixer_norms;
  d.model.layers = std::move(halves);
  d.note("each layer runs attention and Mamba-2 side by side; it is listed as two layers");
  emit_decoder(d);
}

void build_lfm2(Draft& d) {
  const Fields& f = d.text;
  NameStyle& n = d.style.names;
  d.style.qk_norm = QkNorm::head;
  d.style.mixer = "conv";
  d.style.conv_bias = f.flag({"conv_bias"}, false);
  n.o = "out_proj";
  n.q_norm = "q_layernorm";
  n.k_norm = "k_layernorm";
  n.mlp = n.moe = "feed_forward";
  n.gate = n.expert_gate = "w1";
  n.up = n.expert_up = "w3";
  n.down = n.expert_down = "w2";
  n.mixer_norms = {"operator_norm"};
  n.mlp_norms = {"ffn_norm"};
  n.final_norm = "model.embedding_norm";
  read_decoder(d, {.tied = true});
  if (f.flag({"block_auto_adjust_ff_dim"}, false)) {
    const std::uint64_t unit = std::max<std::uint64_t>(1, f.number({"block_multiple_of"}, 256));
    const double scale = f.real({"block_ffn_dim_multiplier"}, 1.0);
    for (Layer& layer : d.model.layers) {
      FeedForward& ff = layer.feed_forward;
      const double width = static_cast<double>(2 * std::uint64_t{ff.intermediate} / 3) * scale;
      ff.intermediate = u32(round_up(static_cast<std::uint64_t>(width), unit));
    }
  }
  Recurrent r{.kind = RecurrentKind::short_conv};
  r.conv_channels = d.model.hidden;
  r.conv_kernel = f.number({"conv_L_cache"}, 3);
  const auto attention = f.numbers("full_attn_idxs", kLayerLimit);
  if (!f.is_list("layer_types")) {
    for (std::size_t i = 0; i < d.model.layers.size(); ++i) {
      if (std::ranges::find(attention, i) == attention.end()) make_recurrent(d.model.layers[i], r);
    }
  } else {
    mark(d, "conv", 0, r);
  }
  emit_decoder(d);
}

// MiniMax-Text-01 and M1: lightning attention, softmax attention where attn_type_list says 1.
void build_minimax(Draft& d) {
  const Fields& f = d.text;
  NameStyle& n = d.style.names;
  n.moe = "block_sparse_moe";
  n.expert_gate = "w1";
  n.expert_down = "w2";
  n.expert_up = "w3";
  d.style.mixer = "self_attn";
  read_decoder(d);
  Recurrent r{.kind = RecurrentKind::lightning};
  if (!d.model.layers.empty()) {
    const Attention& a = d.model.layers.front().attention;
    r.state_heads = a.query_heads;
    r.state_key_dim = r.state_value_dim = a.key_dim;
  }
  const auto kinds = f.numbers("attn_type_list", 1);
  for (std::size_t i = 0; i < kinds.size() && i < d.model.layers.size(); ++i) {
    if (kinds[i] == 0) make_recurrent(d.model.layers[i], r);
  }
  mark(d, "linear_attention", 0, r);
  emit_decoder(d);
}

// Mamba and Mamba-2 alone.
void build_mamba(Draft& d) {
  d.style.names = {.embedding = "backbone.embeddings",
                   .layers = "backbone.layers",
                   .final_norm = "backbone.norm_f",
                   .mixer_norms = {"norm"}};
  const bool second = d.root.text({"model_type"}) == "mamba2";
  d.model.hidden = d.text.need({"hidden_size", "d_model"});
  d.model.vocab = d.text.need({"vocab_size"}, kVocabLimit);
  d.model.tied_embeddings = d.text.flag({"tie_word_embeddings"}, !second);
  d.style.recurrent_norm = second;
  Layer layer;
  layer.feed_forward = {.kind = FeedForwardKind::none};
  make_recurrent(layer, second ? mamba2_of(d.text, d.model.hidden) : mamba1_of(d));
  d.model.layers.assign(d.text.need({"num_hidden_layers", "n_layer"}, kLayerLimit), layer);
  emit_decoder(d);
}

}  // namespace steelyard::model

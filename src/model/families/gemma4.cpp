// Gemma 3n and Gemma 4: two kinds of heads, shared caches, inputs per layer, experts beside an MLP.
#include <algorithm>

#include <fmt/format.h>

#include "model/families/all.h"

namespace steelyard::model {
namespace {

// The last layers reuse the cache of the last layer of their kind that has one.
void share_caches(Draft& d, std::uint64_t shared) {
  auto& layers = d.model.layers;
  if (shared == 0 || shared >= layers.size()) return;
  const std::size_t own = layers.size() - shared;
  for (std::size_t i = own; i < layers.size(); ++i) {
    for (std::size_t j = own; j-- > 0;) {
      if (layers[j].mixer == layers[i].mixer) {
        layers[i].attention.shares_cache_with = static_cast<std::int32_t>(j);
        break;
      }
    }
  }
}

void emit_per_layer_inputs(Draft& d, std::uint64_t width) {
  const std::uint64_t hidden = d.model.hidden, layers = d.model.layers.size();
  const std::uint64_t vocab =
      d.text.number({"vocab_size_per_layer_input"}, d.model.vocab, kVocabLimit);
  const std::string stem = d.style.names.embedding.substr(0, d.style.names.embedding.rfind('.'));
  d.linear(stem + ".embed_tokens_per_layer", Role::token_embedding, vocab,
           saturating_mul(layers, width), Split::vocabulary, false, false);
  d.linear(stem + ".per_layer_model_projection", Role::other, saturating_mul(layers, width), hidden,
           Split::replicated);
  d.norm(stem + ".per_layer_projection_norm", width);
  for (std::size_t i = 0; i < layers; ++i) {
    d.enter_layer(i);
    d.linear("per_layer_input_gate", Role::other, width, hidden, Split::replicated);
    d.linear("per_layer_projection", Role::other, hidden, width, Split::replicated);
    d.norm("post_per_layer_input_norm", hidden);
    d.leave_layer();
  }
}

// Gemma 3n: alternating updates of several streams, and a low-rank residual path.
void emit_altup(Draft& d) {
  const std::uint64_t hidden = d.model.hidden;
  const std::uint64_t streams = d.text.number({"altup_num_inputs"}, 0, 64);
  const std::uint64_t rank = d.text.number({"laurel_rank"}, 0);
  for (std::uint64_t i = 1; i < streams; ++i) {
    d.linear(fmt::format("model.language_model.altup_projections.{}", i - 1), Role::other, hidden,
             hidden, Split::replicated);
    d.linear(fmt::format("model.language_model.altup_unembed_projections.{}", i - 1), Role::other,
             hidden, hidden, Split::replicated);
  }
  for (std::size_t i = 0; i < d.model.layers.size() && streams > 0; ++i) {
    d.enter_layer(i);
    d.linear("laurel.linear_left", Role::other, rank, hidden, Split::replicated);
    d.linear("laurel.linear_right", Role::other, hidden, rank, Split::replicated);
    d.norm("laurel.post_laurel_norm", hidden);
    d.linear("altup.modality_router", Role::other, streams, hidden, Split::replicated, false,
             false);
    d.norm("altup.router_norm", hidden);
    d.linear("altup.prediction_coefs", Role::other, streams * streams, streams, Split::replicated,
             false, false);
    d.linear("altup.correction_coefs", Role::other, streams, streams, Split::replicated, false,
             false);
    d.vector("altup.correct_output_scale", Role::other, hidden);
    d.leave_layer();
  }
}

void per_layer_widths(Draft& d) {
  const auto widths = d.text.numbers("intermediate_size");
  for (std::size_t i = 0; i < widths.size() && i < d.model.layers.size(); ++i) {
    d.model.layers[i].feed_forward.intermediate = u32(widths[i]);
  }
  const bool wide = d.text.flag({"use_double_wide_mlp"}, false);
  for (Layer& layer : d.model.layers) {
    if (wide && layer.attention.shares_cache_with >= 0) {
      layer.feed_forward.intermediate = u32(2 * std::uint64_t{layer.feed_forward.intermediate});
    }
  }
}

void full_layer_heads(Draft& d) {
  const std::uint64_t head = d.text.number({"global_head_dim"}, 0);
  const std::uint64_t heads = d.text.number({"num_global_key_value_heads"}, 0);
  for (Layer& layer : d.model.layers) {
    if (layer.mixer != Mixer::full) continue;
    if (head > 0) layer.attention.key_dim = layer.attention.value_dim = u32(head);
    if (heads > 0) layer.attention.kv_heads = u32(heads);
  }
}

// Experts stand beside the ordinary MLP, each with norms of its own.
void emit_expert_extras(Draft& d, std::size_t index, const FeedForward& ff) {
  d.enter_layer(index);
  d.norm("post_feedforward_layernorm_1", d.model.hidden);
  d.norm("pre_feedforward_layernorm_2", d.model.hidden);
  d.norm("post_feedforward_layernorm_2", d.model.hidden);
  d.vector("router.scale", Role::router, d.model.hidden);
  d.vector("router.per_expert_scale", Role::router, ff.experts);
  d.leave_layer();
}

}  // namespace

void build_gemma4(Draft& d) {
  const Fields& f = d.text;
  const bool fourth = d.root.text({"model_type"}).starts_with("gemma4");
  NameStyle& n = d.style.names;
  n.embedding = "model.language_model.embed_tokens";
  n.layers = "model.language_model.layers";
  n.final_norm = "model.language_model.norm";
  n.mixer_norms = {"input_layernorm", "post_attention_layernorm"};
  n.mlp_norms = {"pre_feedforward_layernorm", "post_feedforward_layernorm"};
  n.moe = "";
  n.router = "router.proj";
  d.style.qk_norm = QkNorm::head;
  d.style.experts_fused = true;
  d.style.k_eq_v = f.flag({"attention_k_eq_v"}, false);
  read_decoder(d, {.full_every = fourth ? 6u : 5u, .head_dim = 256, .tied = true});
  full_layer_heads(d);
  share_caches(d, f.number({"num_kv_shared_layers"}, 0, kLayerLimit));
  per_layer_widths(d);
  const std::uint64_t beside = f.number({"intermediate_size"}, 0);
  for (std::size_t i = 0; i < d.model.layers.size(); ++i) {
    FeedForward& ff = d.model.layers[i].feed_forward;
    if (ff.kind == FeedForwardKind::moe) {
      ff.shared_intermediate = u32(beside);
      ff.shared_experts = 1;
      emit_expert_extras(d, i, ff);
    }
    if (fourth) {
      d.enter_layer(i);
      d.vector("layer_scalar", Role::other, 1);
      d.leave_layer();
    }
  }
  emit_decoder(d);
  if (const auto width = f.number({"hidden_size_per_layer_input"}, 0); width > 0) {
    emit_per_layer_inputs(d, width);
  }
  emit_altup(d);
  read_towers(d);
}

}  // namespace steelyard::model

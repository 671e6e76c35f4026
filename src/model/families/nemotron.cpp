// Nemotron-H and Nemotron 3: each layer is one of Mamba-2, attention, MLP or experts.
// Nemotron-NAS: Llama with parts of layers removed by search.
#include <algorithm>

#include <fmt/format.h>

#include "model/families/all.h"

namespace steelyard::model {
namespace {

// One letter per layer: M Mamba-2, * attention, - MLP, E experts.
std::string letters(const Fields& f, std::string_view words, std::string_view pattern) {
  std::string result = f.text({pattern});
  for (const std::string& word : f.texts(words)) {
    result += word == "mamba" ? 'M' : word == "attention" ? '*' : word == "moe" ? 'E' : '-';
  }
  return result;
}

struct Parts {
  Attention attention;
  Recurrent recurrent;
  FeedForward dense, sparse;
};

Layer layer_of(char letter, const Parts& parts) {
  Layer layer{.mixer = Mixer::none, .feed_forward = {.kind = FeedForwardKind::none}};
  if (letter == 'M') {
    layer.mixer = Mixer::recurrent;
    layer.recurrent = parts.recurrent;
  } else if (letter == '*') {
    layer.mixer = Mixer::full;
    layer.attention = parts.attention;
  } else {
    layer.feed_forward = letter == 'E' ? parts.sparse : parts.dense;
  }
  return layer;
}

Parts read_parts(const Fields& f, std::uint64_t hidden) {
  Parts p;
  p.attention.query_heads = u32(f.need({"num_attention_heads"}));
  p.attention.kv_heads = u32(f.number({"num_key_value_heads"}, p.attention.query_heads));
  p.attention.key_dim = u32(
      f.number({"head_dim", "attention_head_dim"}, hidden / std::max(1u, p.attention.query_heads)));
  p.attention.value_dim = p.attention.key_dim;
  Recurrent& r = p.recurrent;
  r.state_heads = f.need({"mamba_num_heads"});
  r.state_value_dim = f.need({"mamba_head_dim"});
  r.state_key_dim = f.need({"ssm_state_size"});
  r.groups = f.number({"n_groups"}, 1);
  r.conv_kernel = f.number({"conv_kernel"}, 4);
  r.conv_channels = r.state_heads * r.state_value_dim + 2 * r.groups * r.state_key_dim;
  p.dense = {.intermediate = u32(f.number({"intermediate_size"}, 0)), .gated = false};
  p.sparse = {.kind = FeedForwardKind::moe, .gated = false};
  p.sparse.experts = u32(f.number({"n_routed_experts"}, 0, kExpertLimit));
  p.sparse.experts_per_token = u32(f.number({"num_experts_per_tok"}, 1, kExpertLimit));
  p.sparse.expert_intermediate = u32(f.number({"moe_intermediate_size"}, 0));
  p.sparse.shared_experts = u32(f.number({"n_shared_experts"}, 0, kExpertLimit));
  p.sparse.shared_intermediate = u32(saturating_mul(
      p.sparse.shared_experts, f.number({"moe_shared_expert_intermediate_size"}, 0)));
  return p;
}

}  // namespace

void build_nemotron_h(Draft& d) {
  const Fields& f = d.text;
  d.style.names = {.embedding = "backbone.embeddings",
                   .layers = "backbone.layers",
                   .final_norm = "backbone.norm_f",
                   .attention = "mixer",
                   .mlp = "mixer",
                   .moe = "mixer",
                   .mixer_norms = {"norm"},
                   .mlp_norms = {"norm"},
                   .mtp = "mtp.layers"};
  d.style.router_correction = true;
  d.style.conv_bias = f.flag({"use_conv_bias"}, true);
  d.style.recurrent_bias = f.flag({"mamba_proj_bias", "use_bias"}, false);
  d.style.qkv_bias = d.style.o_bias = f.flag({"attention_bias"}, false);
  d.style.mlp_bias = f.flag({"mlp_bias"}, false);
  d.style.expert_hidden = f.number({"moe_latent_size"}, 0);
  d.model.hidden = f.need({"hidden_size"});
  d.model.vocab = f.need({"vocab_size"}, kVocabLimit);
  d.model.max_context = f.number({"max_position_embeddings"}, 0, kContextLimit);
  d.model.tied_embeddings = f.flag({"tie_word_embeddings"}, false);
  const std::string pattern = letters(f, "layers_block_type", "hybrid_override_pattern");
  if (pattern.empty() || pattern.size() > kLayerLimit) {
    f.report({.kind = ErrorKind::missing_field,
              .what = "neither hybrid_override_pattern nor layers_block_type names the layers",
              .field = f.path("hybrid_override_pattern"),
              .try_this = "check that the file is an unmodified config.json"});
    return;
  }
  const Parts parts = read_parts(f, d.model.hidden);
  for (const char letter : pattern) d.model.layers.push_back(layer_of(letter, parts));
  emit_decoder(d);
  const std::uint64_t modules = f.number({"num_nextn_predict_layers"}, 0, 64);
  const std::string mtp = letters(f, "mtp_layers_block_type", "mtp_hybrid_override_pattern");
  for (std::uint64_t m = 0; m < modules && mtp.size() < kLayerLimit; ++m) {
    for (std::size_t i = 0; i < mtp.size(); ++i) {
      d.model.mtp_layers.push_back(layer_of(mtp[i], parts));
      d.enter_mtp(d.model.mtp_layers.size() - 1);
      emit_layer_parts(d, d.model.mtp_layers.back());
      if (i == 0) emit_mtp_joint(d);
      d.leave_layer();
    }
  }
}

// Widths of the search: 2/3 of mult x hidden, rounded up to 256.
void build_nemotron_nas(Draft& d) {
  const Fields& f = d.text;
  const auto blocks = f.objects("block_configs");
  const std::uint64_t heads = f.need({"num_attention_heads"});
  d.model.hidden = f.need({"hidden_size"});
  d.model.vocab = f.need({"vocab_size"}, kVocabLimit);
  d.model.max_context = f.number({"max_position_embeddings"}, 0, kContextLimit);
  d.model.tied_embeddings = f.flag({"tie_word_embeddings"}, false);
  if (blocks.empty() || blocks.size() > kLayerLimit || heads == 0) {
    return (void)f.need({"block_configs"});
  }
  for (const Fields& block : blocks) {
    const Fields attention = block.object("attention"), ffn = block.object("ffn");
    Layer layer{.mixer = Mixer::none, .feed_forward = {.kind = FeedForwardKind::none}};
    if (attention.flag({"replace_with_linear"}, false) ||
        ffn.flag({"replace_with_linear"}, false)) {
      d.note("a layer replaced by a linear map is described as absent");
    }
    if (!attention.flag({"no_op", "replace_with_linear"}, false)) {
      layer.mixer = Mixer::full;
      layer.attention.query_heads = u32(heads);
      const std::uint64_t group =
          std::max<std::uint64_t>(1, attention.number({"n_heads_in_group"}, 1));
      layer.attention.kv_heads = u32(std::max<std::uint64_t>(1, heads / group));
      layer.attention.key_dim = layer.attention.value_dim = u32(d.model.hidden / heads);
    }
    if (!ffn.flag({"no_op", "replace_with_linear"}, false)) {
      const double width =
          2.0 * ffn.real({"ffn_mult"}, 0) * static_cast<double>(d.model.hidden) / 3.0;
      layer.feed_forward = {.kind = FeedForwardKind::dense,
                            .intermediate = u32(round_up(bytes_from(width - 0.5).value(), 256))};
    }
    d.model.layers.push_back(layer);
  }
  emit_decoder(d);
}

}  // namespace steelyard::model

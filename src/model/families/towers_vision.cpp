// Towers of Qwen-VL, CLIP and SigLIP, Pixtral, Gemma 4 and Kimi.
#include <algorithm>

#include <fmt/format.h>

#include "model/families/towers.h"

namespace steelyard::model {
namespace {

constexpr Role role = Role::vision;

std::uint64_t squared(std::uint64_t value) {
  return saturating_mul(value, value);
}

// Layers and sizes under their several names.
Encoder read_encoder(const Fields& v) {
  Encoder e;
  e.layers = u32(v.number({"num_hidden_layers", "depth", "vt_num_hidden_layers"}, 0, kLayerLimit));
  e.hidden = u32(v.need({"vt_hidden_size", "embed_dim", "hidden_size"}));
  e.heads = u32(v.number(
      {"num_attention_heads", "num_heads", "attention_heads", "vt_num_attention_heads"}, 1));
  e.intermediate = u32(v.number({"intermediate_size", "vt_intermediate_size"}, 4 * e.hidden));
  e.image_size = u32(v.number({"image_size"}, 0, 65536));
  e.patch_size = u32(std::max<std::uint64_t>(1, v.number({"patch_size"}, 14, 4096)));
  e.input_values = u32(3 * std::uint64_t{e.patch_size} * e.patch_size);
  return e;
}

std::uint64_t patches(const Encoder& e) {
  return squared(e.image_size / e.patch_size);
}

}  // namespace

// Qwen2-VL (LayerNorm, plain MLP), Qwen2.5-VL (RMS norm, gated MLP), Qwen3-VL (position table,
// deepstack mergers): each difference has a field that shows it.
void emit_qwen_vision(Draft& d, const Fields& v) {
  Encoder e = read_encoder(v);
  const bool third = v.has("num_position_embeddings");
  const bool gated = !third && !v.has("embed_dim");
  const std::uint64_t hidden = e.hidden;
  if (v.has("mlp_ratio") && !v.has("intermediate_size")) {
    e.intermediate = u32(hidden * v.number({"mlp_ratio"}, 4, 64));
  }
  e.merge = u32(std::max<std::uint64_t>(1, v.number({"spatial_merge_size"}, 2, 64)));
  const std::uint64_t wide = hidden * squared(e.merge);
  const std::uint64_t out = v.number({"out_hidden_size"}, d.model.hidden);
  const std::uint64_t pixels = v.number({"in_channels", "in_chans"}, 3, 64) *
                               v.number({"temporal_patch_size"}, 2, 64) * squared(e.patch_size);
  tower_matrix(d, "visual.patch_embed.proj", role, hidden, pixels, third);
  if (third) {
    d.add("visual.pos_embed.weight", role, v.number({"num_position_embeddings"}, 0), hidden,
          Split::replicated, false);
  }
  emit_tower_blocks(d, {.prefix = "visual.blocks",
                        .layers = e.layers,
                        .hidden = hidden,
                        .inner = e.intermediate,
                        .gated = gated,
                        .norm_bias = !gated});
  tower_norm(d, "visual.merger.norm", role, hidden, !gated);
  tower_matrix(d, "visual.merger.linear_fc1", role, wide, wide, true);
  tower_matrix(d, "visual.merger.linear_fc2", role, v.has("embed_dim") ? d.model.hidden : out, wide,
               true);
  const std::size_t deep = v.numbers("deepstack_visual_indexes", kLayerLimit).size();
  for (std::size_t i = 0; i < deep; ++i) {
    const std::string name = fmt::format("visual.deepstack_merger_list.{}", i);
    tower_norm(d, name + ".norm", role, wide, true);
    tower_matrix(d, name + ".linear_fc1", role, wide, wide, true);
    tower_matrix(d, name + ".linear_fc2", role, out, wide, true);
  }
  e.gated = gated;
  e.input_values = u32(pixels);
  e.max_tokens_per_item = 16384;  // the processors' default limit of pixels over (patch x merge)^2
  d.model.vision = e;
}

void emit_clip_vision(Draft& d, const Fields& v) {
  Encoder e = read_encoder(v);
  const bool siglip = v.text({"model_type"}).starts_with("siglip");
  const std::uint64_t hidden = e.hidden;
  const std::uint64_t pixels = v.number({"num_channels"}, 3, 64) * squared(e.patch_size);
  const bool rotary = v.text({"position_embedding_type"}) == "rope";
  tower_matrix(d, "vision_tower.embeddings.patch_embedding", role, hidden, pixels, siglip);
  if (!siglip && !rotary) d.vector("vision_tower.embeddings.class_embedding", role, hidden);
  if (!rotary) {
    d.add("vision_tower.embeddings.position_embedding.weight", role, patches(e) + (siglip ? 0 : 1),
          hidden, Split::replicated, false);
  }
  if (!siglip) tower_norm(d, "vision_tower.pre_layrnorm", role, hidden, true);
  emit_tower_blocks(d, {.prefix = "vision_tower.encoder.layers",
                        .layers = e.layers,
                        .hidden = hidden,
                        .inner = e.intermediate});
  tower_norm(d, "vision_tower.post_layernorm", role, hidden, true);
  const std::uint64_t per_image = d.root.number({"mm_tokens_per_image"}, 0);
  if (per_image > 0) {  // Gemma 3 pools the patches and projects without a bias
    e.tokens_per_item = u32(per_image);
    d.add("multi_modal_projector.mm_input_projection_weight", Role::projector, hidden,
          d.model.hidden, Split::replicated, false);
    d.vector("multi_modal_projector.mm_soft_emb_norm.weight", Role::projector, hidden);
  } else {
    e.tokens_per_item = u32(d.root.number({"image_seq_length"}, patches(e)));
    const std::uint64_t merge =
        d.root.object("img_token_compression_config").number({"spatial_merge_size"}, 1, 64);
    const std::uint64_t wide = d.root.number({"projector_hidden_size"}, d.model.hidden);
    tower_matrix(d, "multi_modal_projector.linear_1", Role::projector, wide, hidden, true);
    tower_matrix(d, "multi_modal_projector.linear_2", Role::projector, d.model.hidden, wide, true);
    if (merge > 1) {
      e.merge = u32(merge);
      tower_matrix(d, "patch_merge_mlp.linear_1", Role::projector, wide,
                   d.model.hidden * squared(merge), true);
      tower_matrix(d, "patch_merge_mlp.linear_2", Role::projector, d.model.hidden, wide, true);
    }
  }
  d.model.vision = e;
}

void emit_pixtral_vision(Draft& d, const Fields& v) {
  Encoder e = read_encoder(v);
  const std::uint64_t hidden = e.hidden, text = d.model.hidden;
  const std::uint64_t merge = d.root.number({"spatial_merge_size"}, 1, 64);
  const bool bias = d.root.flag({"multimodal_projector_bias"}, merge == 1);
  tower_matrix(d, "vision_tower.patch_conv", role, hidden,
               v.number({"num_channels"}, 3, 64) * squared(e.patch_size), false);
  tower_norm(d, "vision_tower.ln_pre", role, hidden, false);
  emit_tower_blocks(d, {.prefix = "vision_tower.transformer.layers",
                        .layers = e.layers,
                        .hidden = hidden,
                        .inner = e.intermediate,
                        .qkv_bias = false,
                        .o_bias = false,
                        .mlp_bias = false,
                        .gated = true,
                        .norm_bias = false});
  if (merge > 1) {
    tower_norm(d, "multi_modal_projector.norm", Role::projector, hidden, false);
    tower_matrix(d, "multi_modal_projector.patch_merger.merging_layer", Role::projector, hidden,
                 hidden * squared(merge), false);
  }
  tower_matrix(d, "multi_modal_projector.linear_1", Role::projector, text, hidden, bias);
  tower_matrix(d, "multi_modal_projector.linear_2", Role::projector, text, text, bias);
  e.merge = u32(std::max<std::uint64_t>(1, merge));
  e.max_tokens_per_item = u32(squared(e.image_size / e.patch_size / e.merge));
  d.model.vision = e;
}

void emit_gemma4_vision(Draft& d, const Fields& v) {
  Encoder e = read_encoder(v);
  const std::uint64_t hidden = e.hidden;
  const std::uint64_t head = v.number({"head_dim"}, hidden / std::max(1u, e.heads));
  tower_matrix(d, "model.vision_tower.patch_embedder.input_proj", role, hidden,
               3 * squared(e.patch_size), false);
  d.add("model.vision_tower.patch_embedder.position_embedding_table", role,
        2 * v.number({"position_embedding_size"}, 0), hidden, Split::replicated, false);
  emit_tower_blocks(d, {.prefix = "model.vision_tower.encoder.layers",
                        .layers = e.layers,
                        .hidden = hidden,
                        .inner = e.intermediate,
                        .attention_width = head * e.heads,
                        .qkv_bias = false,
                        .o_bias = false,
                        .mlp_bias = false,
                        .gated = true,
                        .norm_bias = false,
                        .norms = 4,
                        .head_norm = head});
  if (v.flag({"standardize"}, false)) {
    d.vector("model.vision_tower.std_bias", role, hidden);
    d.vector("model.vision_tower.std_scale", role, hidden);
  }
  tower_matrix(d, "model.embed_vision.embedding_projection", Role::projector, d.model.hidden,
               hidden, false);
  e.tokens_per_item = u32(d.root.number({"vision_soft_tokens_per_image"}, 280));
  d.model.vision = e;
}

void emit_moon_vision(Draft& d, const Fields& v) {
  Encoder e = read_encoder(v);
  const std::uint64_t hidden = e.hidden;
  const auto merges = v.numbers("merge_kernel_size", 64);
  e.merge = u32(merges.empty() ? 2 : std::max<std::uint64_t>(1, merges.front()));
  const bool rms = v.text({"norm_type"}) == "rmsnorm";
  const bool bias = v.flag({"linear_bias"}, true);
  const std::uint64_t wide = hidden * squared(e.merge);
  tower_matrix(d, "vision_tower.patch_embed.proj", role, hidden, 3 * squared(e.patch_size),
               v.flag({"patch_embed_proj_bias"}, true));
  d.add("vision_tower.patch_embed.pos_emb.weight", role,
        v.number({"init_pos_emb_height"}, 64, 4096) * v.number({"init_pos_emb_width"}, 64, 4096),
        hidden, Split::replicated, false);
  emit_tower_blocks(d, {.prefix = "vision_tower.encoder.blocks",
                        .layers = e.layers,
                        .hidden = hidden,
                        .inner = e.intermediate,
                        .attention_width = v.number({"qkv_hidden_size"}, hidden),
                        .qkv_bias = v.flag({"attn_bias"}, true),
                        .o_bias = v.flag({"attn_bias"}, true),
                        .mlp_bias = bias,
                        .norm_bias = !rms});
  tower_norm(d, "vision_tower.encoder.final_layernorm", role, hidden, !rms);
  tower_norm(d, "mm_projector.pre_norm", Role::projector, hidden, !rms);
  tower_matrix(d, "mm_projector.proj.0", Role::projector, wide, wide, true);
  tower_matrix(d, "mm_projector.proj.2", Role::projector,
               v.number({"text_hidden_size"}, d.model.hidden), wide, true);
  d.model.vision = e;
}

}  // namespace steelyard::model

// Towers of Llama 3.2 Vision and Llama 4, and the audio encoder of Whisper's build.
#include <algorithm>

#include <fmt/format.h>

#include "model/families/towers.h"

namespace steelyard::model {
namespace {

Encoder read_llama_encoder(const Fields& v) {
  Encoder e;
  e.layers = u32(v.number({"num_hidden_layers"}, 0, kLayerLimit));
  e.hidden = u32(v.need({"hidden_size"}));
  e.heads = u32(v.number({"num_attention_heads", "attention_heads"}, 16));
  e.intermediate = u32(v.number({"intermediate_size"}, 4 * e.hidden));
  e.image_size = u32(v.number({"image_size"}, 0, 65536));
  e.patch_size = u32(std::max<std::uint64_t>(1, v.number({"patch_size"}, 14, 4096)));
  e.input_values = u32(3 * std::uint64_t{e.patch_size} * e.patch_size);
  return e;
}

std::uint64_t llama_patches(const Encoder& e) {
  const std::uint64_t side = e.image_size / e.patch_size;
  return side * side;
}

}  // namespace

void emit_llama4_vision(Draft& d, const Fields& v) {
  constexpr Role role = Role::vision;
  Encoder e = read_llama_encoder(v);
  const std::uint64_t hidden = e.hidden, patch = e.patch_size;
  tower_matrix(d, "vision_model.patch_embedding.linear", role, hidden, 3 * patch * patch, false);
  d.vector("vision_model.class_embedding", role, hidden);
  d.add("vision_model.positional_embedding_vlm", role, llama_patches(e) + 1, hidden,
        Split::replicated, false);
  tower_norm(d, "vision_model.layernorm_pre", role, hidden, true);
  tower_norm(d, "vision_model.layernorm_post", role, hidden, true);
  emit_tower_blocks(d, {.prefix = "vision_model.model.layers",
                        .layers = e.layers,
                        .hidden = hidden,
                        .inner = e.intermediate});
  const std::uint64_t shuffled = v.number({"projector_input_dim"}, 4096);
  const std::uint64_t out = v.number({"projector_output_dim"}, 4096);
  tower_matrix(d, "vision_model.vision_adapter.mlp.fc1", Role::projector, shuffled, e.intermediate,
               false);
  tower_matrix(d, "vision_model.vision_adapter.mlp.fc2", Role::projector, out, shuffled, false);
  tower_matrix(d, "multi_modal_projector.linear_1", Role::projector, d.model.hidden,
               v.number({"vision_output_dim"}, out), false);
  const double ratio = v.real({"pixel_shuffle_ratio"}, 0.5);
  e.tokens_per_item =
      u32(bytes_from(static_cast<double>(llama_patches(e)) * ratio * ratio).value());
  d.model.vision = e;
}

void emit_mllama_vision(Draft& d, const Fields& v) {
  constexpr Role role = Role::vision;
  Encoder e = read_llama_encoder(v);
  const std::uint64_t hidden = e.hidden, patch = e.patch_size;
  const std::uint64_t tiles = v.number({"max_num_tiles"}, 4, 64);
  const std::uint64_t rows = llama_patches(e) + 1;
  // One table row for each aspect ratio of up to `tiles` tiles, and one for "none".
  std::uint64_t ratios = 1;
  for (std::uint64_t w = 1; w <= tiles; ++w) ratios += tiles / w;
  tower_matrix(d, "vision_model.patch_embedding", role, hidden, 3 * patch * patch, false);
  d.vector("vision_model.class_embedding", role, hidden);
  d.add("vision_model.gated_positional_embedding.embedding", role, rows, hidden, Split::replicated,
        false);
  d.add("vision_model.gated_positional_embedding.tile_embedding.weight", role, ratios,
        tiles * rows * hidden, Split::replicated, false);
  for (const char* name : {"pre", "post"}) {
    d.add(fmt::format("vision_model.{}_tile_positional_embedding.embedding.weight", name), role,
          ratios, tiles * hidden, Split::replicated, false);
    tower_norm(d, fmt::format("vision_model.layernorm_{}", name), role, hidden, true);
  }
  const std::uint64_t global = v.number({"num_global_layers"}, 0, kLayerLimit);
  const auto blocks = [&](const char* prefix, std::uint64_t layers) {
    emit_tower_blocks(d, {.prefix = prefix,
                          .layers = layers,
                          .hidden = hidden,
                          .inner = e.intermediate,
                          .qkv_bias = false,
                          .o_bias = false});
  };
  blocks("vision_model.transformer.layers", e.layers);
  blocks("vision_model.global_transformer.layers", global);
  d.vector("vision_model.gates", role, 3 + 2 * global);
  tower_matrix(d, "multi_modal_projector", Role::projector, d.model.hidden,
               v.number({"vision_output_dim"}, hidden), true);
  e.layers += u32(global);
  e.kept_layers = u32(v.numbers("intermediate_layers_indices", kLayerLimit).size());
  e.tokens_per_item = u32(rows * tiles);
  d.model.vision = e;
}

void emit_whisper_audio(Draft& d, const Fields& a) {
  constexpr Role role = Role::audio;
  const std::uint64_t hidden = a.need({"d_model"});
  const std::uint64_t layers = a.number({"encoder_layers"}, 0, kLayerLimit);
  const std::uint64_t positions = a.number({"max_source_positions"}, 1500);
  const std::uint64_t inner = a.number({"encoder_ffn_dim"}, 4 * hidden);
  tower_matrix(d, "audio_tower.conv1", role, hidden, 3 * a.number({"num_mel_bins"}, 128), true);
  tower_matrix(d, "audio_tower.conv2", role, hidden, 3 * hidden, true);
  d.add("audio_tower.embed_positions.weight", role, positions, hidden, Split::replicated, false);
  emit_tower_blocks(d, {.prefix = "audio_tower.layers",
                        .role = role,
                        .layers = layers,
                        .hidden = hidden,
                        .inner = inner,
                        .key_bias = false});
  tower_norm(d, "audio_tower.layer_norm", role, hidden, true);
  tower_matrix(d, "multi_modal_projector.linear", Role::projector, d.model.hidden, hidden, true);
  Encoder e;
  e.layers = u32(layers);
  e.hidden = u32(hidden);
  e.heads = u32(a.number({"encoder_attention_heads"}, 16));
  e.intermediate = u32(inner);
  e.tokens_per_item = u32(positions / 2);  // pooled in pairs
  e.frames = u32(positions);
  e.input_values = u32(2 * a.number({"num_mel_bins"}, 128));
  d.model.audio = e;
}

}  // namespace steelyard::model

#include "model/gguf_mix.h"

#include <fmt/format.h>

#include <algorithm>

#include "facts/facts.h"
#include "model/gguf_mix_rules.h"

namespace steelyard::model {
namespace {

bool is_tower(Role role) {
  return role == Role::vision || role == Role::audio || role == Role::projector;
}

// Matrices the quantiser leaves alone: small ones, routers, position tables.
bool is_converted(const std::string& name, const Tensor& t) {
  for (const std::string_view part : {"altup", "laurel", "per_layer_model_proj"}) {
    if (name.find(part) != std::string::npos) return false;
  }
  return t.cols > 1 &&
         (t.quantisable || t.role == Role::token_embedding || t.role == Role::output_head);
}

const Layer* layer_of(const Model& model, const Tensor& t) {
  const auto i = static_cast<std::size_t>(t.layer);
  if (t.layer < 0 || i >= model.layers.size()) return nullptr;
  return &model.layers[i];
}

// llama.cpp stores the up-projection of latent attention in two pieces, for keys and for values;
// the rows of the first are as short as the part of a head without rotation.
void split_latent(const Model& model, std::vector<Tensor>& tensors) {
  std::vector<Tensor> result;
  for (Tensor& t : tensors) {
    const Layer* layer = layer_of(model, t);
    if (t.role != Role::mla_kv_b || t.cols <= 1 || layer == nullptr || layer->mixer != Mixer::mla ||
        layer->attention.key_dim <= layer->attention.rope_dim) {
      result.push_back(std::move(t));
      continue;
    }
    const Attention& a = layer->attention;
    const std::uint64_t nope = a.key_dim - a.rope_dim;
    if (t.rows != a.query_heads * (nope + a.value_dim) || t.cols != a.kv_lora_rank) {
      result.push_back(std::move(t));
      continue;
    }
    Tensor keys = t, values = t;
    keys.rows = saturating_mul(a.query_heads, a.kv_lora_rank);
    keys.cols = nope;
    values.rows = saturating_mul(a.query_heads, a.value_dim);
    result.push_back(std::move(keys));
    result.push_back(std::move(values));
  }
  tensors = std::move(result);
}

// llama.cpp's converter leaves DeepSeek-V3's MTP layer out: its logs show 671.026 B parameters and
// 61 layers (ubergarm's and others' files), where the published files hold 684.5 B.
void drop_unconverted_mtp(Model& model) {
  if (model.model_type != "deepseek_v3" || model.mtp_layers.empty()) return;
  const auto first = static_cast<std::int32_t>(model.layers.size());
  std::erase_if(model.tensors, [&](const Tensor& t) { return t.layer >= first; });
  model.mtp_layers.clear();
  model.notes.push_back("a GGUF of it holds no MTP layer: llama.cpp's converter leaves it out");
}

MixFacts facts_of(const Model& model) {
  MixFacts f;
  f.falcon = model.model_type == "falcon" || model.model_type == "RefinedWeb" ||
             model.model_type == "RefinedWebModel";
  f.layers = model.layers.size() + model.mtp_layers.size();
  for (const Layer& layer : model.layers) {
    f.experts = std::max<std::uint64_t>(f.experts, layer.feed_forward.experts);
  }
  // The quantiser asks the first layer; hybrids begin with one that has no heads.
  const auto first = std::ranges::find_if(
      model.layers, [](const Layer& layer) { return layer.attention.kv_heads > 0; });
  if (first != model.layers.end()) {
    f.grouping = first->attention.query_heads / first->attention.kv_heads;
  }
  const auto family = [&](std::string_view name) { return model.model_type == name; };
  f.seventy = model.layers.size() == 80 && f.grouping > 1 &&
              (family("llama") || family("qwen2") || family("deci") || family("nemotron-nas"));
  f.head_stored = false;
  for (const Tensor& t : model.tensors) {
    if (t.role == Role::attention_v && t.cols > 1) ++f.values;
    // An MTP layer's own head does not count.
    if (t.role == Role::output_head && t.layer < 0 && !model.tied_embeddings) f.head_stored = true;
  }
  return f;
}

void store(Tensor& t, const facts::Format& format) {
  t.format = format;
  t.bytes = format.matrix_bytes(t.rows, t.cols) * t.count;
}

// Vectors run along their rows: one row of them, not one per value.
void store_vector(Tensor& t, const facts::Format& format) {
  t.format = format;
  t.bytes = format.matrix_bytes(1, saturating_mul(t.rows, t.cols)) * t.count;
}

}  // namespace

Result<Model> with_gguf_weights(const Model& model, std::string_view name) {
  const auto mix = find_mix(name);
  if (!mix) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("\"{}\" is no weight format that is known", name),
                 .field = "--weights",
                 .try_this =
                     "bf16, fp8, int8, int4, awq, gptq, nf4, nvfp4, mxfp4; of GGUF: q4_k_m, "
                     "q5_k_m, q6_k, q8_0, iq4_xs"});
  }
  const auto f32 = facts::find_format("f32"), f16 = facts::find_format("f16");
  if (!f32 || !f16) return fail({.kind = ErrorKind::internal, .what = "no plain formats"});
  Model result = model;
  drop_unconverted_mtp(result);
  const MixFacts facts = facts_of(result);
  if (model.tied_embeddings) {
    std::erase_if(result.tensors,
                  [](const Tensor& t) { return t.role == Role::output_head && t.layer < 0; });
  }
  split_latent(result, result.tensors);
  // The quantiser meets V matrices in the order of the layers.
  std::vector<std::int32_t> value_layers;
  for (const Tensor& t : result.tensors) {
    if (t.role == Role::attention_v && t.cols > 1) value_layers.push_back(t.layer);
  }
  std::ranges::sort(value_layers);
  for (Tensor& t : result.tensors) {
    if (!is_converted(result.names[t.name].text, t)) {
      if (is_tower(t.role) && t.cols > 1) {
        store(t, *f16);
      } else {
        store_vector(t, *f32);
      }
      continue;
    }
    const auto index = std::ranges::lower_bound(value_layers, t.layer) - value_layers.begin();
    const std::string type =
        is_tower(t.role)
            ? "f16"
            : mix_type(*mix, facts, t.role, t.layer < 0 ? 0u : static_cast<std::uint64_t>(t.layer),
                       static_cast<std::uint64_t>(index), t.cols);
    const auto format = facts::find_format(type);
    if (!format) return fail({.kind = ErrorKind::internal, .what = "unknown type " + type});
    store(t, *format);
  }
  result.quantisation = {.method = "gguf", .description = mix->name};
  return result;
}

}  // namespace steelyard::model

#include <algorithm>

#include <fmt/format.h>

#include "model/gguf_mix.h"
#include "model/model.h"
#include "model/quantisation.h"
#include "model/stored.h"

namespace steelyard::model {
namespace {

bool has_experts(const Model& model) {
  return std::ranges::any_of(model.layers, [](const Layer& layer) {
    return layer.feed_forward.kind == FeedForwardKind::moe;
  });
}

bool has_linear_attention(const Model& model) {
  return std::ranges::any_of(model.layers, [](const Layer& layer) {
    return layer.mixer == Mixer::recurrent && (layer.recurrent.kind == RecurrentKind::gated_delta ||
                                               layer.recurrent.kind == RecurrentKind::kimi_delta);
  });
}

// What published 4-bit builds leave in 16 bits beyond embeddings, norms and routers: attention and
// shared experts of models with linear attention, whose errors add up over the context. Sources:
// the ignore lists of nvidia/Qwen3.5-122B-A10B-NVFP4 and its kin, of Qwen's GPTQ builds, and of
// llm-compressor's examples.
Scope integer_scope(const Model& model) {
  return has_linear_attention(model) ? Scope::routed_feed_forward : Scope::all;
}

// The same for latent attention beside experts (nvidia/GLM-5.1-NVFP4, nvidia/Kimi-K2.5-NVFP4);
// dense models are quantised throughout.
Scope nvfp4_scope(const Model& model) {
  const bool latent = std::ranges::any_of(
      model.layers, [](const Layer& layer) { return layer.mixer == Mixer::mla; });
  const bool kept = has_experts(model) && (latent || has_linear_attention(model));
  return kept ? Scope::routed_feed_forward : Scope::all;
}

// The commonest published build of each scheme. What is not a quantisable matrix stays in 16
// bits: embeddings, output head, norms, routers, convolutions, towers.
std::optional<PackingRule> rule_for(std::string_view format, const Model& model) {
  if (format == "fp8") return PackingRule{.packing = fp8_tensor_packing()};
  if (format == "int8") return PackingRule{.packing = int8_channel_packing()};
  if (format == "experts_int8") {
    // vLLM builds Jamba's dense layers as layers of one expert, so they are quantised too.
    const Scope scope = model.model_type == "jamba" ? Scope::feed_forward : Scope::experts;
    return PackingRule{.packing = int8_channel_packing(), .scope = scope};
  }
  if (format == "int4")
    return PackingRule{.packing = packed_int_packing(4, 128, true, false),
                       .scope = integer_scope(model)};
  if (format == "awq")
    return PackingRule{.packing = awq_packing(4, 128), .scope = integer_scope(model)};
  if (format == "gptq")
    return PackingRule{.packing = gptq_packing(4, 128), .scope = integer_scope(model)};
  if (format == "gptq-int8") return PackingRule{.packing = gptq_packing(8, 128)};
  if (format == "nf4") return PackingRule{.packing = nf4_packing(true)};
  if (format == "bnb-int8") return PackingRule{.packing = bnb8_packing()};
  if (format == "nvfp4")
    return PackingRule{.packing = nvfp4_packing(), .scope = nvfp4_scope(model)};
  if (format == "mxfp4") {
    // Published MXFP4 models quantise their experts only; a dense model has no other place.
    return PackingRule{.packing = mxfp4_packing(),
                       .scope = has_experts(model) ? Scope::experts : Scope::all};
  }
  return std::nullopt;
}

void store_plain(Model& model, const facts::Format& format) {
  for (Tensor& tensor : model.tensors) {
    tensor.format = format;
    tensor.bytes = format.matrix_bytes(tensor.rows, tensor.cols) * tensor.count;
  }
}

}  // namespace

Result<Model> with_weights(const Model& model, std::string_view format) {
  const std::string key = lower(trim(format));
  const auto rule = rule_for(key, model);
  const auto plain = rule ? std::nullopt : torch_format(key);
  if (!rule && !plain) {
    auto mixed = with_gguf_weights(model, format);
    if (mixed) mixed->stored_as = key;
    return mixed;
  }
  Model result = model;
  if (!plain && rule->packing.method != model.quantisation.method) result.stored_as = key;
  result.quantisation.kv_format = model.quantisation.kv_format;
  if (plain) {
    store_plain(result, *plain);
    result.quantisation = {.description = fmt::format("all weights in {}", plain->name),
                           .kv_format = model.quantisation.kv_format};
    return result;
  }
  const bool wide = model.dtype.block_bytes != 2;
  store_plain(result, wide ? stored_bf16() : model.dtype);
  Scheme scheme{.info = {.method = rule->packing.method,
                         .description = rule->packing.description,
                         .kv_format = model.quantisation.kv_format}};
  scheme.rules.push_back(*rule);
  apply_scheme(result, scheme);
  return result;
}

}  // namespace steelyard::model

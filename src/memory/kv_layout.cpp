#include "memory/kv_layout.h"

#include <algorithm>

#include "memory/weights.h"

namespace steelyard::memory {
namespace {

using model::Mixer;

std::uint64_t scaled(std::uint64_t elements, double bytes) {
  return bytes_from(static_cast<double>(elements) * bytes).value();
}

std::uint64_t mla_bytes(const model::Attention& a, const CacheRules& rules) {
  const std::uint64_t elements = std::uint64_t{a.kv_lora_rank} + a.rope_dim;
  std::uint64_t bytes = scaled(elements, rules.key_bytes);
  if (rules.mla_entry_bytes > 0 && a.indexer_dim > 0) bytes = rules.mla_entry_bytes;
  if (a.indexer_dim > 0) bytes += a.indexer_dim + rules.indexer_scale_bytes;
  return bytes;
}

std::uint64_t state_bytes(const model::Recurrent& r, std::uint32_t tp, const CacheRules& rules) {
  const bool mamba =
      r.kind == model::RecurrentKind::mamba1 || r.kind == model::RecurrentKind::mamba2;
  const std::uint64_t state =
      scaled(r.state_elements(), mamba ? rules.mamba_bytes : rules.state_bytes);
  return ceil_div(state, tp) + ceil_div(scaled(r.conv_elements(), rules.conv_bytes), tp);
}

// Nothing when the layer keeps nothing of its own.
std::optional<LayerCache> cache_of(const model::Layer& layer, std::uint32_t tp,
                                   const CacheRules& rules) {
  const model::Attention& a = layer.attention;
  LayerCache cache;
  cache.compress_ratio = std::max(1U, a.compress_ratio);
  if (layer.mixer == Mixer::bidirectional && !rules.encoders_too) return std::nullopt;
  switch (layer.mixer) {
    case Mixer::none:
      return std::nullopt;
    case Mixer::recurrent:
      cache.kind = CacheKind::state;
      cache.state_bytes = state_bytes(layer.recurrent, tp, rules);
      return cache.state_bytes > 0 ? std::optional(cache) : std::nullopt;
    case Mixer::mla:
      cache.kind = CacheKind::mla;
      cache.bytes_per_token = mla_bytes(a, rules);
      break;
    default:
      if (a.shares_cache_with >= 0) return std::nullopt;
      cache.kind = layer.mixer == Mixer::sliding   ? CacheKind::sliding
                   : layer.mixer == Mixer::chunked ? CacheKind::chunked
                   : layer.mixer == Mixer::cross   ? CacheKind::cross
                                                   : CacheKind::full;
      cache.window = a.window;
      cache.cross_tokens = a.cross_tokens;
      const std::uint64_t heads = kv_heads_on_rank(a.kv_heads, tp);
      cache.bytes_per_token = scaled(heads * a.key_dim, rules.key_bytes) +
                              scaled(heads * a.value_dim, rules.value_bytes);
      break;
  }
  return cache.bytes_per_token > 0 ? std::optional(cache) : std::nullopt;
}

}  // namespace

std::vector<LayerCache> layer_caches(const model::Model& model, const Stage& stage,
                                     std::uint32_t tp, const CacheRules& rules,
                                     std::uint64_t mtp_layers) {
  std::vector<LayerCache> caches;
  caches.reserve(stage.last - stage.first);
  for (std::size_t i = stage.first; i < std::min(stage.last, model.layers.size()); ++i) {
    if (auto cache = cache_of(model.layers[i], tp, rules)) caches.push_back(*cache);
  }
  if (stage.holds_head) {
    for (std::size_t i = 0; i < std::min<std::size_t>(mtp_layers, model.mtp_layers.size()); ++i) {
      if (auto cache = cache_of(model.mtp_layers[i], tp, rules)) caches.push_back(*cache);
    }
  }
  return caches;
}

std::uint64_t growing_bytes_per_token(const std::vector<LayerCache>& caches) {
  std::uint64_t sum = 0;
  for (const LayerCache& cache : caches) {
    if (cache.kind == CacheKind::full || cache.kind == CacheKind::mla) {
      sum = saturating_add(sum, cache.bytes_per_token / cache.compress_ratio);
    }
  }
  return sum;
}

std::string kv_format_name(std::string_view asked, const model::Model& model) {
  if (!asked.empty() && lower(asked) != "auto") return lower(asked);
  if (!model.quantisation.kv_format.empty()) return model.quantisation.kv_format;
  const bool sixteen = model.dtype.block_bytes == 2 && model.dtype.block_elements == 1;
  return std::string(sixteen && !model.dtype.name.empty() ? model.dtype.name : "bf16");
}

double kv_element_bytes(std::string_view format, const model::Model& model) {
  const auto found = facts::find_format(kv_format_name(format, model));
  return found ? found->bits_per_element() / 8.0 : 0.0;
}

double cache_element_bytes(const Workload& workload, std::string_view format,
                           const model::Model& model) {
  const bool own = format.empty() || lower(format) == "auto";
  if (own && workload.dtype == "f32" && model.quantisation.kv_format.empty()) return 4;
  return kv_element_bytes(format, model);
}

}  // namespace steelyard::memory

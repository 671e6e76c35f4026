#include "memory/engines/llama_cpp_cache.h"

#include <algorithm>

namespace steelyard::memory::llama_cpp {

namespace {

using model::Mixer;

Result<facts::Format> cache_format(const std::string& name, std::string_view field) {
  if (name.empty()) return facts::Format{.name = "f16", .block_elements = 1, .block_bytes = 2};
  // "fp8" and its like are other engines' words; llama.cpp has 16-bit, 32-bit and block formats.
  static constexpr std::string_view known[] = {"f32",  "f16",  "bf16", "q8_0",  "q4_0",
                                               "q4_1", "q5_0", "q5_1", "iq4_nl"};
  const auto format = facts::find_format(name);
  if (!format || std::find(std::begin(known), std::end(known), format->name) == std::end(known)) {
    return fail({.kind = ErrorKind::usage,
                 .what = "llama.cpp has no cache format \"" + name + "\"",
                 .field = std::string(field),
                 .try_this = "f16, bf16, f32, q8_0, q5_1, q5_0, q4_1, q4_0 or iq4_nl"});
  }
  return *format;
}

bool slides(const model::Layer& layer) {
  return layer.mixer == Mixer::sliding || layer.mixer == Mixer::chunked;
}

std::uint64_t widest_window(const model::Model& model) {
  std::uint64_t window = 0;
  for (const auto& layer : model.layers) {
    if (slides(layer)) window = std::max<std::uint64_t>(window, layer.attention.window);
  }
  return window;
}

// A window in every layer (Mistral 7B v0.1, Phi-3, StarCoder2) is read as full attention: only
// models that mix windows and full layers have the second cache.
bool mixes_windows(const model::Model& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), [](const model::Layer& l) {
    return l.mixer == Mixer::full || l.mixer == Mixer::mla;
  });
}

// Sequences and the cache they share or not.
void fill_sequences(Settings& s, const Workload& w, const Build& build) {
  const bool told = w.concurrency.has_value();
  s.sequences = std::max<std::uint64_t>(1, w.concurrency.value_or(build.default_slots));
  s.streams = build.streams && told ? s.sequences : 1;
}

Result<std::uint64_t> total_context(const model::Model& model, const Workload& w,
                                    const Build& build, const Settings& s) {
  if (w.ctx_size) return *w.ctx_size;
  // Slots nobody asked for share one cache of the context's length.
  const std::uint64_t sharers = w.concurrency ? s.sequences : 1;
  if (w.context) return saturating_mul(*w.context, sharers);
  if (w.input || w.output) {
    return saturating_mul(saturating_add(w.input.value_or(0), w.output.value_or(0)), sharers);
  }
  if (!build.context_from_model) return build.default_context;
  if (model.max_context > 0) return model.max_context;
  return fail({.kind = ErrorKind::missing_field,
               .what = "the model names no largest context and none was given",
               .field = "--context",
               .try_this = "give --context"});
}

}  // namespace

Result<Settings> settings_of(const model::Model& model, const Workload& w, const Build& build) {
  Settings s;
  fill_sequences(s, w, build);
  s.flash = w.flash_attention == Toggle::on ||
            (w.flash_attention == Toggle::automatic && build.flash_attention_default);
  const std::string& values = w.kv_v.empty() ? w.kv_k : w.kv_v;
  auto k = cache_format(w.kv_k, "--kv");
  if (!k) return std::unexpected(k.error());
  auto v = cache_format(values, "--kv");
  if (!v) return std::unexpected(v.error());
  s.keys = *k;
  s.values = *v;

  const auto total = total_context(model, w, build, s);
  if (!total) return std::unexpected(total.error());
  const std::uint64_t pad = build.pads_context_to_256 || s.flash ? 256 : 32;
  s.cells = s.streams > 1 ? round_up(ceil_div(*total, s.streams), pad) : round_up(*total, pad);
  s.context = saturating_mul(s.cells, s.streams);
  s.micro_batch = std::max<std::uint64_t>(1, std::min(w.ubatch.value_or(512), s.context));

  const std::uint64_t window = widest_window(model);
  s.full_length_windows = !build.sliding_cache || !w.mla_mode.empty() || !mixes_windows(model);
  if (window > 0) {
    const std::uint64_t seen =
        saturating_add(saturating_mul(window, s.streams > 1 ? 1 : s.sequences), s.micro_batch);
    s.window_cells = s.full_length_windows ? s.cells : round_up(std::min(s.cells, seen), pad);
  }
  s.state_copies = 1 + w.mtp;
  return s;
}

LatentCache latent_cache_of(const model::Model& model, const Workload& w, const Build& build) {
  // ik_llama.cpp says it by its -mla mode: 0 expands, 1 caches the latent a second time
  // (transposed) where flash attention is off, 2 and 3 cache it once.
  if (w.mla_mode == "0") return LatentCache::expanded;
  if (w.mla_mode == "1" && w.flash_attention != Toggle::on) return LatentCache::latent_and_values;
  if (!w.mla_mode.empty()) return LatentCache::latent;
  // Files converted before the change lack the split matrices; they still name all the KV heads.
  const bool old_file =
      model.reading == model::Reading::gguf &&
      std::any_of(model.layers.begin(), model.layers.end(), [](const model::Layer& l) {
        return l.mixer == Mixer::mla && l.attention.kv_heads > 1;
      });
  if (!build.latent_cache || old_file) return LatentCache::expanded;
  return build.latent_values_cached ? LatentCache::latent_and_values : LatentCache::latent;
}

LayerCache layer_cache(const model::Layer& layer, const Settings& s, LatentCache latent,
                       const Build& build) {
  LayerCache out;
  const auto& a = layer.attention;
  const std::uint64_t rows = saturating_mul(slides(layer) ? s.window_cells : s.cells, s.streams);
  switch (layer.mixer) {
    case Mixer::none:
    case Mixer::cross:
      return out;
    case Mixer::recurrent: {
      const std::uint64_t copies = saturating_mul(s.sequences, s.state_copies);
      out.conv_state = Bytes(layer.recurrent.conv_elements()) * copies * 4;
      out.scan_state = Bytes(layer.recurrent.state_elements()) * copies * 4;
      return out;
    }
    case Mixer::bidirectional:
      if (build.encoders_without_cache) return out;
      break;
    case Mixer::mla:
      if (latent == LatentCache::expanded) {
        out.keys = s.keys.matrix_bytes(rows, std::uint64_t{a.query_heads} * a.key_dim);
        out.values = s.values.matrix_bytes(rows, std::uint64_t{a.query_heads} * a.value_dim);
        return out;
      }
      out.keys = s.keys.matrix_bytes(rows, a.kv_lora_rank + a.rope_dim + a.indexer_dim);
      if (latent == LatentCache::latent_and_values) {
        out.values = s.values.matrix_bytes(rows, a.kv_lora_rank);
      }
      return out;
    default:
      break;
  }
  if (a.shares_cache_with >= 0) return out;
  out.keys = s.keys.matrix_bytes(rows, std::uint64_t{a.kv_heads} * a.key_dim + a.indexer_dim);
  out.values = s.values.matrix_bytes(rows, std::uint64_t{a.kv_heads} * a.value_dim);
  return out;
}

}  // namespace steelyard::memory::llama_cpp

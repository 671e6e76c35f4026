#include "report/models.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

namespace steelyard::report {
namespace {

using model::FeedForwardKind;
using model::Layer;
using model::Mixer;
using model::Model;
using model::Role;
using model::Tensor;

std::string billions(std::uint64_t parameters) {
  const double value = static_cast<double>(parameters) / 1e9;
  if (value < 1) return fmt::format("{:.0f}M", value * 1e3);
  return value < 100 ? fmt::format("{:.2f}B", value) : fmt::format("{:.0f}B", value);
}

std::string_view catalogue_reading(model::Reading reading) {
  switch (reading) {
    case model::Reading::config:
      return "config";
    case model::Reading::safetensors:
      return "safetensors";
    case model::Reading::gguf:
      return "gguf";
    case model::Reading::catalogue:
      return "catalogue";
    case model::Reading::typical_shape:
      return "typical_shape";
    case model::Reading::catalogue_and_header:
      return "catalogue_and_header";
  }
  return "config";
}

std::string_view mixer_word(Mixer mixer) {
  switch (mixer) {
    case Mixer::none:
      return "no attention";
    case Mixer::full:
      return "full attention";
    case Mixer::sliding:
      return "sliding window";
    case Mixer::chunked:
      return "chunked attention";
    case Mixer::mla:
      return "latent attention";
    case Mixer::cross:
      return "cross attention";
    case Mixer::recurrent:
      return "recurrent state";
    case Mixer::bidirectional:
      return "bidirectional attention";
  }
  return "";
}

std::string_view part_of(Role role) {
  switch (role) {
    case Role::token_embedding:
    case Role::position_embedding:
      return "embeddings";
    case Role::output_head:
      return "output head";
    case Role::expert_gate:
    case Role::expert_up:
    case Role::expert_down:
      return "experts";
    case Role::ffn_gate:
    case Role::ffn_up:
    case Role::ffn_down:
    case Role::shared_gate:
    case Role::shared_up:
    case Role::shared_down:
      return "feed-forward";
    case Role::recurrent_in:
    case Role::recurrent_out:
    case Role::recurrent_other:
      return "recurrent layers";
    case Role::vision:
    case Role::audio:
    case Role::projector:
      return "towers";
    case Role::norm:
    case Role::router:
    case Role::other:
      return "norms, routers, others";
    default:
      return "attention";
  }
}

std::uint64_t cached_elements(const Layer& layer) {
  const model::Attention& a = layer.attention;
  if (a.shares_cache_with >= 0) return 0;
  const std::uint64_t ratio = a.compress_ratio > 1 ? a.compress_ratio : 1;
  if (layer.mixer == Mixer::mla) return (std::uint64_t{a.kv_lora_rank} + a.rope_dim) / ratio;
  return std::uint64_t{a.kv_heads} * (std::uint64_t{a.key_dim} + a.value_dim);
}

bool grows(Mixer mixer) {
  return mixer == Mixer::full || mixer == Mixer::sliding || mixer == Mixer::chunked ||
         mixer == Mixer::mla;
}

nlohmann::json model_value(const Model& m) {
  nlohmann::json value = {{"name", m.name},
                          {"architecture", m.architecture},
                          {"model_type", m.model_type},
                          {"reading", catalogue_reading(m.reading)},
                          {"parameters", m.parameters()},
                          {"active_parameters", m.active_parameters()},
                          {"layers", m.layers.size()},
                          {"mtp_layers", m.mtp_layers.size()},
                          {"hidden", m.hidden},
                          {"vocab", m.vocab},
                          {"weight_bytes", m.weight_bytes().value()},
                          {"dtype", m.dtype.name},
                          {"quantisation", m.quantisation.method},
                          {"assumed", m.notes},
                          {"source", m.source}};
  value["max_context"] = m.max_context > 0 ? nlohmann::json(m.max_context) : nlohmann::json();
  if (m.max_context == 0) value["max_context_reason"] = "the config does not say";
  const auto cache = cache_per_thousand_tokens(m);
  value["kv_bytes_per_1k_tokens"] = cache ? nlohmann::json(cache->value()) : nlohmann::json();
  if (!cache) value["kv_bytes_per_1k_tokens_reason"] = "no cache that grows with the context";
  return value;
}

}  // namespace

std::optional<Bytes> cache_per_thousand_tokens(const Model& model) {
  std::uint64_t elements = 0;
  bool any = false;
  for (const Layer& layer : model.layers) {
    if (!grows(layer.mixer)) continue;
    any = true;
    elements = saturating_add(elements, cached_elements(layer));
  }
  if (!any) return std::nullopt;
  return Bytes(saturating_mul(elements, 2 * 1000));
}

std::string models_table(std::span<const Model> models) {
  std::string text = fmt::format("{:<46} {:>8} {:>8} {:>6} {:>11} {:>12}\n", "model", "params",
                                 "active", "layers", "weights GiB", "KV MiB/1k");
  for (const Model& m : models) {
    const auto cache = cache_per_thousand_tokens(m);
    const std::uint64_t all = m.parameters(), active = m.active_parameters();
    text +=
        fmt::format("{:<46.46} {:>8} {:>8} {:>6} {:>11.2f} {:>12}\n", m.name, billions(all),
                    active < all ? billions(active) : "", m.layers.size(),
                    m.weight_bytes().as_gib(), cache ? fmt::format("{:.1f}", cache->as_mib()) : "");
  }
  return text;
}

std::string model_in_full(const Model& m) {
  std::string text = fmt::format("{}\n", m.name);
  const auto line = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<22}{}\n", label, value);
  };
  line("architecture", m.architecture.empty() ? m.model_type : m.architecture);
  line("parameters", with_commas(m.parameters()));
  if (m.active_parameters() < m.parameters()) {
    line("active per token", with_commas(m.active_parameters()));
  }
  line("width", with_commas(m.hidden));
  line("vocabulary", with_commas(m.vocab));
  if (m.max_context > 0) line("longest context", with_commas(m.max_context));
  line("weights",
       fmt::format("{:.2f} GiB, {}", m.weight_bytes().as_gib(),
                   m.quantisation.description.empty() ? m.dtype.name : m.quantisation.description));
  std::map<std::string_view, std::size_t> kinds;
  for (const Layer& layer : m.layers) ++kinds[mixer_word(layer.mixer)];
  for (const auto& [kind, count] : kinds) line("layers", fmt::format("{} x {}", count, kind));
  if (!m.mtp_layers.empty()) line("MTP layers", fmt::format("{}", m.mtp_layers.size()));
  if (const auto cache = cache_per_thousand_tokens(m)) {
    line("KV cache", fmt::format("{:.2f} MiB per 1000 tokens in 16 bits", cache->as_mib()));
  }
  std::map<std::string_view, Bytes> parts;
  for (const Tensor& tensor : m.tensors) parts[part_of(tensor.role)] += tensor.bytes;
  for (const auto& [part, bytes] : parts) line(part, fmt::format("{:.3f} GiB", bytes.as_gib()));
  line("not established", m.not_established);
  for (const std::string& note : m.notes) line("note", note);
  line("source", m.source);
  return text;
}

std::string models_json(std::span<const Model> models) {
  nlohmann::json list = nlohmann::json::array();
  for (const Model& m : models) list.push_back(model_value(m));
  const nlohmann::json document = {{"schema", "steelyard.models/1"}, {"models", std::move(list)}};
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard::report

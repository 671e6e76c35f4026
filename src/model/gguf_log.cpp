// A model from the figures a llama.cpp log prints, without its file.
#include <fmt/format.h>

#include <algorithm>

#include "model/gguf_layers.h"

namespace steelyard::model {
namespace {

std::uint64_t apart(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : b - a;
}

// Latent attention shows in the widths: one KV head whose values are the keys without rotation, or
// expanded heads whose keys are longer than their values.
void set_latent(const GgufLogFigures& f, GgufMetadata& m) {
  if (!f.architecture.starts_with("deepseek2") || f.heads == 0 || f.key_width <= f.value_width) {
    return;
  }
  // The log has neither the rank of expanded files nor the head sizes of compressed ones. All
  // models of this architecture up to Kimi K2 have rank 512 and heads of 128 + 64.
  constexpr std::uint64_t rank = 512, head = 128;
  const bool compressed = f.kv_heads == 1;
  const std::uint64_t rope = (f.key_width - f.value_width) / (compressed ? 1 : f.heads);
  m.set(m.key("attention.kv_lora_rank"), compressed ? f.value_width : rank);
  m.set(m.key("rope.dimension_count"), rope);
  if (compressed) {
    m.set(m.key("attention.key_length_mla"), head + rope);
    m.set(m.key("attention.value_length_mla"), head);
  }
}

// The width of one expert, from the number of parameters: they are linear in it.
void settle_experts(const GgufLogFigures& f, GgufMetadata& m) {
  const std::string key = m.key("expert_feed_forward_length");
  constexpr std::uint64_t low = 1024, high = 2048, unit = 32;
  m.set(key, low);
  const auto at_low = from_gguf_metadata(m);
  m.set(key, high);
  const auto at_high = from_gguf_metadata(m);
  m.set(key, f.feed_forward);
  if (!at_low || !at_high) return;
  const auto p_low = static_cast<double>(at_low->parameters());
  const double slope = (static_cast<double>(at_high->parameters()) - p_low) / (high - low);
  const double width = low + (static_cast<double>(f.parameters) - p_low) / slope;
  if (!(slope > 0) || !(width >= unit) || width > 1e6) return;
  m.set(key, static_cast<std::uint64_t>(width / unit + 0.5) * unit);
}

}  // namespace

GgufMetadata gguf_metadata_of(const GgufLogFigures& f) {
  GgufMetadata m;
  m.set("general.architecture", f.architecture);
  const auto set = [&](std::string_view name, std::uint64_t value) {
    if (value > 0) m.set(m.key(name), value);
  };
  set("block_count", f.layers);
  set("embedding_length", f.embedding);
  set("attention.head_count", f.heads);
  set("attention.head_count_kv", f.kv_heads);
  const std::uint64_t kv_heads = f.kv_heads > 0 ? f.kv_heads : f.heads;
  if (kv_heads > 0) {
    set("attention.key_length", f.key_width / kv_heads);
    set("attention.value_length", f.value_width / kv_heads);
  }
  set("feed_forward_length", f.feed_forward);
  set("vocab_size", f.vocab);
  set("expert_count", f.experts);
  set("expert_used_count", f.experts_used);
  set("attention.sliding_window", f.window);
  set_latent(f, m);
  return m;
}

Result<Model> from_gguf_log(const GgufLogFigures& f) {
  GgufMetadata m = gguf_metadata_of(f);
  const bool settles = f.parameters > 0 && f.experts > 0 && f.feed_forward > 0;
  if (settles) settle_experts(f, m);
  auto model = from_gguf_metadata(m);
  if (!model || model->tensors.empty() || f.parameters == 0) return model;
  if (settles) model->notes.push_back("the width of an expert follows from the parameter count");
  const auto head = std::ranges::find_if(
      model->tensors, [](const Tensor& t) { return t.role == Role::output_head && t.layer < 0; });
  const std::uint64_t all = model->parameters();
  if (head != model->tensors.end() &&
      apart(saturating_mul(model->hidden, model->vocab) > all ? 0 : all - head->parameters(),
            f.parameters) < apart(all, f.parameters)) {
    model->tensors.erase(head);
    model->tied_embeddings = true;
    model->notes.push_back("the parameter count shows no output matrix: the embedding serves");
  }
  return model;
}

}  // namespace steelyard::model

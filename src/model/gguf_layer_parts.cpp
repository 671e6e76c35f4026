#include "model/gguf_layer_parts.h"

#include <algorithm>

namespace steelyard::model {
namespace {

// A layer's entry of a key that may be an array; 0 when it is absent.
std::uint64_t at(const GgufMetadata& m, std::string_view name, std::size_t index,
                 std::uint64_t absent = 0) {
  return m.number_at(m.key(name), index).value_or(absent);
}
std::uint64_t of(const GgufMetadata& m, std::string_view name, std::uint64_t absent = 0) {
  return m.number(m.key(name)).value_or(absent);
}

// The file's own flags or period win over what the loader assumes.
bool in_window(const GgufMetadata& m, const GgufArchitecture& arch, std::size_t index) {
  const std::string key = m.key("attention.sliding_window_pattern");
  if (m.array(key) != nullptr) return m.number_at(key, index).value_or(0) != 0;
  const std::uint64_t period = m.number(key).value_or(arch.period);
  if (period == 0) return true;
  return index % period != (arch.full_first ? 0 : period - 1);
}

void set_window(const GgufMetadata& m, const GgufArchitecture& arch, std::size_t index,
                Layer& layer) {
  const std::uint64_t window = of(m, "attention.sliding_window", arch.window);
  const bool flagged = m.array(m.key("attention.sliding_window_pattern")) != nullptr;
  const Mixer kind = arch.windowed == Mixer::full && flagged ? Mixer::sliding : arch.windowed;
  if (kind == Mixer::full || window == 0 || !in_window(m, arch, index)) return;
  layer.mixer = kind;
  layer.attention.window = u32(window);
  // Gemma 4: layers inside the window have heads of another size.
  Attention& a = layer.attention;
  a.key_dim = u32(at(m, "attention.key_length_swa", index, a.key_dim));
  a.value_dim = u32(at(m, "attention.value_length_swa", index, a.value_dim));
}

void set_latent(const GgufMetadata& m, Layer& layer) {
  Attention& a = layer.attention;
  layer.mixer = Mixer::mla;
  a.kv_lora_rank = u32(of(m, "attention.kv_lora_rank"));
  // Files converted since the compressed cache give one KV head of rank + rope; the sizes of a
  // head before compression then have keys of their own.
  a.key_dim = u32(of(m, "attention.key_length_mla", a.key_dim));
  a.value_dim = u32(of(m, "attention.value_length_mla", a.value_dim));
  a.rope_dim = u32(of(m, "rope.dimension_count", 64));
}

// DeepSeek-V4: one vector per token for K and V, kept for a window; compressed copies beyond it.
void set_compressed(const GgufMetadata& m, Layer& layer) {
  Attention& a = layer.attention;
  a.kv_heads = 1;
  a.value_dim = 0;
  a.window = u32(of(m, "attention.sliding_window"));
  layer.mixer = a.compress_ratio > 1 ? Mixer::mla : Mixer::sliding;
  if (layer.mixer == Mixer::mla) {
    a.rope_dim = u32(of(m, "rope.dimension_count", 64));
    a.kv_lora_rank = a.key_dim > a.rope_dim ? a.key_dim - a.rope_dim : 0;
  }
  if (a.compress_ratio != 4) a.indexer_dim = 0;  // only finely compressed layers pick entries
}

Layer attention_layer(const GgufMetadata& m, const GgufArchitecture& arch, std::size_t index) {
  Layer layer;
  Attention& a = layer.attention;
  const std::uint64_t heads = at(m, "attention.head_count", index);
  const std::uint64_t most = of(m, "attention.head_count");
  const std::uint64_t width = most > 0 ? of(m, "embedding_length") / most : 0;
  a.query_heads = u32(heads);
  a.kv_heads = u32(at(m, "attention.head_count_kv", index, heads));
  a.key_dim = u32(of(m, "attention.key_length", width));
  a.value_dim = u32(of(m, "attention.value_length", width));
  a.indexer_dim = u32(of(m, "attention.indexer.key_length"));
  a.compress_ratio = u32(at(m, "attention.compress_ratios", index));
  if (arch.name == "deepseek4") {
    set_compressed(m, layer);
  } else if (of(m, "attention.kv_lora_rank") > 0) {
    set_latent(m, layer);
  } else {
    set_window(m, arch, index, layer);
  }
  return layer;
}

bool has_state(const GgufMetadata& m) {
  return m.has(m.key("ssm.state_size")) || m.has(m.key("shortconv.l_cache")) ||
         m.has(m.key("kda.head_dim")) || m.has(m.key("wkv.head_size"));
}

// Which layers keep a state: by list, by interval, or where a hybrid has no KV heads.
bool is_recurrent(const GgufMetadata& m, const GgufArchitecture& arch, std::size_t index) {
  if (arch.all_recurrent) return true;
  if (arch.beside || !(has_state(m) || arch.full_every > 0)) return false;
  const std::string list = m.key("attention.recurrent_layers");
  if (m.array(list) != nullptr) return m.number_at(list, index).value_or(0) != 0;
  const std::uint64_t every = of(m, "full_attention_interval", arch.full_every);
  if (every > 0) return (index + 1) % every != 0;
  if (at(m, "attention.head_count_kv", index, 1) != 0) return false;
  // Nemotron-H: a layer without KV heads that has a feed-forward width is only that.
  const bool either = arch.name == "nemotron_h" || arch.name == "nemotron_h_moe";
  return !either || at(m, "feed_forward_length", index) == 0;
}

Recurrent rwkv(const GgufMetadata& m) {
  Recurrent r{.kind = RecurrentKind::rwkv};
  const std::uint64_t hidden = of(m, "embedding_length");
  const std::uint64_t head = std::max<std::uint64_t>(1, of(m, "wkv.head_size", 64));
  r.state_heads = hidden / head;
  r.state_key_dim = r.state_value_dim = head;
  // One past token for each shift: time mix, and channel mix where there is one.
  const std::uint64_t shifts = of(m, "token_shift_count", m.architecture() == "rwkv6qwen2" ? 1 : 2);
  r.conv_channels = saturating_mul(shifts, hidden);
  r.conv_kernel = 2;
  return r;
}

Recurrent kimi_delta(const GgufMetadata& m) {
  Recurrent r{.kind = RecurrentKind::kimi_delta};
  r.state_heads = of(m, "attention.head_count");
  r.state_key_dim = r.state_value_dim = of(m, "kda.head_dim", 128);
  r.groups = r.state_heads;
  r.conv_kernel = of(m, "ssm.conv_kernel", 4);
  r.conv_channels = saturating_mul(3 * r.state_heads, r.state_key_dim);  // q, k and v
  return r;
}

}  // namespace

Recurrent gguf_recurrent(const GgufMetadata& m, const GgufArchitecture& arch) {
  if (arch.recurrent == RecurrentKind::rwkv) return rwkv(m);
  if (arch.recurrent == RecurrentKind::kimi_delta) return kimi_delta(m);
  Recurrent r{.kind = arch.recurrent};
  if (arch.recurrent == RecurrentKind::short_conv) {
    r.conv_channels = of(m, "embedding_length");
    r.conv_kernel = of(m, "shortconv.l_cache", 3);
    return r;
  }
  // "inner" is heads x value width, the "time step rank" of newer kinds is the number of heads.
  const std::uint64_t inner = of(m, "ssm.inner_size", 2 * of(m, "embedding_length"));
  r.conv_kernel = of(m, "ssm.conv_kernel", 4);
  r.state_key_dim = of(m, "ssm.state_size", 16);
  if (arch.recurrent == RecurrentKind::mamba1) {
    r.state_heads = r.conv_channels = inner;
    r.state_value_dim = 1;
    return r;
  }
  r.groups = of(m, "ssm.group_count", 1);
  r.state_heads = std::max<std::uint64_t>(1, of(m, "ssm.time_step_rank", 1));
  r.state_value_dim = inner / r.state_heads;
  r.conv_channels =
      saturating_add(inner, saturating_mul(saturating_mul(2, r.groups), r.state_key_dim));
  return r;
}

FeedForward gguf_feed_forward(const GgufMetadata& m, const GgufArchitecture& arch,
                              std::size_t index) {
  FeedForward ff;
  const std::uint64_t width = at(m, "feed_forward_length", index);
  ff.gated = arch.blocks == GgufBlocks::standard || arch.blocks == GgufBlocks::fused;
  ff.intermediate = u32(width);
  const std::uint64_t experts = of(m, "expert_count");
  const std::uint64_t step = of(m, "interleave_moe_layer_step", 1);
  const std::uint64_t every = of(m, "moe_every_n_layers", 0);
  const bool dense = experts == 0 || index < of(m, "leading_dense_block_count") ||
                     (step > 1 && (index + 1) % step != 0) || (every > 1 && index % every != 1);
  if (dense) {
    ff.kind = width > 0 ? FeedForwardKind::dense : FeedForwardKind::none;
    return ff;
  }
  ff.kind = FeedForwardKind::moe;
  ff.intermediate = 0;
  ff.experts = u32(experts);
  ff.experts_per_token = u32(of(m, "expert_used_count", std::min<std::uint64_t>(experts, 2)));
  ff.expert_intermediate = u32(of(m, "expert_feed_forward_length", width));
  ff.shared_experts = u32(of(m, "expert_shared_count"));
  const std::uint64_t shared = of(m, "expert_shared_feed_forward_length");
  ff.shared_intermediate =
      u32(shared > 0 ? shared : saturating_mul(ff.shared_experts, ff.expert_intermediate));
  if (ff.shared_intermediate > 0 && ff.shared_experts == 0) ff.shared_experts = 1;
  return ff;
}

Layer gguf_layer(const GgufMetadata& m, const GgufArchitecture& arch, std::size_t index) {
  Layer layer;
  if (is_recurrent(m, arch, index)) {
    layer.mixer = Mixer::recurrent;
    layer.recurrent = gguf_recurrent(m, arch);
  } else {
    layer = attention_layer(m, arch, index);
    // Deci and Nemotron-H have layers without attention.
    if (layer.attention.kv_heads == 0 && layer.mixer != Mixer::mla) {
      layer.mixer = Mixer::none;
      layer.attention = {};
    }
  }
  layer.feed_forward = gguf_feed_forward(m, arch, index);
  return layer;
}

}  // namespace steelyard::model

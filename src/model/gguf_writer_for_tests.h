// Writes GGUF headers for tests: any metadata, any tensor table, also wrong ones.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::model {

class GgufWriter {
 public:
  template <typename T>
  static std::string raw(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  static std::string text(std::string_view value) {
    return raw<std::uint64_t>(value.size()) + std::string(value);
  }

  void u32(std::string_view key, std::uint32_t value) {
    pair(key, raw<std::uint32_t>(4) + raw(value));
  }
  void string(std::string_view key, std::string_view value) {
    pair(key, raw<std::uint32_t>(8) + text(value));
  }
  void numbers(std::string_view key, const std::vector<std::int32_t>& values) {
    std::string bytes =
        raw<std::uint32_t>(9) + raw<std::uint32_t>(5) + raw<std::uint64_t>(values.size());
    for (const std::int32_t value : values) bytes += raw(value);
    pair(key, bytes);
  }
  void strings(std::string_view key, std::uint64_t count, std::string_view each) {
    std::string bytes = raw<std::uint32_t>(9) + raw<std::uint32_t>(8) + raw<std::uint64_t>(count);
    for (std::uint64_t i = 0; i < count; ++i) bytes += text(each);
    pair(key, bytes);
  }
  void pair(std::string_view key, std::string_view typed_value) {
    pairs_ += text(key) + std::string(typed_value);
    ++pair_count_;
  }
  // `bytes` moves the next tensor's offset.
  void tensor(std::string_view name, const std::vector<std::uint64_t>& extents, std::uint32_t type,
              std::uint64_t bytes) {
    tensors_ += text(name) + raw(static_cast<std::uint32_t>(extents.size()));
    for (const std::uint64_t extent : extents) tensors_ += raw(extent);
    tensors_ += raw(type) + raw(offset_);
    offset_ += (bytes + 31) / 32 * 32;
    ++tensor_count_;
  }

  std::string header(std::uint32_t version = 3) const {
    return "GGUF" + raw(version) + raw(tensor_count_) + raw(pair_count_) + pairs_ + tensors_;
  }

 private:
  std::string pairs_, tensors_;
  std::uint64_t pair_count_ = 0, tensor_count_ = 0, offset_ = 0;
};

// A small Llama: 2 layers, hidden 64, 4 heads, 2 KV heads, vocabulary 32, all f16 but the norms.
inline GgufWriter small_llama_gguf() {
  GgufWriter w;
  w.string("general.architecture", "llama");
  w.u32("llama.block_count", 2);
  w.u32("llama.embedding_length", 64);
  w.u32("llama.attention.head_count", 4);
  w.u32("llama.attention.head_count_kv", 2);
  w.u32("llama.feed_forward_length", 128);
  w.strings("tokenizer.ggml.tokens", 32, "word");
  w.tensor("token_embd.weight", {64, 32}, 1, 64 * 32 * 2);
  for (const char* layer : {"blk.0.", "blk.1."}) {
    const std::string p = layer;
    w.tensor(p + "attn_norm.weight", {64}, 0, 256);
    w.tensor(p + "attn_q.weight", {64, 64}, 1, 64 * 64 * 2);
    w.tensor(p + "attn_k.weight", {64, 32}, 1, 64 * 32 * 2);
    w.tensor(p + "attn_v.weight", {64, 32}, 1, 64 * 32 * 2);
    w.tensor(p + "attn_output.weight", {64, 64}, 1, 64 * 64 * 2);
    w.tensor(p + "ffn_gate.weight", {64, 128}, 1, 64 * 128 * 2);
    w.tensor(p + "ffn_up.weight", {64, 128}, 1, 64 * 128 * 2);
    w.tensor(p + "ffn_down.weight", {128, 64}, 1, 64 * 128 * 2);
  }
  w.tensor("output_norm.weight", {64}, 0, 256);
  w.tensor("output.weight", {64, 32}, 1, 64 * 32 * 2);
  return w;
}

}  // namespace steelyard::model

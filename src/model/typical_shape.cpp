#include "model/typical_shape.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "model/model.h"

namespace steelyard::model {
namespace {

struct Point {
  double parameters;
  double layers, hidden;
};

// Dense: SmolLM2-135M, Qwen3-0.6B, 1.7B, 4B, 8B, 14B, Qwen2.5-32B, Llama-3-70B, Mistral-Large,
// Llama-3.1-405B.
constexpr Point kDense[] = {{0.135e9, 30, 576},   {0.6e9, 28, 1024},  {1.7e9, 28, 2048},
                            {4e9, 36, 2560},      {8.2e9, 36, 4096},  {14.8e9, 40, 5120},
                            {32.8e9, 64, 5120},   {70.6e9, 80, 8192}, {122.6e9, 88, 12288},
                            {405.9e9, 126, 16384}};
// Experts: OLMoE-7B, Qwen3-30B-A3B, GLM-4.5-Air, Qwen3-235B-A22B, DeepSeek-V3, Kimi-K2.
constexpr Point kExperts[] = {{6.9e9, 16, 2048}, {30.5e9, 48, 2048}, {107e9, 46, 4096},
                              {235e9, 94, 4096}, {671e9, 61, 7168},  {1026e9, 61, 7168}};
constexpr std::uint64_t kHead = 128, kExpertsPerToken = 8;

std::uint64_t to_multiple(double value, double unit) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(value / unit)) * unit);
}

// Straight lines through the points in the logarithms of size and figure, both ends prolonged.
double between(std::span<const Point> points, double size, double Point::* figure) {
  std::size_t i = 1;
  while (i + 1 < points.size() && points[i].parameters < size) ++i;
  const Point &a = points[i - 1], &b = points[i];
  const double t = std::log(size / a.parameters) / std::log(b.parameters / a.parameters);
  return a.*figure * std::pow(b.*figure / (a.*figure), t);
}

struct Shape {
  std::uint64_t layers, hidden, heads, kv_heads, head, vocab;
  bool tied;

  double attention() const {
    const double q = static_cast<double>(heads * head), kv = static_cast<double>(kv_heads * head);
    return static_cast<double>(layers * hidden) * (2 * q + 2 * kv);
  }
  double embeddings() const { return static_cast<double>(vocab * hidden) * (tied ? 1 : 2); }
  double norms() const { return static_cast<double>(hidden * (2 * layers + 1)); }
};

Shape shape_of(std::span<const Point> points, const ModelSize& size) {
  Shape s{};
  s.layers =
      std::max<std::uint64_t>(4, to_multiple(between(points, size.parameters, &Point::layers), 1));
  s.hidden = to_multiple(between(points, size.parameters, &Point::hidden), 64);
  s.head = s.hidden < 1024 ? 64 : kHead;
  if (s.hidden > 1024) s.hidden = to_multiple(static_cast<double>(s.hidden), kHead);
  s.heads = std::max<std::uint64_t>(1, s.hidden / s.head);
  // Published models have heads in eights, as cards come, also where the width is no multiple.
  if (s.heads >= 8) s.heads = to_multiple(static_cast<double>(s.heads), 8);
  s.kv_heads = std::min<std::uint64_t>(s.heads, size.active > 0 ? 4 : 8);
  while (s.heads % s.kv_heads != 0) --s.kv_heads;
  s.vocab = size.parameters < 0.5e9 ? 49152 : 151936;
  s.tied = size.parameters < 4.5e9;
  return s;
}

std::string config_text(const Shape& s, std::string_view type, const std::string& feed_forward) {
  return fmt::format(
      R"({{"model_type":"{}","hidden_size":{},"num_hidden_layers":{},"num_attention_heads":{},)"
      R"("num_key_value_heads":{},"head_dim":{},"vocab_size":{},"tie_word_embeddings":{},)"
      R"("max_position_embeddings":131072,"torch_dtype":"bfloat16",{}}})",
      type, s.hidden, s.layers, s.heads, s.kv_heads, s.head, s.vocab, s.tied, feed_forward);
}

void state(Model& model, const Shape& s, const std::string& feed_forward) {
  model.reading = Reading::typical_shape;
  model.source = "a typical shape of this size";
  model.max_context = 131072;
  model.notes = {
      fmt::format("assumed: {} layers of width {}", s.layers, s.hidden),
      fmt::format("assumed: {} query and {} key-value heads of {}", s.heads, s.kv_heads, s.head),
      fmt::format("assumed: {}", feed_forward),
      fmt::format("assumed: a vocabulary of {}, {}", s.vocab,
                  s.tied ? "embedding and head shared" : "embedding and head apart"),
      "assumed: bf16, 131072 tokens of context"};
}

Result<Model> dense_model(const ModelSize& size, const std::string& name) {
  const Shape s = shape_of(kDense, size);
  const double left = size.parameters - s.attention() - s.embeddings() - s.norms();
  const double width = left / static_cast<double>(3 * s.layers * s.hidden);
  const std::uint64_t inner = to_multiple(std::max(8.0, width), s.hidden >= 1024 ? 64 : 8);
  auto model =
      read_config(config_text(s, "llama", fmt::format(R"("intermediate_size":{})", inner)), name);
  if (model) state(*model, s, fmt::format("a gated feed-forward of width {}", inner));
  return model;
}

Result<Model> expert_model(const ModelSize& size, const std::string& name) {
  Shape s = shape_of(kExperts, size);
  const auto base = [&] { return s.attention() + s.embeddings() + s.norms(); };
  // Few active parameters leave no room for a wide model.
  while (s.hidden > 512 && base() > 0.6 * size.active) {
    s.hidden -= kHead;
    s.heads = std::max<std::uint64_t>(s.kv_heads, s.hidden / s.head / s.kv_heads * s.kv_heads);
  }
  const double in_experts = size.parameters - base();
  const double active_share = (size.active - base()) / in_experts;
  if (active_share <= 0 || in_experts <= 0) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("no decoder of {} has so few active parameters", name),
                 .try_this = "give a model's name or its config.json"});
  }
  const std::uint64_t experts = std::max<std::uint64_t>(
      kExpertsPerToken + 1, to_multiple(kExpertsPerToken / active_share, 1));
  const double router = static_cast<double>(s.layers * s.hidden * experts);
  const double width =
      (in_experts - router) / (3.0 * static_cast<double>(s.layers * s.hidden * experts));
  const std::uint64_t inner = to_multiple(std::max(1.0, width), width > 400 ? 4 : 1);
  const std::string fields =
      fmt::format(R"("intermediate_size":{0},"moe_intermediate_size":{0},"num_experts":{1},)"
                  R"("num_experts_per_tok":{2})",
                  inner, experts, kExpertsPerToken);
  auto model = read_config(config_text(s, "qwen3_moe", fields), name);
  if (model) {
    state(*model, s,
          fmt::format("{} experts of width {}, {} per token", experts, inner, kExpertsPerToken));
  }
  return model;
}

// A number and its unit from the front of `text`.
std::optional<double> take_count(std::string_view& text) {
  // from_chars would also read "inf".
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || end == text.data() + text.size() || !(value > 0)) return std::nullopt;
  const char unit = *end;
  const double scale = unit == 'm' ? 1e6 : unit == 'b' ? 1e9 : unit == 't' ? 1e12 : 0;
  if (scale == 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return value * scale;
}

std::string size_text(double parameters) {
  return fmt::format("{}B", std::round(parameters / 1e6) / 1e3);
}

}  // namespace

std::optional<ModelSize> parse_size(std::string_view argument) {
  const std::string text = lower(fold_width(trim(argument)));
  std::string_view rest = text;
  ModelSize size;
  const auto total = take_count(rest);
  if (!total) return std::nullopt;
  size.parameters = *total;
  if (rest.empty()) return size;
  if (!rest.starts_with("-a")) return std::nullopt;
  rest.remove_prefix(2);
  const auto active = take_count(rest);
  if (!active || !rest.empty()) return std::nullopt;
  size.active = *active;
  return size;
}

Result<Model> typical_model(const ModelSize& size) {
  const std::string name =
      size.active > 0
          ? fmt::format("{} with {} active", size_text(size.parameters), size_text(size.active))
          : size_text(size.parameters);
  if (size.parameters < 0.1e9 || size.parameters > 3000e9 || size.active > size.parameters) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("no typical shape for a model of {}", name),
                 .try_this = "sizes from 0.1b to 3000b, as 7b or 30b-a3b"});
  }
  return size.active > 0 && size.active < size.parameters ? expert_model(size, name)
                                                          : dense_model(size, name);
}

}  // namespace steelyard::model

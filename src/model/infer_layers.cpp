#include "model/infer_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace steelyard::model {
namespace {

struct Shapes {
  std::uint64_t q = 0, k = 0, v = 0, head = 0;  // output rows; values of one head's norm
  bool latent = false, state = false;
};

void read_widths(Model& model) {
  std::map<std::string_view, std::uint64_t> bytes;
  std::map<std::string_view, facts::Format> formats;
  for (const Tensor& t : model.tensors) {
    if (t.role == Role::token_embedding && t.layer < 0 && t.cols > 1 && model.hidden == 0) {
      model.hidden = t.cols;
      model.vocab = t.rows;
    }
    if (t.format.block_elements == 1 && t.format.block_bytes >= 2) {
      bytes[t.format.name] += t.bytes.value();
      formats[t.format.name] = t.format;
    }
  }
  model.dtype = {.name = "bf16", .block_elements = 1, .block_bytes = 2};
  const auto most = std::ranges::max_element(bytes, {}, [](const auto& b) { return b.second; });
  if (most != bytes.end()) model.dtype = formats[most->first];
}

std::vector<Shapes> read_shapes(const Model& model) {
  constexpr std::int32_t limit = 4096;
  std::vector<Shapes> shapes;
  for (const Tensor& t : model.tensors) {
    if (t.layer < 0 || t.layer >= limit) continue;
    const auto at = static_cast<std::size_t>(t.layer);
    if (shapes.size() <= at) shapes.resize(at + 1);
    Shapes& s = shapes[at];
    if (t.role == Role::attention_q && t.cols > 1) s.q = t.rows;
    if (t.role == Role::attention_k && t.cols > 1) s.k = t.rows;
    if (t.role == Role::attention_v && t.cols > 1) s.v = t.rows;
    if (t.role == Role::norm && model.names[t.name].text.find("q_norm") != std::string::npos) {
      s.head = t.rows;
    }
    s.latent = s.latent || t.role == Role::mla_kv_a;
    s.state = s.state || t.role == Role::recurrent_in;
  }
  return shapes;
}

bool tells_heads(const Shapes& s) {
  return s.q > 0 && s.k > 0 && s.v > 0 && s.head > 0 && s.q % s.head == 0 && s.k % s.head == 0 &&
         s.q != s.head;
}

}  // namespace

void infer_layers(Model& model) {
  read_widths(model);
  const std::vector<Shapes> shapes = read_shapes(model);
  if (shapes.empty()) {
    model.not_established = "no config.json, and the names show no layers";
    return;
  }
  if (!std::ranges::all_of(shapes, tells_heads)) {
    const bool other =
        std::ranges::any_of(shapes, [](const Shapes& s) { return s.latent || s.state; });
    model.not_established = fmt::format(
        "no config.json: {} layers by their names, but {} is not told by the shapes", shapes.size(),
        other ? "the kind of their caches" : "the number of attention heads");
    return;
  }
  for (const Shapes& s : shapes) {
    Layer layer;
    layer.attention.query_heads = u32(s.q / s.head);
    layer.attention.kv_heads = u32(s.k / s.head);
    layer.attention.key_dim = u32(s.head);
    layer.attention.value_dim = u32(s.v / layer.attention.kv_heads);
    model.layers.push_back(layer);
  }
  model.notes.push_back(
      "no config.json: heads follow from the norms of single heads, and every layer is taken to "
      "see the whole context");
}

}  // namespace steelyard::model

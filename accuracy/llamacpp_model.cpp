// Which model a row of memory-llamacpp.csv is about.
#include <algorithm>
#include <map>

#include "llamacpp_row.h"

namespace steelyard::accuracy {

namespace {

// The figures that tell one published model from another.
struct Shape {
  std::uint64_t layers = 0, hidden = 0, heads = 0, experts = 0;
  auto operator<=>(const Shape&) const = default;
};

Shape shape_of(const model::Model& m) {
  Shape out{.layers = m.layers.size(), .hidden = m.hidden};
  for (const auto& l : m.layers) {
    out.heads = std::max<std::uint64_t>(out.heads, l.attention.query_heads);
    out.experts = std::max<std::uint64_t>(out.experts, l.feed_forward.experts);
  }
  return out;
}

const std::multimap<Shape, std::string>& published_shapes() {
  static const std::multimap<Shape, std::string> shapes = [] {
    std::multimap<Shape, std::string> out;
    for (const std::string& name : model::catalogue_names()) {
      if (const auto m = model::catalogue_model(name)) out.emplace(shape_of(*m), name);
    }
    return out;
  }();
  return shapes;
}

bool near(std::uint64_t a, std::uint64_t b) {
  return a <= b + b / 500 && b <= a + a / 500;
}

// A published model with the row's shape, whose cached widths and vocabulary agree too.
std::optional<model::Model> of_same_shape(const LlamaRow& row) {
  const auto layers = row.number("n_layer"), hidden = row.number("n_embd");
  const auto heads = row.number("n_head"), vocab = row.number("n_vocab");
  if (!layers || !hidden || !heads || !vocab) return std::nullopt;
  const Shape wanted{*layers, *hidden, *heads, row.number("n_expert").value_or(0)};
  const auto [begin, end] = published_shapes().equal_range(wanted);
  for (auto it = begin; it != end; ++it) {
    auto m = model::catalogue_model(it->second);
    if (!m || !near(m->vocab, *vocab)) continue;
    const auto& l = m->layers.back();
    const auto kv = row.number("n_embd_k_gqa");
    const bool mla = l.mixer == model::Mixer::mla;
    const std::uint64_t width = std::uint64_t{l.attention.kv_heads} * l.attention.key_dim;
    if (kv && !mla && *kv > 0 && width != *kv) continue;
    const auto ff = row.number("n_ff");
    if (ff && l.feed_forward.kind == model::FeedForwardKind::dense &&
        l.feed_forward.intermediate != *ff) {
      continue;
    }
    m->vocab = *vocab;
    if (mla && row.number("n_head_kv").value_or(1) > 1) {
      // A file from before the split matrices: it names every KV head.
      m->reading = model::Reading::gguf;
      for (auto& layer : m->layers) layer.attention.kv_heads = layer.attention.query_heads;
    }
    return *m;
  }
  return std::nullopt;
}

void add(model::Model& m, model::Role role, std::int32_t layer, std::uint64_t rows,
         std::uint64_t cols) {
  (void)model::add_tensor(m, {.name = "t",
                              .role = role,
                              .layer = layer,
                              .rows = rows,
                              .cols = cols,
                              .format = *facts::find_format(cols > 1 ? "f16" : "f32"),
                              .bytes = Bytes(rows * cols * (cols > 1 ? 2 : 4)),
                              .quantisable = cols > 1});
}

// A plain decoder of the row's own figures.
std::optional<model::Model> plain(const LlamaRow& row) {
  using model::Role;
  const auto layers = row.number("n_layer"), hidden = row.number("n_embd");
  const auto heads = row.number("n_head"), kv_heads = row.number("n_head_kv");
  const auto vocab = row.number("n_vocab"), ff = row.number("n_ff");
  if (!layers || !hidden || !heads || !kv_heads || !vocab || !ff || *heads == 0 || *kv_heads == 0) {
    return std::nullopt;
  }
  if (row.number("n_expert").value_or(0) > 0) return std::nullopt;
  const std::uint64_t k = row.number("n_embd_k_gqa").value_or(*kv_heads * (*hidden / *heads));
  const std::uint64_t v = row.number("n_embd_v_gqa").value_or(k);
  model::Model m;
  m.reading = model::Reading::gguf;
  m.architecture = row.cell("arch");
  m.hidden = *hidden;
  m.vocab = *vocab;
  add(m, Role::token_embedding, -1, *vocab, *hidden);
  for (std::uint64_t i = 0; i < *layers && i < 1000; ++i) {
    const auto n = static_cast<std::int32_t>(i);
    model::Layer l;
    l.mixer = row.cell("arch").find("bert") != std::string::npos ||
                      row.cell("arch").find("encoder") != std::string::npos
                  ? model::Mixer::bidirectional
                  : model::Mixer::full;
    l.attention.query_heads = static_cast<std::uint32_t>(*heads);
    l.attention.kv_heads = static_cast<std::uint32_t>(*kv_heads);
    l.attention.key_dim = static_cast<std::uint32_t>(k / *kv_heads);
    l.attention.value_dim = static_cast<std::uint32_t>(v / *kv_heads);
    l.feed_forward.intermediate = static_cast<std::uint32_t>(*ff);
    m.layers.push_back(l);
    const std::uint64_t q = *heads * l.attention.key_dim;
    if (row.cell("arch") == "phi3") {
      add(m, Role::attention_qkv, n, q + k + v, *hidden);
    } else {
      add(m, Role::attention_q, n, q, *hidden);
      add(m, Role::attention_k, n, k, *hidden);
      add(m, Role::attention_v, n, v, *hidden);
    }
    add(m, Role::attention_output, n, *hidden, q);
    add(m, Role::ffn_gate, n, *ff, *hidden);
    add(m, Role::ffn_up, n, *ff, *hidden);
    add(m, Role::ffn_down, n, *hidden, *ff);
  }
  add(m, Role::output_head, -1, *vocab, *hidden);
  return m;
}

// "Q4_K - Medium" -> "q4_k_m"; the words llama.cpp prints after the type.
std::string mix_name(std::string_view printed) {
  std::string text = lower(trim(printed));
  if (text.starts_with("mostly ")) text = text.substr(7);
  const auto cut = [&](std::string_view word) {
    const std::size_t at = text.find(word);
    if (at == std::string::npos) return false;
    text = std::string(trim(text.substr(0, at)));
    return true;
  };
  if (cut(" - medium")) return text + "_m";
  if (cut(" - small")) return text + "_s";
  if (cut(" - large")) return text + "_l";
  cut(" - ");
  cut("  ");
  if (text.starts_with("ud-")) text = text.substr(3);
  return text;
}

}  // namespace

std::expected<model::Model, std::string> model_of_row(const LlamaRow& row) {
  std::optional<model::Model> m = of_same_shape(row);
  if (!m) m = plain(row);
  if (!m && !row.has("n_embd")) {
    if (auto named = model::catalogue_model(row.cell("model"))) m = *named;
  }
  if (!m) return std::unexpected("the row does not describe its model");
  if (row.has("quant_type")) {
    if (auto mixed = model::with_weights(*m, mix_name(row.cell("quant_type")))) {
      const auto reading = m->reading;
      m = *mixed;
      m->reading = reading;
    } else {
      m->notes.push_back("weights kept: " + row.cell("quant_type"));
    }
  }
  return *m;
}

}  // namespace steelyard::accuracy

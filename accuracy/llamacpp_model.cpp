// Which model a row of memory-llamacpp.csv is about.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

#include "llamacpp_row.h"
#include "model/gguf_layers.h"

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

// "8.03 B" -> 8030000000.
std::uint64_t printed_count(const std::string& text) {
  const double number = std::strtod(text.c_str(), nullptr);
  const double unit = text.find('T') != std::string::npos   ? 1e12
                      : text.find('M') != std::string::npos ? 1e6
                                                            : 1e9;
  return number > 0 && number < 1e6 ? static_cast<std::uint64_t>(number * unit) : 0;
}

// From the row's own figures, as a log prints them.
std::optional<model::Model> from_columns(const LlamaRow& row) {
  if (!row.has("n_layer") || !row.has("n_embd") || !row.has("arch")) return std::nullopt;
  // A per-layer list of heads is cut off in the row.
  if (row.cell("n_head").starts_with("[") || row.cell("n_head_kv").starts_with("[")) return {};
  const auto figure = [&](std::string_view column) { return row.number(column).value_or(0); };
  auto m = model::from_gguf_log({.architecture = row.cell("arch"),
                                 .layers = figure("n_layer"),
                                 .embedding = figure("n_embd"),
                                 .heads = figure("n_head"),
                                 .kv_heads = figure("n_head_kv"),
                                 .key_width = figure("n_embd_k_gqa"),
                                 .value_width = figure("n_embd_v_gqa"),
                                 .feed_forward = figure("n_ff"),
                                 .vocab = figure("n_vocab"),
                                 .experts = figure("n_expert"),
                                 .window = figure("n_swa"),
                                 .parameters = printed_count(row.cell("params"))});
  if (!m || m->layers.empty()) return std::nullopt;
  return *m;
}

bool names_a_size(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if ((text[i] == 'B' || text[i] == 'b') &&
        std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0) {
      return true;
    }
  }
  return text.find("mini") != std::string_view::npos;
}

// By its name, dropping words from the end ("(ollama)", "MTP", "-class") while a size stays named.
std::optional<model::Model> of_that_name(const LlamaRow& row) {
  std::string name = row.cell("model");
  if (name.find("-class") != std::string::npos) return std::nullopt;  // of its kind, not itself
  while (!name.empty()) {
    if (auto m = model::catalogue_model(name)) {
      const auto layers = row.number("n_layer");
      if (!layers || *layers == m->layers.size()) return *m;
    }
    const std::size_t cut = name.find_last_of(" -(_");
    if (cut == std::string::npos) break;
    name = std::string(trim(name.substr(0, cut)));
    if (!names_a_size(name)) break;
  }
  return std::nullopt;
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
  if (!m) m = from_columns(row);
  if (!m && !row.has("n_embd")) m = of_that_name(row);
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

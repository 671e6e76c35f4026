#include <algorithm>

#include <fmt/format.h>

#include "model/check_layers.h"
#include "model/families/families.h"
#include "model/model.h"
#include "model/quantisation.h"
#include "model/rotary.h"
#include "model/stored.h"

namespace steelyard::model {
namespace {

const Family* find_family(std::string_view model_type) {
  for (const Family& family : families()) {
    if (family.model_type == model_type) return &family;
  }
  return nullptr;
}

void read_dtype(Draft& d) {
  std::string word = d.text.text({"torch_dtype", "dtype"});
  if (word.empty()) word = d.root.text({"torch_dtype", "dtype"});
  const auto format = torch_format(word);
  d.model.dtype = format.value_or(stored_bf16());
  if (word.empty()) {
    d.note("assumed bf16: the config names no torch_dtype");
  } else if (!format) {
    d.note(fmt::format("assumed bf16: unknown torch_dtype {}", word));
  }
}

// The text part of a multimodal config, whatever it is called.
Fields text_part(const Fields& root) {
  for (const std::string_view name : {"text_config", "llm_config", "language_config"}) {
    if (root.is_object(name) && root.object(name).keys().size() > 1) return root.object(name);
  }
  if (root.is_object("thinker_config")) return text_part(root.object("thinker_config"));
  return root;
}

bool looks_like_a_model(const Fields& root, const Fields& text) {
  return root.has_any({"model_type", "architectures"}) ||
         text.has_any({"hidden_size", "n_embd", "d_model", "num_hidden_layers", "n_layer"});
}

// "MistralModel" ends at the last norm; "MistralForCausalLM" and "QWenLMHeadModel" have a head.
bool is_headless(std::string_view architecture) {
  return architecture.ends_with("Model") && !architecture.ends_with("LMHeadModel");
}

// A known family by the text part's own type, else by the whole's.
const Family* family_of(const Draft& d) {
  const Family* whole = find_family(d.root.text({"model_type"}));
  return whole != nullptr ? whole : find_family(d.text.text({"model_type"}));
}

// An architecture we do not know whose config lacks a decoder's usual fields.
Model not_established(Model model, const std::string& why) {
  model.not_established = fmt::format("model_type {} is not known, and {}", model.model_type, why);
  model.layers.clear();
  model.mtp_layers.clear();
  model.names.clear();
  model.tensors.clear();
  return model;
}

}  // namespace

Result<Model> read_config(std::string_view json, const std::string& name) {
  Result<Fields> root = Fields::parse(json);
  if (!root) return fail(std::move(root.error()).in_file(name));
  Draft d{.root = *root, .text = text_part(*root)};
  if (!looks_like_a_model(d.root, d.text)) {
    return fail({.kind = ErrorKind::missing_field,
                 .what = "the JSON has no model_type and none of a model's usual fields",
                 .file = name,
                 .field = "model_type",
                 .try_this = "give the config.json of a model"});
  }
  const auto architectures = d.root.texts("architectures");
  d.model.name = d.model.source = name;
  d.model.architecture = architectures.empty() ? "" : architectures.front();
  d.model.model_type = d.root.text({"model_type"});
  read_dtype(d);
  d.style.head = !is_headless(d.model.architecture);
  const Family* family = family_of(d);
  family != nullptr ? family->build(d) : build_default(d);
  read_rotary(d);
  const auto scheme = read_scheme(d.root, d.text);
  if (scheme) apply_scheme(d.model, *scheme);
  if (const auto& error = d.root.error()) {
    if (family == nullptr && error->kind == ErrorKind::missing_field) {
      return not_established(std::move(d.model), error->what);
    }
    Error copy = *error;
    return fail(std::move(copy).in_file(name));
  }
  if (Status good = check_layers(d.model, config_words()); !good) {
    return fail(std::move(good.error()).in_file(name));
  }
  return std::move(d.model);
}

}  // namespace steelyard::model

#include "model/config_fields.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace steelyard::model {

using nlohmann::json;

struct Fields::Document {
  json root;
  std::optional<Error> error;
};

namespace {

constexpr std::size_t kTextLimit = std::size_t{16} << 20;
constexpr int kDepthLimit = 64;

// Python writes Infinity and NaN bare. They become strings of the same length, so that byte
// positions stay true and only a field that needs a number complains. Also measures the depth.
Status prepare(std::string& text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kDepthLimit) {
        return fail({.kind = ErrorKind::too_large,
                     .what = fmt::format("JSON nested deeper than {} levels", kDepthLimit),
                     .byte = i,
                     .try_this = "give a config.json, a folder, or a model name"});
      }
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == 'N' && text.compare(i, 3, "NaN") == 0) {
      text.replace(i, 3, "\"N\"");
      i += 2;
    } else if (c == 'I' && text.compare(i, 8, "Infinity") == 0) {
      const bool negative = i > 0 && text[i - 1] == '-';
      text.replace(negative ? i - 1 : i, negative ? 9 : 8, negative ? "\"Infinit\"" : "\"Infini\"");
      i += 7;
    }
  }
  return {};
}

const json* member(const void* node, std::string_view name) {
  const auto* object = static_cast<const json*>(node);
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(name);
  return found == object->end() || found->is_null() ? nullptr : &*found;
}

std::string shown(const json& value) {
  if (value == "N") return "NaN";  // see prepare()
  if (value == "Infini" || value == "Infinit") return "Infinity";
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

std::optional<std::uint64_t> whole(const json& value, std::uint64_t limit) {
  if (value.is_number_unsigned()) {
    const auto n = value.get<std::uint64_t>();
    return n <= limit ? std::optional(n) : std::nullopt;
  }
  if (value.is_number_float()) {
    const double d = value.get<double>();
    // 4096.0 is written by tools that keep every number as a float.
    if (d >= 0 && d <= static_cast<double>(limit) && d == static_cast<double>(std::uint64_t(d))) {
      return static_cast<std::uint64_t>(d);
    }
  }
  return std::nullopt;
}

Error bad_field(const std::string& path, const json& value, std::string expected) {
  return {.kind = value.is_number() ? ErrorKind::too_large : ErrorKind::bad_input,
          .what = fmt::format("{} is {}, expected {}", path, shown(value), expected),
          .field = path,
          .try_this = "check that the file is an unmodified config.json"};
}

// Files that are whole, but something else than JSON in UTF-8.
Status check_is_text(std::string_view text) {
  const auto other = [](std::string what, std::string try_this) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = std::move(what),
                 .byte = 0,
                 .try_this = std::move(try_this)});
  };
  if (text.size() > kTextLimit) {
    return fail({.kind = ErrorKind::too_large,
                 .what = fmt::format("{} bytes is too long for a config.json", text.size()),
                 .try_this = "give a config.json, a folder, or a model name"});
  }
  if (text.starts_with("version https://git-lfs")) {
    return other("a Git LFS pointer, not the file itself", "fetch it: git lfs pull");
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return other("UTF-16 text; JSON is UTF-8", "save the file as UTF-8");
  }
  if (text.starts_with("<")) {
    return other("a web page or XML, not JSON",
                 "fetch the file itself, not the page that shows it");
  }
  return {};
}

}  // namespace

Result<Fields> Fields::parse(std::string_view text) {
  if (Status good = check_is_text(text); !good) return std::unexpected(good.error());
  std::string copy(text);
  if (Status ready = prepare(copy); !ready) return std::unexpected(ready.error());
  auto document = std::make_shared<Document>();
  try {
    document->root = json::parse(copy);
  } catch (const json::parse_error& error) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = trim(text).empty() ? "the file is empty" : "not valid JSON",
                 .byte = error.byte > 0 ? error.byte - 1 : 0,
                 .try_this = "give a config.json, a folder, or a model name"});
  } catch (const json::out_of_range&) {
    return fail({.kind = ErrorKind::too_large,
                 .what = "a number too large for any field",
                 .try_this = "check that the file is an unmodified config.json"});
  } catch (const std::exception& error) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = fmt::format("not valid JSON: {}", error.what()),
                 .try_this = "give a config.json, a folder, or a model name"});
  }
  if (!document->root.is_object()) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = "the JSON is not an object with a model's fields",
                 .byte = 0,
                 .try_this = "give a config.json, a folder, or a model name"});
  }
  const json* root = &document->root;
  return Fields(std::move(document), root, "");
}

std::string Fields::path(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

const std::optional<Error>& Fields::error() const {
  static const std::optional<Error> none;
  return document_ ? document_->error : none;
}

void Fields::report(Error error) const {
  if (document_ && !document_->error) document_->error = std::move(error);
}

bool Fields::has(std::string_view name) const {
  return member(node_, name) != nullptr;
}
bool Fields::has_any(Names names) const {
  for (const auto name : names) {
    if (has(name)) return true;
  }
  return false;
}
bool Fields::is_negative(std::string_view name) const {
  const json* value = member(node_, name);
  return value != nullptr && value->is_number() && value->get<double>() < 0;
}
bool Fields::is_list(std::string_view name) const {
  const json* value = member(node_, name);
  return value != nullptr && value->is_array();
}
bool Fields::is_object(std::string_view name) const {
  const json* value = member(node_, name);
  return value != nullptr && value->is_object();
}

Fields Fields::object(std::string_view name) const {
  const json* value = member(node_, name);
  if (value != nullptr && !value->is_object()) {
    report(bad_field(path(name), *value, "an object"));
    value = nullptr;
  }
  return Fields(document_, value, path(name));
}

std::vector<Fields> Fields::objects(std::string_view name) const {
  std::vector<Fields> result;
  const json* value = member(node_, name);
  if (value == nullptr || !value->is_array()) return result;
  for (std::size_t i = 0; i < value->size(); ++i) {
    const json& item = (*value)[i];
    result.push_back(Fields(document_, item.is_object() ? &item : nullptr,
                            fmt::format("{}[{}]", path(name), i)));
  }
  return result;
}

std::vector<std::string> Fields::keys() const {
  std::vector<std::string> result;
  const auto* object = static_cast<const json*>(node_);
  if (object == nullptr || !object->is_object()) return result;
  for (auto item = object->begin(); item != object->end(); ++item) result.push_back(item.key());
  return result;
}

std::optional<std::uint64_t> Fields::maybe(Names names, std::uint64_t limit) const {
  for (const auto name : names) {
    const json* value = member(node_, name);
    if (value == nullptr) continue;
    if (const auto n = whole(*value, limit)) return n;
    report(bad_field(path(name), *value, fmt::format("a whole number from 0 to {}", limit)));
    return std::nullopt;
  }
  return std::nullopt;
}

std::uint64_t Fields::number(Names names, std::uint64_t fallback, std::uint64_t limit) const {
  return maybe(names, limit).value_or(fallback);
}

std::uint64_t Fields::need(Names names, std::uint64_t limit) const {
  if (const auto n = maybe(names, limit); n && *n > 0) return *n;
  const std::string field = path(*names.begin());
  report({.kind = ErrorKind::missing_field,
          .what = fmt::format("{} is missing or zero", field),
          .field = field,
          .try_this = "check that the file is a model's config.json"});
  return 0;
}

double Fields::real(Names names, double fallback) const {
  for (const auto name : names) {
    const json* value = member(node_, name);
    if (value == nullptr) continue;
    if (value->is_number()) {
      const double d = value->get<double>();
      if (d >= 0 && d <= 1e9) return d;
    }
    report(bad_field(path(name), *value, "a number"));
  }
  return fallback;
}

bool Fields::flag(Names names, bool fallback) const {
  for (const auto name : names) {
    const json* value = member(node_, name);
    if (value == nullptr) continue;
    if (value->is_boolean()) return value->get<bool>();
    if (value->is_number()) return value->get<double>() != 0;
    report(bad_field(path(name), *value, "true or false"));
  }
  return fallback;
}

std::string Fields::text(Names names) const {
  for (const auto name : names) {
    const json* value = member(node_, name);
    if (value != nullptr && value->is_string()) return value->get<std::string>();
  }
  return {};
}

std::vector<std::string> Fields::texts(std::string_view name) const {
  std::vector<std::string> result;
  const json* value = member(node_, name);
  if (value == nullptr || !value->is_array()) return result;
  for (const json& item : *value) {
    if (item.is_string()) result.push_back(item.get<std::string>());
  }
  return result;
}

std::vector<std::uint64_t> Fields::numbers(std::string_view name, std::uint64_t limit) const {
  std::vector<std::uint64_t> result;
  const json* value = member(node_, name);
  if (value == nullptr || !value->is_array()) return result;
  for (std::size_t i = 0; i < value->size(); ++i) {
    const json& item = (*value)[i];
    if (item.is_boolean()) {
      result.push_back(item.get<bool>() ? 1 : 0);
    } else if (const auto n = whole(item, limit)) {
      result.push_back(*n);
    } else {
      report(bad_field(fmt::format("{}[{}]", path(name), i), item, "a whole number"));
      return {};
    }
  }
  return result;
}

}  // namespace steelyard::model

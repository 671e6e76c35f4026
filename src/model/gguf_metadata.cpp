#include "model/gguf_metadata.h"

#include <algorithm>
#include <cmath>

namespace steelyard::model {
namespace {

std::optional<std::uint64_t> whole(std::int64_t value) {
  if (value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

std::optional<std::uint64_t> scalar(const GgufValue& value) {
  if (const auto* plain = std::get_if<std::uint64_t>(&value)) return *plain;
  if (const auto* with_sign = std::get_if<std::int64_t>(&value)) return whole(*with_sign);
  // Some converters wrote counts as floats.
  if (const auto* real = std::get_if<double>(&value)) {
    if (*real >= 0 && *real < 9007199254740992.0 && std::floor(*real) == *real) {
      return static_cast<std::uint64_t>(*real);
    }
  }
  return std::nullopt;
}

}  // namespace

bool GgufMetadata::add(std::string key, GgufValue value) {
  return values_.emplace(std::move(key), std::move(value)).second;
}
void GgufMetadata::set(std::string_view key, std::uint64_t value) {
  values_.insert_or_assign(std::string(key), value);
}
void GgufMetadata::set(std::string_view key, std::string value) {
  values_.insert_or_assign(std::string(key), std::move(value));
}
void GgufMetadata::set(std::string_view key, std::vector<std::int64_t> values) {
  values_.insert_or_assign(std::string(key), std::move(values));
}

const GgufValue* GgufMetadata::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

std::string GgufMetadata::text(std::string_view key) const {
  const GgufValue* value = find(key);
  const auto* text = value != nullptr ? std::get_if<std::string>(value) : nullptr;
  return text != nullptr ? *text : "";
}

std::optional<std::uint64_t> GgufMetadata::number(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(value)) {
    const auto largest = std::ranges::max_element(*list);
    return largest == list->end() ? std::nullopt : whole(*largest);
  }
  return scalar(*value);
}

std::optional<std::uint64_t> GgufMetadata::number_at(std::string_view key,
                                                     std::size_t index) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(value)) {
    return index < list->size() ? whole((*list)[index]) : std::nullopt;
  }
  return scalar(*value);
}

const std::vector<std::int64_t>* GgufMetadata::array(std::string_view key) const {
  const GgufValue* value = find(key);
  return value != nullptr ? std::get_if<std::vector<std::int64_t>>(value) : nullptr;
}

std::optional<std::uint64_t> GgufMetadata::length(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* skipped = std::get_if<GgufSkipped>(value)) return skipped->length;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(value)) return list->size();
  return std::nullopt;
}

std::string GgufMetadata::key(std::string_view name) const {
  return architecture() + "." + std::string(name);
}

}  // namespace steelyard::model

// The key-value part of a GGUF header, and reading it by key.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/base.h"

namespace steelyard::model {

// An array that was skipped: tokenizer words, merges, anything too long to matter here.
struct GgufSkipped {
  std::uint64_t length = 0;
};

// Booleans are kept as 0 and 1, negative integers as their value (std::int64_t).
using GgufValue = std::variant<std::int64_t, std::uint64_t, double, std::string,
                               std::vector<std::int64_t>, GgufSkipped>;

class GgufMetadata {
 public:
  // False when the key is there already.
  bool add(std::string key, GgufValue value);
  void set(std::string_view key, std::uint64_t value);
  void set(std::string_view key, std::string value);
  void set(std::string_view key, std::vector<std::int64_t> values);

  bool has(std::string_view key) const { return find(key) != nullptr; }
  std::string text(std::string_view key) const;  // "" when absent or not a text
  // A whole number that is not negative; a per-layer array gives its largest entry.
  std::optional<std::uint64_t> number(std::string_view key) const;
  // Entry `index` of a per-layer array, or the scalar that holds for every layer.
  std::optional<std::uint64_t> number_at(std::string_view key, std::size_t index) const;
  const std::vector<std::int64_t>* array(std::string_view key) const;
  // Length of an array, kept or skipped.
  std::optional<std::uint64_t> length(std::string_view key) const;

  std::string architecture() const { return text("general.architecture"); }
  // "ARCH.NAME", the form of all keys that describe the model.
  std::string key(std::string_view name) const;

 private:
  const GgufValue* find(std::string_view key) const;

  std::map<std::string, GgufValue, std::less<>> values_;
};

}  // namespace steelyard::model

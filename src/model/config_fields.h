// A config.json as typed fields: every read is bounded, the first bad field is remembered.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"

namespace steelyard::model {

using Names = std::initializer_list<std::string_view>;

// Largest believable figures; beyond them a field is an error, not a bigger sum.
inline constexpr std::uint64_t kLayerLimit = 10000;
inline constexpr std::uint64_t kDimLimit = std::uint64_t{1} << 24;
inline constexpr std::uint64_t kVocabLimit = std::uint64_t{1} << 28;
inline constexpr std::uint64_t kExpertLimit = 65536;
inline constexpr std::uint64_t kContextLimit = std::uint64_t{1} << 40;

// A view of one JSON object inside a parsed document. Cheap to copy; an absent object is a valid
// view without fields. Reads of absent or null fields give the fallback; a field that is there
// with a wrong type or size is remembered as the document's error and the fallback is returned,
// so that a family is read to its end and checked once.
class Fields {
 public:
  Fields() = default;
  // Errors: bad_input with the byte of the syntax error, too_large (over 16 MiB or 64 deep).
  static Result<Fields> parse(std::string_view json);

  bool present() const { return node_ != nullptr; }
  bool has(std::string_view name) const;  // there and not null
  bool has_any(Names names) const;
  Fields object(std::string_view name) const;
  std::vector<Fields> objects(std::string_view name) const;  // an array of objects
  std::vector<std::string> keys() const;

  std::optional<std::uint64_t> maybe(Names names, std::uint64_t limit = kDimLimit) const;
  std::uint64_t number(Names names, std::uint64_t fallback, std::uint64_t limit = kDimLimit) const;
  // As number(), but an absent field is an error of kind missing_field.
  std::uint64_t need(Names names, std::uint64_t limit = kDimLimit) const;
  double real(Names names, double fallback) const;
  bool flag(Names names, bool fallback) const;
  std::string text(Names names) const;  // "" when absent or not a string
  std::vector<std::string> texts(std::string_view name) const;
  std::vector<std::uint64_t> numbers(std::string_view name, std::uint64_t limit = kDimLimit) const;
  bool is_negative(std::string_view name) const;  // -1 for "as long as the row" and the like
  bool is_list(std::string_view name) const;
  bool is_object(std::string_view name) const;

  std::string path(std::string_view name) const;  // dotted, for notes and errors
  const std::optional<Error>& error() const;
  void report(Error error) const;  // keeps the first

 private:
  struct Document;
  Fields(std::shared_ptr<Document> document, const void* node, std::string path)
      : document_(std::move(document)), node_(node), path_(std::move(path)) {}
  std::shared_ptr<Document> document_;
  const void* node_ = nullptr;
  std::string path_;
};

}  // namespace steelyard::model

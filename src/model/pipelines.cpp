#include "model/pipelines.h"

#include <algorithm>
#include <charconv>

#include "base/embedded.h"

STEELYARD_EMBEDDED(model_pipelines);

namespace steelyard::model {
namespace {

// Letters and digits behind the organisation, in lower case: what spellings of one name share.
std::string spelled(std::string_view name) {
  if (const auto slash = name.rfind('/'); slash != std::string_view::npos) {
    name.remove_prefix(slash + 1);
  }
  std::string letters;
  for (const char c : lower(name)) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
  }
  return letters;
}

std::optional<Bytes> bytes_of(const std::string& cell) {
  std::uint64_t bytes = 0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), bytes);
  if (cell.empty() || code != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  return Bytes(bytes);
}

std::vector<Pipeline> read_pipelines() {
  std::vector<Pipeline> all;
  const auto table =
      parse_csv(embedded_text(steelyard_model_pipelines_begin, steelyard_model_pipelines_end));
  if (!table) return all;
  for (std::size_t row = 0; row < table->rows.size(); ++row) {
    const std::string& name = table->cell(row, "pipeline");
    if (all.empty() || all.back().name != name) all.push_back({.name = name});
    Pipeline& one = all.back();
    if (const std::string& also = table->cell(row, "also"); !also.empty()) {
      for (const auto word : split(also, '|')) one.also.emplace_back(word);
    }
    one.components.push_back({.role = table->cell(row, "role"),
                              .file = table->cell(row, "file"),
                              .format = table->cell(row, "format"),
                              .bytes = bytes_of(table->cell(row, "bytes")),
                              .rounded = table->cell(row, "rounded") == "yes",
                              .source = table->cell(row, "source")});
  }
  return all;
}

}  // namespace

Bytes Pipeline::known_bytes() const {
  Bytes sum(0);
  for (const Component& one : components) sum = sum + one.bytes.value_or(Bytes(0));
  return sum;
}

const Component& Pipeline::largest() const {
  return *std::ranges::max_element(
      components, {}, [](const Component& one) { return one.bytes.value_or(Bytes(0)).value(); });
}

bool Pipeline::complete() const {
  return std::ranges::all_of(components,
                             [](const Component& one) { return one.bytes.has_value(); });
}

const std::vector<Pipeline>& pipelines() {
  static const std::vector<Pipeline> all = read_pipelines();
  return all;
}

const Pipeline* find_pipeline(std::string_view name) {
  const std::string wanted = spelled(name);
  if (wanted.empty()) return nullptr;
  for (const Pipeline& one : pipelines()) {
    if (spelled(one.name) == wanted) return &one;
    for (const std::string& word : one.also) {
      if (spelled(word) == wanted) return &one;
    }
  }
  return nullptr;
}

}  // namespace steelyard::model

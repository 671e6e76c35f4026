#include "model/catalogue.h"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/embedded.h"
#include "model/model.h"

STEELYARD_EMBEDDED(model_index);
STEELYARD_EMBEDDED(model_configs);

namespace steelyard::model {
namespace {

std::vector<std::string> parts(std::string_view text) {
  std::vector<std::string> result;
  if (text.empty()) return result;
  for (const auto part : split(text, '|')) result.emplace_back(part);
  return result;
}

// The blob: for each config a line "FILE BYTES", then its bytes and a line end. In the order of
// file names, which is not that of the index.
std::string_view config_text(std::string_view blob, std::string_view file) {
  while (!blob.empty()) {
    const std::size_t line = blob.find('\n');
    const std::size_t space = blob.find(' ');
    if (line == std::string_view::npos || space > line) return {};
    std::size_t length = 0;
    std::from_chars(blob.data() + space + 1, blob.data() + line, length);
    if (line + 1 + length > blob.size()) return {};
    if (blob.substr(0, space) == file) return blob.substr(line + 1, length);
    blob.remove_prefix(line + 1 + length + 1);
  }
  return {};
}

}  // namespace

std::vector<CatalogueEntry> catalogue_entries() {
  std::vector<CatalogueEntry> entries;
  const auto table =
      parse_csv(embedded_text(steelyard_model_index_begin, steelyard_model_index_end));
  if (!table) return entries;
  const std::string_view blob =
      embedded_text(steelyard_model_configs_begin, steelyard_model_configs_end);
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    entries.push_back({.name = table->cell(i, "model"),
                       .also = parts(table->cell(i, "also")),
                       .recalled = parts(table->cell(i, "recalled")),
                       .source = table->cell(i, "source"),
                       .config = config_text(blob, table->cell(i, "file"))});
  }
  return entries;
}

Result<Model> read_entry(const CatalogueEntry& entry) {
  Result<Model> model = read_config(entry.config, entry.name);
  if (!model) return model;
  model->reading = Reading::catalogue;
  model->source = entry.source;
  if (!entry.recalled.empty()) {
    model->notes.push_back(
        entry.recalled.front() == "*"
            ? std::string("assumed: the catalogue's config was recalled, not read from a file")
            : fmt::format("assumed, not read from a file: {}", fmt::join(entry.recalled, ", ")));
  }
  return model;
}

std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : catalogue_entries()) names.push_back(entry.name);
  return names;
}

Result<Model> catalogue_model(std::string_view name) {
  const auto entries = catalogue_entries();
  const std::string key = name_key(name);
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : entries) {
    const std::size_t slash = entry.name.find('/');
    if (name_key(entry.name) == key || name_key(entry.name.substr(slash + 1)) == key) {
      return read_entry(entry);
    }
    names.push_back(entry.name);
  }
  return fail({.kind = ErrorKind::not_found,
               .what = fmt::format("no model called {} in the catalogue", name),
               .try_this = fmt::format("nearest: {}", fmt::join(nearest(name, names, 3), ", "))});
}

}  // namespace steelyard::model

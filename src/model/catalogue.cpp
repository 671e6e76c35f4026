#include "model/catalogue.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/embedded.h"
#include "model/model.h"
#include "model/name_match.h"

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

// The blob: for each config a line "FILE BYTES", then its bytes and a line end.
std::map<std::string_view, std::string_view> config_texts(std::string_view blob) {
  std::map<std::string_view, std::string_view> texts;
  while (!blob.empty()) {
    const std::size_t line = blob.find('\n');
    const std::size_t space = blob.find(' ');
    if (line == std::string_view::npos || space > line) break;
    std::size_t length = 0;
    std::from_chars(blob.data() + space + 1, blob.data() + line, length);
    if (line + 1 + length >= blob.size()) break;
    texts.emplace(blob.substr(0, space), blob.substr(line + 1, length));
    blob.remove_prefix(line + 1 + length + 1);
  }
  return texts;
}

std::vector<CatalogueEntry> read_index() {
  std::vector<CatalogueEntry> entries;
  const auto table =
      parse_csv(embedded_text(steelyard_model_index_begin, steelyard_model_index_end));
  if (!table) return entries;
  const auto texts =
      config_texts(embedded_text(steelyard_model_configs_begin, steelyard_model_configs_end));
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    const auto text = texts.find(table->cell(i, "file"));
    entries.push_back({.name = table->cell(i, "model"),
                       .also = parts(table->cell(i, "also")),
                       .recalled = parts(table->cell(i, "recalled")),
                       .source = table->cell(i, "source"),
                       .config = text == texts.end() ? std::string_view() : text->second});
  }
  return entries;
}

}  // namespace

const std::vector<CatalogueEntry>& catalogue_entries() {
  static const std::vector<CatalogueEntry> entries = read_index();
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

Result<Model> catalogue_model_at(std::size_t index) {
  return read_entry(catalogue_entries().at(index));
}

std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : catalogue_entries()) names.push_back(entry.name);
  return names;
}

namespace {

struct Match {
  const CatalogueEntry* entry = nullptr;
  std::string name;  // the published name that fitted: the entry's own or one of its `also`
  NameParts parts;
  int difference = 0;
  bool formatted = false;  // the entry itself is in the wanted format
};

bool same_text(std::string_view a, std::string_view b) {
  return lower(a) == lower(b);
}

std::string_view after_slash(std::string_view name) {
  return name.substr(name.rfind('/') + 1);
}

// The name as written: with or without its organisation. One that is written whole wins.
const CatalogueEntry* written_so(const std::vector<CatalogueEntry>& entries,
                                 std::string_view name) {
  for (const CatalogueEntry& entry : entries) {
    if (same_text(entry.name, name)) return &entry;
    for (const std::string& also : entry.also) {
      if (same_text(also, name)) return &entry;
    }
  }
  for (const CatalogueEntry& entry : entries) {
    if (same_text(after_slash(entry.name), after_slash(name))) return &entry;
  }
  return nullptr;
}

std::optional<Match> best_match(const std::vector<CatalogueEntry>& entries,
                                const NameParts& wanted) {
  std::optional<Match> best;
  const auto offer = [&](const CatalogueEntry& entry, const std::string& name) {
    Match match{.entry = &entry, .name = name, .parts = name_parts(name)};
    if (!same_shape(wanted, match.parts)) return;
    match.formatted = match.parts.format == wanted.format;
    if (!match.formatted && !match.parts.format.empty()) return;
    match.difference = variant_difference(wanted, match.parts);
    const bool better = !best || (match.formatted && !best->formatted) ||
                        (match.formatted == best->formatted && match.difference < best->difference);
    if (better) best = std::move(match);
  };
  for (const CatalogueEntry& entry : entries) {
    offer(entry, entry.name);
    for (const std::string& also : entry.also) offer(entry, also);
  }
  return best;
}

// The models that `wanted` names but for their size, when all of them have one shape.
std::optional<Match> only_size(const std::vector<CatalogueEntry>& entries,
                               const NameParts& wanted) {
  std::optional<Match> found;
  for (const CatalogueEntry& entry : entries) {
    NameParts parts = name_parts(entry.name);
    if (!parts.format.empty() || !only_lacks_size(wanted, parts)) continue;
    const int difference = variant_difference(wanted, parts);
    if (found && found->parts.hard != parts.hard) return std::nullopt;  // several sizes
    if (found && found->difference <= difference) continue;
    found = Match{.entry = &entry,
                  .name = entry.name,
                  .parts = std::move(parts),
                  .difference = difference,
                  .formatted = wanted.format.empty()};
  }
  return found;
}

// The models whose names hold all words of the asked one, fewest other words first; one per shape.
std::vector<std::string> longer_names(std::string_view name,
                                      const std::vector<CatalogueEntry>& entries) {
  const NameParts wanted = name_parts(name);
  std::vector<std::pair<std::size_t, std::string>> found;
  std::vector<std::vector<std::string>> shapes;
  for (const CatalogueEntry& entry : entries) {
    const NameParts parts = name_parts(entry.name);
    const auto more = words_beyond(wanted, parts);
    if (!more || !parts.format.empty()) continue;
    if (std::ranges::find(shapes, parts.hard) != shapes.end()) continue;
    shapes.push_back(parts.hard);
    found.emplace_back(more->size(), entry.name);
  }
  std::ranges::stable_sort(found, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> names;
  for (auto& [more, full] : found) names.push_back(std::move(full));
  if (names.size() > 6) names.resize(6);
  return names;
}

Error unknown_name(std::string_view name, const std::vector<CatalogueEntry>& entries) {
  if (const auto longer = longer_names(name, entries); longer.size() > 1) {
    return {.kind = ErrorKind::not_found,
            .what = fmt::format("{} names several models, or one that the catalogue lacks", name),
            .try_this = fmt::format("nearest: {}", fmt::join(longer, ", "))};
  }
  std::vector<std::string> full, last;
  for (const CatalogueEntry& entry : entries) {
    full.push_back(entry.name);
    last.emplace_back(after_slash(entry.name));
  }
  std::vector<std::string> names;
  for (const std::string& near : nearest(after_slash(name), last, 3)) {
    const auto at = static_cast<std::size_t>(std::ranges::find(last, near) - last.begin());
    names.push_back(full[at]);
  }
  return {.kind = ErrorKind::not_found,
          .what = fmt::format("no model called {} in the catalogue, and no such file", name),
          .try_this = fmt::format("nearest: {}", fmt::join(names, ", "))};
}

}  // namespace

Result<Model> catalogue_model(std::string_view name) {
  const auto& entries = catalogue_entries();
  if (name.size() > 300) return fail(unknown_name(name.substr(0, 300), entries));
  if (const CatalogueEntry* entry = written_so(entries, trim(name))) return read_entry(*entry);
  NameParts wanted = name_parts(name);
  auto match = best_match(entries, wanted);
  const bool respelt = !match;
  for (const std::string& other : respelt ? other_spellings(name) : std::vector<std::string>()) {
    wanted = name_parts(other);
    match = best_match(entries, wanted);
    if (match) break;
  }
  if (!match) {
    wanted = name_parts(name);
    match = only_size(entries, wanted);
  }
  if (!match) return fail(unknown_name(name, entries));
  Result<Model> model = read_entry(*match->entry);
  if (!model) return model;
  if (!match->formatted) {
    auto stored = with_weights(*model, wanted.format);
    if (!stored) return stored;
    model = std::move(stored);
    model->notes.push_back(fmt::format("assumed: weights of {} stored as {}, said by the name",
                                       match->entry->name, wanted.format));
  }
  if (match->difference > 0 || respelt) {
    model->notes.push_back(
        fmt::format("assumed: {} has the shape of {}", name, match->entry->name));
  }
  return model;
}

}  // namespace steelyard::model

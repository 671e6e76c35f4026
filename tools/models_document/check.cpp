#include "check.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/csv.h"

namespace steelyard::models_document {
namespace {

using nlohmann::json;

std::vector<std::string> parts(const std::string& cell) {
  std::vector<std::string> result;
  if (cell.empty()) return result;
  for (const auto part : split(cell, '|')) result.emplace_back(part);
  return result;
}

Result<CsvTable> table_at(os::Files& files, const std::string& path) {
  auto text = os::read_whole(files, path, std::uint64_t{1} << 22);
  if (!text) return std::unexpected(text.error());
  return parse_csv(*text);
}

// Each is computed from the description; none is a number of its own.
std::uint64_t counted(const model::Model& m, const std::string& note) {
  const std::uint64_t sum = m.parameters();
  if (note == "checkpoint also stores the tied head") return sum + m.vocab * m.hidden;
  if (note == "checkpoint count includes causal-mask buffers") {
    return sum + m.layers.size() * m.max_context * m.max_context;
  }
  if (note == "checkpoint holds no output head (embedding model)") return sum - m.vocab * m.hidden;
  return sum;
}

std::optional<double> count_of(const std::string& config, const Published& published) {
  const auto m = model::read_config(config, "config.json");
  if (!m) return std::nullopt;
  return double(counted(*m, published.note));
}

void places_of(json& value, const std::string& field, std::vector<json*>& places) {
  if (!value.is_object()) return;
  for (auto& [key, inner] : value.items()) {
    if (key == field) places.push_back(&inner);
    places_of(inner, field, places);
  }
}

std::vector<json> other_values(const json& value) {
  if (value.is_boolean()) return {!value.get<bool>()};
  if (!value.is_number_integer()) return {};
  const auto number = value.get<std::int64_t>();
  return {number == 0 ? 1 : 2 * number, std::max<std::int64_t>(0, number - 1)};
}

// Every other value that still reads must be at least four times as far from the count.
bool follows_from_count(const Comparison& row, const std::string& field) {
  json config = json::parse(row.entry->config, nullptr, false);
  std::vector<json*> places;
  places_of(config, field, places);
  const double off = std::abs(row.ours - row.published.parameters);
  bool tried = false;
  for (json* place : places) {
    const json kept = *place;
    for (const json& other : other_values(kept)) {
      *place = other;
      const auto count = count_of(config.dump(), row.published);
      if (!count) continue;
      tried = true;
      if (std::abs(*count - row.published.parameters) < std::max(1.0, 4 * off)) return false;
    }
    *place = kept;
  }
  return tried;
}

}  // namespace

Result<std::vector<Entry>> read_entries(os::Files& files, const std::string& root) {
  const auto table = table_at(files, root + "/data/models/index.csv");
  if (!table) return std::unexpected(table.error());
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    const std::string path = root + "/data/models/configs/" + table->cell(i, "file") + ".json";
    auto config = os::read_whole(files, path, std::uint64_t{1} << 22);
    if (!config) return std::unexpected(config.error());
    entries.push_back({.name = table->cell(i, "model"),
                       .config = std::move(*config),
                       .source = table->cell(i, "source"),
                       .recalled = parts(table->cell(i, "recalled")),
                       .by_count = parts(table->cell(i, "by_count"))});
  }
  return entries;
}

Result<std::vector<Comparison>> compare(os::Files& files, const std::string& root,
                                        const std::vector<Entry>& entries) {
  const std::string path = root + "/data/models/parameter-counts.csv";
  const auto table = table_at(files, path);
  if (!table) return std::unexpected(table.error());
  std::vector<Comparison> rows;
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    const std::string& name = table->cell(i, "model");
    const auto entry =
        std::ranges::find_if(entries, [&](const Entry& e) { return e.name == name; });
    const Published published{
        .parameters = std::strtod(table->cell(i, "published_parameters").c_str(), nullptr),
        .exact = table->cell(i, "exact") == "yes",
        .note = table->cell(i, "note")};
    const auto ours = entry == entries.end() ? std::nullopt : count_of(entry->config, published);
    if (!ours || published.parameters <= 0) {
      return fail({.kind = ErrorKind::bad_input,
                   .what = "a count without a model that reads, or no count",
                   .file = path,
                   .field = name});
    }
    rows.push_back({.entry = &*entry, .published = published, .ours = *ours});
  }
  return rows;
}

std::string excuse(const std::string& name) {
  return name.starts_with("Qwen/Qwen3-Next-80B-A3B")
             ? "the files hold an MTP layer that their config does not mention"
             : "";
}

std::vector<std::string> faults_of(const Comparison& row) {
  std::vector<std::string> faults;
  const double bound = row.published.exact ? 0.005 : 0.1;
  if (std::abs(row.difference()) > bound && excuse(row.entry->name).empty()) {
    faults.push_back(fmt::format("{:.0f} parameters against {:.0f} published, {:+.2f} %", row.ours,
                                 row.published.parameters, 100 * row.difference()));
  }
  for (const std::string& field : row.entry->by_count) {
    if (!row.published.exact || std::abs(row.difference()) > 0.0005 ||
        !follows_from_count(row, field)) {
      faults.push_back(fmt::format("{} does not follow from the published count", field));
    }
  }
  return faults;
}

}  // namespace steelyard::models_document

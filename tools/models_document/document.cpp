#include "document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace steelyard::models_document {
namespace {

std::string counts(const std::vector<Comparison>& rows) {
  std::size_t exact = 0, equal = 0, hundredth = 0, half = 0, rounded = 0, ten = 0;
  std::string beyond;
  for (const Comparison& row : rows) {
    const double off = std::abs(row.difference());
    if (!row.published.exact) {
      ++rounded;
      ten += off <= 0.1 ? 1 : 0;
      continue;
    }
    ++exact;
    equal += row.ours == row.published.parameters ? 1 : 0;
    hundredth += off <= 0.0001 ? 1 : 0;
    half += off <= 0.005 ? 1 : 0;
    if (off > 0.005) {
      beyond += fmt::format("- {}: {:+.2f} %, {}\n", row.entry->name, 100 * row.difference(),
                            excuse(row.entry->name));
    }
  }
  return fmt::format(
      "## Parameters computed against published\n\n| published count | rows | equal | within 0.01 "
      "% | within 0.5 % | within 10 % |\n|---|---|---|---|---|---|\n| exact | {} | {} | {} | {} | "
      "|\n| rounded | {} | | | | {} |\n\nOne set of rules for all; beyond 0.5 % of an exact "
      "count:\n\n{}\n",
      exact, equal, hundredth, half, rounded, ten, beyond);
}

std::string fields(const std::vector<Entry>& entries) {
  std::size_t whole = 0, none = 0, settled = 0, only_type = 0;
  std::map<std::string, std::size_t> doubtful;
  std::vector<std::string> recalled;
  for (const Entry& e : entries) {
    settled += e.by_count.size();
    if (e.recalled.empty()) ++none;
    if (e.recalled == std::vector<std::string>{"*"}) {
      ++whole;
      recalled.push_back(e.name);
      continue;
    }
    only_type += e.recalled == std::vector<std::string>{"torch_dtype"} ? 1 : 0;
    for (const std::string& field : e.recalled) ++doubtful[field];
  }
  std::vector<std::pair<std::string, std::size_t>> rows(doubtful.begin(), doubtful.end());
  std::ranges::stable_sort(rows, std::greater(), &std::pair<std::string, std::size_t>::second);
  std::string text = fmt::format(
      "## Fields nobody read in a file\n\n{} of {} configs: every field read, or fixed by the "
      "published count. {}: only `torch_dtype` from memory (two bytes either way unless it is "
      "float32). {}: the whole config from memory ({}). The answer names such fields as "
      "assumed.\n\n"
      "{} fields that were not read follow from an exact published count: any other value that "
      "still reads is at least four times as far from it.\n\n| field | configs |\n|---|---|\n",
      none, entries.size(), only_type, whole, fmt::join(recalled, ", "), settled);
  for (const auto& [field, count] : rows) text += fmt::format("| `{}` | {} |\n", field, count);
  return text + "\n";
}

std::string image_models() {
  std::string text =
      "## Image and video models\n\nWeights by component, from published file sizes; what their "
      "activations need is not established.\n\n| model | components | known bytes | not found "
      "|\n|---|---|---|---|\n";
  for (const model::Pipeline& p : model::pipelines()) {
    std::vector<std::string> missing;
    for (const model::Component& c : p.components) {
      if (!c.bytes) missing.push_back(c.role);
    }
    text += fmt::format("| {} | {} | {} | {} |\n", p.name, p.components.size(),
                        format_bytes(p.known_bytes()), fmt::join(missing, ", "));
  }
  return text + "\n";
}

}  // namespace

std::string document(const std::vector<Entry>& entries, const std::vector<Comparison>& rows,
                     const std::vector<std::vector<std::string>>& absent) {
  std::string text = fmt::format(
      "# The catalogue of models\n\nWritten by `tools/models_document` from `data/models/`; do not "
      "edit. {} language, embedding and audio models, {} of them with a published parameter count; "
      "{} image and video models.\n\n",
      entries.size(), rows.size(), model::pipelines().size());
  text += counts(rows) + fields(entries) + image_models();
  text += "## Not in the catalogue\n\n";
  for (const auto& row : absent) text += fmt::format("- {}: {}\n", row[0], row[1]);
  return text;
}

}  // namespace steelyard::models_document

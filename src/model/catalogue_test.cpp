#include "model/catalogue.h"

#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "model/model.h"

namespace steelyard::model {
namespace {

std::string file_text(const std::string& path) {
  std::ifstream in(std::string(STEELYARD_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Catalogue, EveryEntryHasAConfigThatReads) {
  const auto& entries = catalogue_entries();
  EXPECT_GE(entries.size(), 326u);
  for (const CatalogueEntry& entry : entries) {
    EXPECT_FALSE(entry.config.empty()) << entry.name;
    EXPECT_FALSE(entry.source.empty()) << entry.name;
    const auto model = read_entry(entry);
    EXPECT_TRUE(model) << entry.name << ": " << (model ? "" : describe(model.error()));
  }
}

// What a published count holds beyond the weights a model runs with, or less. The reason is a
// column of the table; each is computed from the description, none is a number of its own.
std::uint64_t counted(const Model& model, const std::string& note) {
  const std::uint64_t sum = model.parameters();
  if (note == "checkpoint also stores the tied head") return sum + model.vocab * model.hidden;
  if (note == "checkpoint count includes causal-mask buffers") {
    return sum + model.layers.size() * model.max_context * model.max_context;
  }
  if (note == "checkpoint holds no output head (embedding model)") {
    return sum - model.vocab * model.hidden;
  }
  return sum;
}

// Rows that do not agree, with the reason.
bool excused(const std::string& name) {
  // The files hold an MTP layer that their config does not mention.
  return name.starts_with("Qwen/Qwen3-Next-80B-A3B");
}

TEST(Catalogue, ParameterTotalsAgreeWithPublishedCounts) {
  const auto table = parse_csv(file_text("data/models/parameter-counts.csv"));
  ASSERT_TRUE(table);
  int exact_rows = 0;
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    const std::string& name = table->cell(i, "model");
    const auto model = catalogue_model(name);
    ASSERT_TRUE(model) << name << ": " << describe(model.error());
    const double published = std::stod(table->cell(i, "published_parameters"));
    const auto ours = static_cast<double>(counted(*model, table->cell(i, "note")));
    const double difference = (ours / published - 1) * 100;
    // Counts rounded in a name ("30 B") say less.
    const bool exact = table->cell(i, "exact") == "yes";
    exact_rows += exact ? 1 : 0;
    if (excused(name)) continue;
    EXPECT_LE(std::abs(difference), exact ? 0.5 : 10)
        << name << " (" << model->model_type << "): " << ours << " against "
        << table->cell(i, "published_parameters") << ", " << difference << " %";
  }
  EXPECT_GE(exact_rows, 262);
}

}  // namespace
}  // namespace steelyard::model

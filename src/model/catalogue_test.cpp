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
  const auto entries = catalogue_entries();
  EXPECT_GE(entries.size(), 326u);
  for (const CatalogueEntry& entry : entries) {
    EXPECT_FALSE(entry.config.empty()) << entry.name;
    EXPECT_FALSE(entry.source.empty()) << entry.name;
    const auto model = read_entry(entry);
    EXPECT_TRUE(model) << entry.name << ": " << (model ? "" : describe(model.error()));
  }
}

TEST(Catalogue, ParameterTotalsAgreeWithPublishedCounts) {
  const auto table = parse_csv(file_text("data/models/parameter-counts.csv"));
  ASSERT_TRUE(table);
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    const std::string& name = table->cell(i, "model");
    const double published = std::stod(table->cell(i, "published_parameters"));
    const auto model = catalogue_model(name);
    EXPECT_TRUE(model) << name << (model ? "" : describe(model.error()));
    if (!model) continue;
    const double difference = (static_cast<double>(model->parameters()) / published - 1) * 100;
    const bool exact = table->cell(i, "exact") == "yes";
    EXPECT_LE(std::abs(difference), exact ? 0.5 : 6)
        << name << " (" << model->model_type << "): " << model->parameters() << " against "
        << table->cell(i, "published_parameters") << ", " << difference << " %";
  }
}

}  // namespace
}  // namespace steelyard::model

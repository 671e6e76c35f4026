#include "model/catalogue.h"

#include <gtest/gtest.h>

#include "model/model.h"

namespace steelyard::model {
namespace {

TEST(Catalogue, EveryEntryHasAConfigThatReads) {
  const auto& entries = catalogue_entries();
  EXPECT_GE(entries.size(), 330u);
  for (const CatalogueEntry& entry : entries) {
    EXPECT_FALSE(entry.config.empty()) << entry.name;
    EXPECT_FALSE(entry.source.empty()) << entry.name;
    const auto model = read_entry(entry);
    EXPECT_TRUE(model) << entry.name << ": " << (model ? "" : describe(model.error()));
  }
}

}  // namespace
}  // namespace steelyard::model

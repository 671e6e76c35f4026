#include "report/gpus.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace steelyard::report {
namespace {

const facts::Catalogue& catalogue() {
  static const facts::Catalogue result = facts::Catalogue::embedded().value();
  return result;
}
const facts::Accelerator& card(std::string_view name) {
  return *catalogue().find_card(name).variants.at(0);
}
std::vector<const facts::Accelerator*> all() {
  std::vector<const facts::Accelerator*> cards;
  for (const facts::Accelerator& one : catalogue().accelerators()) cards.push_back(&one);
  return cards;
}

void expect_width(const std::string& text, std::size_t limit) {
  for (const std::string_view line : split(text, '\n')) EXPECT_LE(line.size(), limit) << line;
}

TEST(Gpus, TableHasALinePerCardWithin100Columns) {
  const std::string text = gpus_table(all());
  expect_width(text, 100);
  for (const facts::Accelerator& one : catalogue().accelerators()) {
    EXPECT_NE(text.find(one.name), std::string::npos) << one.name;
  }
  EXPECT_NE(text.find("dense"), std::string::npos);
}

TEST(Gpus, ACardIsShownWithPrecisionAndSource) {
  const std::string text = gpus_card(card("RTX 4090"));
  for (const char* part :
       {"24 GB", "24,564 MiB", "23.5 GiB", "1,008 GB/s", "165.2 TFLOP/s dense", "330.3",
        "23,028 MiB with ECC on", "sellers print 1321", "pytorch/pytorch#123157", "confidence"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  expect_width(text, 100);
  // A100 has no FP8 units: that is said, not passed over.
  const std::string a100 = gpus_card(card("A100 SXM 80GB"));
  const auto at = a100.find("FP8, FP32 acc.");
  ASSERT_NE(at, std::string::npos);
  EXPECT_NE(a100.substr(at, 40).find("no units"), std::string::npos);
}

TEST(Gpus, TwoCardsStandSideBySide) {
  const std::string text = gpus_side_by_side(card("A100 SXM 80GB"), card("H100 SXM"));
  EXPECT_NE(text.find("3.17x"), std::string::npos) << text;  // 989.4 : 311.9
  EXPECT_NE(text.find("1.64x"), std::string::npos) << text;  // 3350 : 2039
  expect_width(text, 100);
}

TEST(Gpus, AnAmbiguousNameIsSaid) {
  const auto match = catalogue().find_card("A100 80GB");
  const std::string text = gpus_text({{"A100 80GB"}, match.variants, match.assumed});
  EXPECT_NE(text.find("fits several cards"), std::string::npos);
  EXPECT_NE(text.find("A100 PCIe 80GB"), std::string::npos);
}

TEST(Gpus, TheDocumentExplainsEveryNull) {
  const auto json = nlohmann::json::parse(gpus_json({{}, all(), false}));
  EXPECT_EQ(json["schema"], "steelyard.gpus/1");
  ASSERT_EQ(json["cards"].size(), catalogue().accelerators().size());
  const std::function<void(const nlohmann::json&)> walk = [&](const nlohmann::json& node) {
    if (node.is_object()) {
      for (const auto& [key, value] : node.items()) {
        if (value.is_null()) {
          EXPECT_TRUE(node.contains(key + "_reason")) << key;
        }
      }
    }
    for (const auto& child : node) {
      if (child.is_structured()) walk(child);
    }
  };
  walk(json);
  for (const auto& one : json["cards"]) {
    if (one["id"] != "nvidia-h100-sxm5-80gb") continue;
    EXPECT_EQ(one["memory"]["reported_bytes"], 81559ull << 20);
    EXPECT_DOUBLE_EQ(one["compute"]["dense_flop_per_second"]["bf16"]["value"], 989.4e12);
    EXPECT_EQ(one["compute"]["dense_flop_per_second"]["bf16"]["origin"], "sold_as");
    EXPECT_EQ(one["memory"]["usable_bytes"]["origin"], "predicted");
  }
}

TEST(Gpus, NamesFromOutsideNeedNotBeUtf8) {
  EXPECT_NE(gpus_json({{"\xff\xfe"}, {}, false}).find("asked"), std::string::npos);
}

}  // namespace
}  // namespace steelyard::report

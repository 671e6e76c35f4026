#include <gtest/gtest.h>

#include "cli/request.h"

namespace steelyard::cli {
namespace {

TEST(CardCount, ReadsNamesAndCounts) {
  struct Case {
    const char *text, *name;
    std::uint32_t count;
  };
  for (const Case& c :
       {Case{"H100", "H100", 1}, Case{"H100:2", "H100", 2}, Case{"RTX 4090:8", "RTX 4090", 8},
        Case{"2x RTX 4090", "RTX 4090", 2}, Case{"8 x H100", "H100", 8},
        Case{"4*A100 80GB", "A100 80GB", 4}, Case{"ＲＴＸ　４０９０：２", "RTX 4090", 2},
        Case{"MAX1550", "MAX1550", 1}, Case{"RTX 4090", "RTX 4090", 1},
        Case{"RTX 4090 x8", "RTX 4090", 8}, Case{"L40S 48GB * 4", "L40S 48GB", 4},
        Case{"8\u00d7H100", "H100", 8}, Case{"8\u5361A100", "A100", 8}, Case{"RX 580", "RX 580", 1},
        Case{"7900XT", "7900XT", 1}, Case{"7900 XTX 24GB", "7900 XTX 24GB", 1},
        Case{"8xT4", "T4", 8}, Case{"2x 7900XT", "7900XT", 2}}) {
    const auto parts = split_card_count(c.text);
    ASSERT_TRUE(parts) << c.text;
    EXPECT_EQ(parts->first, c.name) << c.text;
    EXPECT_EQ(parts->second, c.count) << c.text;
  }
  for (const char* text :
       {"H100:0", "H100:", "H100:-1", "H100:two", "H100:99999999999", "0x H100"}) {
    EXPECT_FALSE(split_card_count(text)) << text;
  }
}

TEST(Cards, UnknownNamesAreAQuestion) {
  const auto catalogue = facts::Catalogue::embedded();
  ASSERT_TRUE(catalogue);
  Arguments arguments;
  arguments.values["--gpu"] = {"RTX 5095"};
  const auto choices = card_choices(arguments, *catalogue);
  ASSERT_FALSE(choices);
  EXPECT_EQ(choices.error().kind, ErrorKind::not_found);
  EXPECT_NE(choices.error().try_this.find("5090"), std::string::npos) << choices.error().try_this;
}

TEST(Cards, OutsideTheCatalogueTheSizeIsTaken) {
  const auto catalogue = facts::Catalogue::embedded();
  ASSERT_TRUE(catalogue);
  Arguments arguments;
  arguments.values["--gpu"] = {"Moon Card:3"};
  arguments.values["--gpu-memory"] = {"24GiB"};
  const auto choices = card_choices(arguments, *catalogue);
  ASSERT_TRUE(choices) << describe(choices.error());
  ASSERT_EQ(choices->size(), 1u);
  EXPECT_EQ(choices->front().count, 3u);
  EXPECT_EQ(choices->front().memory.front().usable.value, gib(24));
  EXPECT_EQ(choices->front().memory.front().usable.origin, Origin::assumed);
}

}  // namespace
}  // namespace steelyard::cli

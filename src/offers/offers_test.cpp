#include "offers/offers.h"

#include <gtest/gtest.h>

namespace steelyard::offers {
namespace {

TEST(Offers, Days) {
  for (const char* good : {"2026-05-24", "2026", "2024-02-29"}) {
    ASSERT_TRUE(parse_date(good)) << good;
    EXPECT_EQ(date_text(*parse_date(good)), good);
  }
  for (const char* bad : {"", "26", "2026-13-01", "2026-02-30", "2025-02-29", "2026-5-24", "1999",
                          "2026-05-24x", "yesterday", "2026/05/24"}) {
    EXPECT_FALSE(parse_date(bad)) << bad;
  }
}

TEST(Offers, OlderThanAYearIsHistory) {
  struct Case {
    Date seen, today;
    bool history;
  };
  const Case table[] = {
      {{2026, 5, 24}, {2026, 12, 1}, false}, {{2025, 12, 1}, {2026, 12, 1}, false},
      {{2025, 11, 30}, {2026, 12, 1}, true}, {{2025, 0, 0}, {2026, 12, 1}, true},
      {{2026, 0, 0}, {2026, 12, 1}, false},  {{2024, 2, 29}, {2025, 3, 1}, true},
  };
  for (const Case& c : table) {
    EXPECT_EQ(is_history({.date = c.seen}, c.today), c.history) << date_text(c.seen);
  }
}

constexpr std::string_view head = "provider,card,tier,price,currency,date,count,per\n";

TEST(Offers, CsvIsCheckedFieldByField) {
  const auto good = parse_offers_csv(std::string(head) +
                                         "A,RTX 4090,On-Demand,15.84,CNY,2026-11-30,8,hour\n"
                                         "B,RTX 4090,monthly,730,USD,2026-11-30,,month\n",
                                     "mine.csv");
  ASSERT_TRUE(good) << describe(good.error());
  ASSERT_EQ(good->size(), 2U);
  EXPECT_EQ((*good)[0].tier, "on-demand");
  EXPECT_DOUBLE_EQ((*good)[0].per_card_hour().amount, 1.98);
  EXPECT_DOUBLE_EQ((*good)[1].per_card_hour().amount, 1.0);
  struct Case {
    const char* row;
    const char* field;
  };
  const Case bad[] = {
      {",RTX 4090,spot,1,USD,2026-11-30,1,hour", "row 1, provider"},
      {"A,,spot,1,USD,2026-11-30,1,hour", "row 1, card"},
      {"A,RTX 4090,spot,,USD,2026-11-30,1,hour", "row 1, price"},
      {"A,RTX 4090,spot,-1,USD,2026-11-30,1,hour", "row 1, price"},
      {"A,RTX 4090,spot,0,USD,2026-11-30,1,hour", "row 1, price"},
      {"A,RTX 4090,spot,nan,USD,2026-11-30,1,hour", "row 1, price"},
      {"A,RTX 4090,spot,1e999,USD,2026-11-30,1,hour", "row 1, price"},
      {"A,RTX 4090,spot,1 USD,USD,2026-11-30,1,hour", "row 1, price"},
      {"A,RTX 4090,spot,1,usd,2026-11-30,1,hour", "row 1, currency"},
      {"A,RTX 4090,spot,1,$,2026-11-30,1,hour", "row 1, currency"},
      {"A,RTX 4090,spot,1,USD,30.11.2026,1,hour", "row 1, date"},
      {"A,RTX 4090,spot,1,USD,2026-11-30,1.5,hour", "row 1, count"},
      {"A,RTX 4090,spot,1,USD,2026-11-30,99999,hour", "row 1, count"},
      {"A,RTX 4090,spot,1,USD,2026-11-30,1,year", "row 1, per"},
  };
  for (const Case& c : bad) {
    const auto offers = parse_offers_csv(std::string(head) + c.row + "\n", "mine.csv");
    ASSERT_FALSE(offers) << c.row;
    EXPECT_EQ(offers.error().field, c.field) << c.row;
    EXPECT_EQ(offers.error().file, "mine.csv") << c.row;
  }
  for (const char* text : {"", "colour\nred\n", "provider,card\nA\n", "\xff\xfe"}) {
    const auto offers = parse_offers_csv(text, "mine.csv");
    EXPECT_TRUE(!offers || offers->empty()) << text;
  }
}

TEST(Offers, TomlIsCheckedFieldByField) {
  const std::string good =
      "[[offer]]\nprovider='A'\ncard='RTX 4090'\ntier='spot'\nprice=1.98\ncurrency='CNY'\n"
      "date=2026-11-30\ncount=2\n";
  const auto offers = parse_offers_toml(good, "mine.toml");
  ASSERT_TRUE(offers) << describe(offers.error());
  EXPECT_EQ(offers->front().count, 2U);
  EXPECT_EQ(offers->front().date, (Date{2026, 11, 30}));
  for (const std::string& bad :
       {std::string("[[offer]]\nprovider='A'\n"), good + "colour='red'\n", std::string("offer=1\n"),
        std::string("offer=[1]\n"), std::string("[[offer\n"), std::string(), good + "price=2\n"}) {
    const auto refused = parse_offers_toml(bad, "mine.toml");
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().file, "mine.toml");
    EXPECT_TRUE(refused.error().field.starts_with("line ")) << bad;
  }
}

TEST(Offers, BuiltInOnesAreWhole) {
  const auto offers = embedded_offers();
  ASSERT_TRUE(offers) << describe(offers.error());
  EXPECT_GT(offers->size(), 700U);
  for (const Offer& offer : *offers) EXPECT_FALSE(offer.source.empty()) << offer.instance;
  const auto catalogue = facts::Catalogue::embedded();
  ASSERT_TRUE(catalogue);
  std::size_t known = 0;
  for (const Offer& offer : *offers) known += card_of(*catalogue, offer) != nullptr ? 1 : 0;
  EXPECT_GT(known, offers->size() * 85 / 100);
  for (const Instance& one : embedded_instances()) {
    EXPECT_FALSE(catalogue->find_card(one.card).variants.empty()) << one.name << " " << one.card;
    EXPECT_FALSE(one.source.empty()) << one.name;
    EXPECT_TRUE(one.confidence == "read" || one.confidence == "mixed" ||
                one.confidence == "recalled")
        << one.name;
    EXPECT_TRUE(one.family || one.count > 0) << one.name;
  }
}

TEST(Offers, InstanceTypes) {
  struct Case {
    const char* name;
    const char* card;
    std::uint32_t count;
  };
  const Case table[] = {
      {"ecs.gn7i-c8g1.2xlarge", "A10", 1},
      {"ecs.gn7i-c32g1.32xlarge", "A10", 4},
      {"ecs.gn6e-c12g1.12xlarge", "V100 SXM2 32GB", 4},
      {"ECS.GN7E-C16G1.16XLARGE", "A100 SXM4 80GB", 4},
      {"p4d.24xlarge", "A100 SXM4 40GB", 8},
      {"GN10Xp.20XLARGE320", "V100 32GB", 8},
      {"ND96asr_v4", "A100 SXM4 40GB", 8},
      {"g5.other", "A10G", 0},
  };
  for (const Case& c : table) {
    const auto one = find_instance(c.name);
    ASSERT_TRUE(one) << c.name;
    EXPECT_EQ(one->card, c.card) << c.name;
    EXPECT_EQ(one->count, c.count) << c.name;
  }
  for (const char* none : {"", "p4d", "ecs.", "m5.large", "ecs.gn7i-"}) {
    EXPECT_FALSE(find_instance(none)) << none;
  }
}

}  // namespace
}  // namespace steelyard::offers

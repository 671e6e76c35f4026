#include "offers/offers.h"

#include <fmt/format.h>
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

TEST(Offers, TheDayAfter) {
  const std::pair<Date, Date> table[] = {{{2026, 12, 3}, {2026, 12, 4}},
                                         {{2026, 12, 31}, {2027, 1, 1}},
                                         {{2024, 2, 28}, {2024, 2, 29}}};
  for (const auto& [day, next] : table) EXPECT_EQ(day_after(day), next) << date_text(day);
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
}

TEST(Offers, CsvWithoutOffersOrWithAnotherHeaderIsRefused) {
  const std::string row = "A,RTX 4090,spot,1,USD,2026-11-30,1,hour\n";
  const std::pair<std::string, const char*> table[] = {
      {"", "the file is empty"},
      {std::string(head), "no offer below it"},
      {std::string(head) + "\n\n", "no offer below it"},
      {row, "header is missing"},
      {row + row, "header is missing"},
      {"colour\nred\n", "header is missing"},
      {"\xff\xfe", "header is missing"},
      {"provider;card;tier;price;currency;date\nA;T4;spot;1;USD;2026-11-30\n", "semicolons"},
      {"provider\tcard\tprice\nA\tT4\t1\n", "tabs"},
      {"provider,card,colour\nA,T4,red\n", "unknown column 'colour'"},
      {"provider,card,tier,price,price,currency,date\n", "price stands there twice"},
      {"provider,card,tier,currency,date\nA,T4,spot,USD,2026-11-30\n", "price is missing"},
      {"provider,card\nA\n", "cells"},
  };
  for (const auto& [text, what] : table) {
    const auto offers = parse_offers_csv(text, "mine.csv");
    ASSERT_FALSE(offers) << text;
    EXPECT_NE(offers.error().what.find(what), std::string::npos) << text << offers.error().what;
    EXPECT_EQ(offers.error().file, "mine.csv") << text;
  }
  EXPECT_TRUE(
      parse_offers_csv(" provider , card,tier,price,currency,date\n"
                       "A,T4,spot,1,USD,2026-11-30\n",
                       "mine.csv"));
}

TEST(Offers, PricesCurrenciesAndDaysMustBePossible) {
  const auto with = [](const char* price, const char* currency, const char* date) {
    return parse_offers_csv(
        fmt::format("provider,card,tier,price,currency,date\nA,T4,spot,{},{},{}\n", price, currency,
                    date),
        "mine.csv", Date{2026, 12, 3});
  };
  for (const char* price : {"0", "-1", "inf", "nan", "1e-9", "1e10", "0x10", "1.5 USD", "1,5"}) {
    EXPECT_FALSE(with(price, "USD", "2026-11-30")) << price;
  }
  for (const char* price : {"0.01", "15.84", "1e3"}) {
    EXPECT_TRUE(with(price, "USD", "2026-11-30")) << price;
  }
  for (const char* currency : {"XYZ", "usd", "RMB", "$", "US", "BTC"}) {
    EXPECT_FALSE(with("1", currency, "2026-11-30")) << currency;
  }
  for (const char* currency : {"USD", "CNY", "EUR", "AED", "ZWG"}) {
    EXPECT_TRUE(with("1", currency, "2026-11-30")) << currency;
  }
  for (const char* date : {"2026-12-04", "2027", "2099-01-01", "2009-12-31", "1970-01-01"}) {
    EXPECT_FALSE(with("1", "USD", date)) << date;
  }
  for (const char* date : {"2026-12-03", "2026", "2010-11-15"}) {
    EXPECT_TRUE(with("1", "USD", date)) << date;
  }
}

TEST(Offers, ANewerPriceOfTheSameThingReplacesAnOlder) {
  const auto offer = [](Date date, const char* region = "", const char* instance = "",
                        const char* tier = "spot", const char* currency = "USD") {
    return Offer{.provider = "A",
                 .region = region,
                 .instance = instance,
                 .card = "T4",
                 .tier = tier,
                 .price = {1, currency},
                 .date = date};
  };
  const Date old{2026, 5, 1}, now{2026, 8, 1};
  struct Case {
    const char* what;
    Offer first, second;
    bool replaced;
  };
  const Case table[] = {
      {"same thing", offer(old), offer(now), true},
      {"same day", offer(now), offer(now), false},
      {"another tier", offer(old), offer(now, "", "", "on-demand"), false},
      {"another currency", offer(old), offer(now, "", "", "spot", "CNY"), false},
      {"another region", offer(old, "eu"), offer(now, "us"), false},
      {"the same region", offer(old, "eu"), offer(now, "eu"), true},
      {"a region and none", offer(old, "eu"), offer(now), true},
      {"none and a region", offer(old), offer(now, "us"), true},
      {"another instance", offer(old, "", "g5.xlarge"), offer(now, "", "g5.2xlarge"), false},
      {"region agrees, instance does not", offer(old, "eu", "a"), offer(now, "eu", "b"), false},
  };
  for (const Case& c : table) {
    const auto replaced = superseded({{&c.first, nullptr}, {&c.second, nullptr}});
    EXPECT_EQ(replaced, (std::vector<bool>{c.replaced, false})) << c.what;
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
  CardFinder finder(*catalogue);
  for (const Offer& offer : *offers) known += finder.card_of(offer) != nullptr ? 1 : 0;
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
      {"ecs.gn6i-c40g1.10xlarge", "T4", 1},
      {"ecs.gn8v-8x.48xlarge", "H20", 8},
      {"ecs.pni2.14xlarge", "A100 SXM4 80GB", 0},
      {"GN7.20XLARGE320", "T4", 0},
  };
  for (const Case& c : table) {
    const auto one = find_instance(c.name);
    ASSERT_TRUE(one) << c.name;
    EXPECT_EQ(one->card, c.card) << c.name;
    EXPECT_EQ(one->count, c.count) << c.name;
    EXPECT_EQ(one->family, !one->inferred.empty()) << c.name;
    EXPECT_EQ(why_no_instance(c.name), "") << c.name;
  }
  for (const char* none : {"", "p4d", "ecs.", "m5.large", "ecs.gn7i-"}) {
    EXPECT_FALSE(find_instance(none)) << none;
    EXPECT_EQ(why_no_instance(none), "") << none;
  }
  for (const char* none : {"ecs.gn7i-c32g1.99999xlarge",
                           "ecs.gn7i-c32g1.2xlarge",
                           "ecs.gn7i-c32g1.24xlarge",
                           "ecs.gn7i-c32g1.0xlarge",
                           "ecs.gn7i-c32g1.08xlarge",
                           "ecs.gn7i-c32g1.xlarge",
                           "ecs.gn7i-c0g1.8xlarge",
                           "ecs.gn7i-c32g1",
                           "ecs.gn7i-c32.8xlarge",
                           "ecs.gn7i-foo",
                           "ecs.gn7i-c32g1.8xlargex",
                           "ecs.gn7i-c4294967297g1.8xlarge",
                           "ecs.gn8v-3x.12xlarge",
                           "ecs.gn8v-8x.9xlarge",
                           "g5.other",
                           "g5.3xlarge",
                           "p4d.48xlarge",
                           "ecs.pni2.99999xlarge",
                           "ecs.pni2.200xlarge",
                           "ecs.pni2.other",
                           "GN7.20XLARGE999999",
                           "p2v.2xlarge.80"}) {
    EXPECT_FALSE(find_instance(none)) << none;
    EXPECT_NE(why_no_instance(none), "") << none;
  }
}

}  // namespace
}  // namespace steelyard::offers

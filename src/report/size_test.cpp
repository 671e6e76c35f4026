#include "report/size.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace steelyard::report {
namespace {

// One answer, made by hand: the formats must agree on it.
SizeCase hand_made(memory::Verdict verdict) {
  SizeCase one;
  one.answer.verdict = verdict;
  one.answer.reason = "needs 3.00 GiB per card";
  memory::Rank rank{.name = "tp 0"};
  rank.terms = {
      {"weights", ByteFigure::exact(gib(2)), "two GiB"},
      {"activations", ByteFigure::banded(gib(1), gib(0.5), gib(2), Origin::predicted), "a step"}};
  rank.total = rank.terms[0].bytes + rank.terms[1].bytes;
  rank.free = ByteFigure::exact(gib(1));
  one.answer.ranks = {rank};
  one.answer.launch = "vllm serve x";
  one.answer.assumptions = {{"context", "8192", Origin::assumed}, {"slots", "1", Origin::exact}};
  return one;
}

TEST(SizeReport, AllFormatsTellTheSameSum) {
  model::Model model;
  model.name = "a, \"quoted\" \xFF name";  // from outside: commas, quotes, no UTF-8
  const SizeDocument document{
      .model = model, .argument = "x", .cases = {hand_made(memory::Verdict::fits)}};
  const auto json = nlohmann::json::parse(size_json(document), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  const auto total = json["memory"][0]["total_bytes"].get<std::uint64_t>();
  EXPECT_EQ(total, gib(3).value());
  EXPECT_EQ(json["memory"][0]["terms"].size(), 2u);
  EXPECT_FALSE(json["memory"][0]["terms"][0].contains("low"));  // exact figures have no band
  EXPECT_EQ(json["memory"][0]["terms"][1]["low"].get<std::uint64_t>(), gib(0.5).value());

  const auto csv = parse_csv(size_csv(document));
  ASSERT_TRUE(csv) << describe(csv.error());
  ASSERT_EQ(csv->rows.size(), 4u);
  EXPECT_EQ(csv->cell(2, "term"), "total");
  EXPECT_EQ(csv->cell(2, "bytes"), fmt::format("{}", total));
  EXPECT_EQ(csv->cell(0, "model"), model.name);

  const std::string text = size_text(document, {});
  EXPECT_NE(text.find("3.00 GiB"), std::string::npos) << text;
  EXPECT_NE(text.find("slots 1 (given)"), std::string::npos) << text;
  EXPECT_NE(size_markdown(document).find("| tp 0 | total | 3.00 GiB |"), std::string::npos)
      << size_markdown(document);
}

TEST(SizeReport, QuietIsTheVerdictAlone) {
  const model::Model model;
  const std::pair<memory::Verdict, const char*> cases[] = {
      {memory::Verdict::fits, "YES "},
      {memory::Verdict::tight, "TIGHT "},
      {memory::Verdict::does_not_fit, "NO "},
      {memory::Verdict::not_established, "SUM "}};
  for (const auto& [verdict, word] : cases) {
    const SizeDocument document{.model = model, .argument = "x", .cases = {hand_made(verdict)}};
    const std::string text = size_text(document, {.quiet = true});
    EXPECT_TRUE(text.starts_with(word)) << text;
    EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
    EXPECT_NE(size_text(document, {.color = true}).find("\033["), std::string::npos);
    EXPECT_EQ(text.find("\033["), std::string::npos);
  }
}

TEST(SizeReport, SeveralCardsStandSideBySide) {
  const model::Model model;
  const SizeDocument document{
      .model = model,
      .argument = "x",
      .cases = {hand_made(memory::Verdict::does_not_fit), hand_made(memory::Verdict::fits)}};
  const auto json = nlohmann::json::parse(size_json(document));
  ASSERT_EQ(json["comparison"].size(), 2u);
  EXPECT_EQ(json["verdict"], "does_not_fit");
  EXPECT_EQ(json["comparison"][1]["verdict"], "fits");
}

}  // namespace
}  // namespace steelyard::report

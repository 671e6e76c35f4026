#include "pick/pick.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>

#include "pick/common_cards.h"

namespace steelyard::pick {
namespace {

memory::Request request_with_context(std::uint64_t context) {
  memory::Request request;
  request.workload.context = context;
  request.workload.concurrency = 1;
  return request;
}

// "1x GeForce RTX 4090, 2x ..." of what is named.
std::string named(const std::vector<CardFit>& fits) {
  std::string text;
  for (const CardFit& fit : fits) {
    text += fmt::format("{}{}x {}{}{}", text.empty() ? "" : "; ", fit.count, fit.card->name,
                        fit.with.empty() ? "" : " " + fit.with,
                        fit.note.empty() ? "" : " (" + fit.note + ")");
  }
  return text;
}

std::vector<CardFit> smallest(const char* name, const char* weights = "") {
  const auto catalogue = facts::Catalogue::embedded();
  auto model = model::catalogue_model(name);
  EXPECT_TRUE(catalogue && model) << name;
  if (*weights != '\0') model = model::with_weights(*model, weights);
  static std::deque<facts::Catalogue> keep;  // the fits point into it
  keep.push_back(*catalogue);
  return smallest_cards(*model, request_with_context(8192), keep.back());
}

TEST(SmallestCards, AreOrderedAndHoldTheModel) {
  for (const char* name : {"Qwen/Qwen3-8B", "Qwen/Qwen3-32B", "deepseek-ai/DeepSeek-R1"}) {
    const auto fits = smallest(name);
    ASSERT_FALSE(fits.empty()) << name;
    std::pair<std::uint32_t, double> last{0, 0};
    for (const CardFit& fit : fits) {
      EXPECT_NE(fit.answer.verdict, memory::Verdict::does_not_fit) << name << fit.card->name;
      EXPECT_FALSE(fit.card->modified) << fit.card->name;
      const std::pair<std::uint32_t, double> here{fit.count, fit.card->sold_as_gb};
      EXPECT_GT(here, last) << name << ": " << named(fits);
      last = here;
    }
  }
}

TEST(SmallestCards, NameWhatPeopleBuyAndRent) {
  const std::tuple<const char*, const char*, const char*> table[] = {
      {"Qwen/Qwen3-8B", "", "1x GeForce RTX 4090"},
      {"Qwen/Qwen3-8B", "", "1x GeForce RTX 5090"},
      {"Qwen/Qwen3-8B", "", "2x GeForce RTX 4060 Ti 16GB"},
      {"Qwen/Qwen3-32B", "fp8", "1x L40S"},
      {"Qwen/Qwen3-32B", "", "1x A100 SXM4 80GB"},
      {"Qwen/Qwen3-32B", "", "2x L40S"},
      {"Qwen/Qwen3-8B", "awq", "1x GeForce RTX 3060 12GB"},
      {"meta-llama/Llama-3.3-70B-Instruct", "", "1x B200 SXM"},
      {"meta-llama/Llama-3.3-70B-Instruct", "", "2x A100 SXM4 80GB"},
      {"meta-llama/Llama-3.3-70B-Instruct", "", "8x GeForce RTX 4090"},
      {"deepseek-ai/DeepSeek-R1", "", "8x H200 SXM 141GB"},
      {"deepseek-ai/DeepSeek-V3", "", "8x H200 SXM 141GB"},
  };
  for (const auto& [name, weights, card] : table) {
    const std::string text = named(smallest(name, weights));
    EXPECT_NE(text.find(card), std::string::npos) << name << " " << weights << ": " << text;
  }
  const std::string eight = named(smallest("Qwen/Qwen3-8B"));
  for (const char* other : {"Ascend", "A16", "A30", "RTX 3080", "modded", "4x", "8x"}) {
    EXPECT_EQ(eight.find(other), std::string::npos) << eight;
  }
}

TEST(SmallestCards, FollowTheNamedPlacement) {
  const auto catalogue = facts::Catalogue::embedded();
  const auto model = model::catalogue_model("Qwen/Qwen3-32B");
  ASSERT_TRUE(catalogue && model);
  memory::Request request = request_with_context(4096);
  request.placement.tp = 4;
  const auto fits = smallest_cards(*model, request, *catalogue);
  ASSERT_FALSE(fits.empty());
  for (const CardFit& fit : fits) EXPECT_EQ(fit.count, 4U) << named(fits);
}

TEST(CommonCards, ExistAndStandInTheirClass) {
  const auto catalogue = facts::Catalogue::embedded();
  ASSERT_TRUE(catalogue);
  const auto classes = common_classes(*catalogue);
  std::size_t cards = 0;
  double last = 0;
  for (const MemoryClass& one : classes) {
    EXPECT_GT(one.gigabytes, last);
    last = one.gigabytes;
    cards += one.cards.size();
    for (const facts::Accelerator* card : one.cards) {
      EXPECT_NEAR(card->sold_as_gb, one.gigabytes, 0.1 * one.gigabytes) << card->name;
      EXPECT_LE(card->confidence, facts::Confidence::mixed) << card->name;
      EXPECT_FALSE(card->modified) << card->name;
    }
  }
  EXPECT_EQ(cards, 28U);  // as many as data/accelerators/common.csv has rows: none is unknown
}

TEST(BestFormat, KeepsAsManyBitsAsFit) {
  const auto model = model::catalogue_model("Qwen/Qwen3-8B");
  ASSERT_TRUE(model);
  memory::Request request = request_with_context(4096);
  const std::pair<double, const char*> cases[] = {{80, "bf16"}, {16, "fp8"}, {11, "awq"}};
  for (const auto& [size, format] : cases) {
    const Bytes bytes = gib(size);
    request.card = memory::CardMemory{.name = "a card",
                                      .usable = {bytes, bytes, bytes, Origin::assumed},
                                      .compute_capability = "8.9"};
    const auto fit = best_format_on(*model, request);
    ASSERT_TRUE(fit) << size;
    EXPECT_EQ(fit->format, format) << size;
  }
  const Bytes tiny = gib(2);
  request.card->usable = {tiny, tiny, tiny, Origin::assumed};
  EXPECT_FALSE(best_format_on(*model, request));
}

}  // namespace
}  // namespace steelyard::pick

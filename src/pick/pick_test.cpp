#include "pick/pick.h"

#include <gtest/gtest.h>

namespace steelyard::pick {
namespace {

memory::Request request_with_context(std::uint64_t context) {
  memory::Request request;
  request.workload.context = context;
  request.workload.concurrency = 1;
  return request;
}

TEST(SmallestCards, HoldTheModelAndGrow) {
  const auto catalogue = facts::Catalogue::embedded();
  const auto model = model::catalogue_model("Qwen/Qwen3-8B");
  ASSERT_TRUE(catalogue && model);
  const auto fits = smallest_cards(*model, request_with_context(4096), *catalogue, 4);
  ASSERT_EQ(fits.size(), 4u);
  double last = 0;
  for (const CardFit& fit : fits) {
    EXPECT_EQ(fit.count, 1u) << fit.card->name;
    EXPECT_NE(fit.answer.verdict, memory::Verdict::does_not_fit) << fit.card->name;
    EXPECT_GT(fit.card->sold_as_gb, last) << fit.card->name;
    last = fit.card->sold_as_gb;
  }
  // 15.3 GiB of bf16 weights: nothing of 16 GB can hold them and a step.
  EXPECT_GT(fits.front().card->sold_as_gb, 16);
  EXPECT_LE(fits.front().card->sold_as_gb, 24);
}

TEST(SmallestCards, SeveralWhenOneIsNotEnough) {
  const auto catalogue = facts::Catalogue::embedded();
  const auto model = model::catalogue_model("meta-llama/Meta-Llama-3.1-405B");
  ASSERT_TRUE(catalogue && model);
  const auto fits = smallest_cards(*model, request_with_context(4096), *catalogue, 3);
  ASSERT_FALSE(fits.empty());
  for (const CardFit& fit : fits) EXPECT_GT(fit.count, 1u) << fit.card->name;
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

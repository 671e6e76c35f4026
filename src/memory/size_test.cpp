#include <gtest/gtest.h>

#include "memory/engines/engine.h"
#include "memory/placement.h"
#include "memory/weights.h"

namespace steelyard::memory {
namespace {

model::Model catalogue(const char* name) {
  auto model = model::catalogue_model(name);
  EXPECT_TRUE(model) << name;
  return model ? std::move(*model) : model::Model{};
}

CardMemory card(const char* name, double usable_gib, const char* capability) {
  return {
      .name = name, .usable = ByteFigure::exact(gib(usable_gib)), .compute_capability = capability};
}

TEST(Placement, LegalSizesDivideTheHeads) {
  const model::Model model = catalogue("meta-llama/Meta-Llama-3-8B");  // 32 heads, 8 of keys
  EXPECT_EQ(legal_tensor_parallel(model, 64), (std::vector<std::uint32_t>{1, 2, 4, 8, 16, 32}));
  Placement place;
  place.tp = 3;
  const auto status = check_placement(model, place);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::usage);
  EXPECT_NE(status.error().try_this.find("1, 2, 4, 8"), std::string::npos);
}

TEST(Placement, RefusesWhatCannotBe) {
  const model::Model model = catalogue("meta-llama/Meta-Llama-3-8B");
  const std::vector<Placement> bad = {
      {.tp = 0}, {.pp = 33}, {.tp = 2, .ep = 2}, {.tp = 4, .attention_dp = 3}, {.tp = 4, .dcp = 3}};
  for (const Placement& place : bad) EXPECT_FALSE(check_placement(model, place)) << place.tp;
}

TEST(Stages, CoverAllLayersOnce) {
  for (const std::size_t layers : {1UL, 7UL, 61UL, 80UL}) {
    for (std::uint32_t pp = 1; pp <= std::min<std::size_t>(layers, 9); ++pp) {
      const auto stages = pipeline_stages(layers, pp);
      ASSERT_EQ(stages.size(), pp);
      EXPECT_EQ(stages.back().last, layers) << layers << " over " << pp;
      for (const Stage& stage : stages) EXPECT_LT(stage.first, stage.last);
    }
  }
}

TEST(Weights, KeysAreHeldTwiceWhenRanksOutnumberThem) {
  EXPECT_EQ(kv_heads_on_rank(8, 4), 2U);
  EXPECT_EQ(kv_heads_on_rank(8, 16), 1U);
  EXPECT_EQ(kv_heads_on_rank(1, 8), 1U);
  EXPECT_EQ(kv_heads_on_rank(0, 8), 0U);
}

TEST(Weights, RanksHoldAtLeastTheirShare) {
  const model::Model model = catalogue("meta-llama/Meta-Llama-3-8B");
  const Stage all{.first = 0, .last = model.layers.size()};
  Bytes before = rank_weights(model, {}, all, {});
  EXPECT_NEAR(before.as_gib(), 14.96, 0.01);
  for (const std::uint32_t tp : {2U, 4U, 8U, 16U}) {
    const Bytes now = rank_weights(model, {.tp = tp}, all, {});
    EXPECT_LT(now, before) << tp;
    EXPECT_GE(now.as_double() * tp, model.weight_bytes().as_double()) << tp;
    before = now;
  }
}

TEST(Size, SaysNoToSeventyBillionOnOneCard) {
  const model::Model model = catalogue("meta-llama/Meta-Llama-3-70B");
  Request request;
  request.card = card("A100 SXM 80GB", 79.15, "8.0");
  const auto answer = size(model, request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict, Verdict::does_not_fit);
  EXPECT_NE(answer->reason.find("79.2 GiB"), std::string::npos) << answer->reason;
  const auto others = alternatives(model, request);
  ASSERT_FALSE(others.empty());
  for (const Alternative& other : others) {
    EXPECT_NE(other.answer.verdict, Verdict::does_not_fit) << other.change;
  }
}

TEST(Size, EveryEngineAnswersWithTermsThatAddUp) {
  const model::Model model = catalogue("Qwen/Qwen3-8B");
  for (const EngineRules& rules : engine_list()) {
    Request request;
    request.engine.kind = rules.kind;
    request.card = card("RTX 4090", 23.6, "8.9");
    const auto answer = size(model, request);
    ASSERT_TRUE(answer) << rules.name << ": " << answer.error().what;
    ASSERT_FALSE(answer->ranks.empty()) << rules.name;
    for (const Rank& rank : answer->ranks) {
      Bytes sum;
      for (const Term& term : rank.terms) sum += term.bytes.value;
      EXPECT_EQ(sum, rank.total.value) << rules.name;
      EXPECT_LE(rank.total.low, rank.total.value) << rules.name;
      EXPECT_GE(rank.total.high, rank.total.value) << rules.name;
    }
    EXPECT_FALSE(answer->launch.empty()) << rules.name;
    EXPECT_FALSE(answer->reason.empty()) << rules.name;
    EXPECT_GT(kv_bytes_per_token(model, request).value.value(), 0U) << rules.name;
  }
}

TEST(Size, WithoutACardNothingIsEstablished) {
  const auto answer = size(catalogue("Qwen/Qwen3-8B"), Request{});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict, Verdict::not_established);
  EXPECT_FALSE(answer->capacity.reason.empty());
}

TEST(Size, UnknownCacheFormatsAreNamed) {
  Request request;
  request.workload.kv_k = "fp3";
  const auto answer = size(catalogue("Qwen/Qwen3-8B"), request);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().field, "--kv");
}

TEST(Size, CapacityAgreesWithAskingForIt) {
  const model::Model model = catalogue("Qwen/Qwen3-8B");
  Request request;
  request.card = card("RTX 4090", 23.6, "8.9");
  request.workload.context = 4096;
  const auto answer = size(model, request);
  ASSERT_TRUE(answer);
  ASSERT_TRUE(answer->capacity.max_context_tokens && answer->capacity.max_concurrency);
  request.workload.max_batched_tokens = 2048;
  request.workload.concurrency = static_cast<std::uint64_t>(*answer->capacity.max_concurrency);
  EXPECT_NE(size(model, request)->verdict, Verdict::does_not_fit);
  request.workload.concurrency = static_cast<std::uint64_t>(*answer->capacity.max_concurrency) + 1;
  EXPECT_EQ(size(model, request)->verdict, Verdict::does_not_fit);
}

}  // namespace
}  // namespace steelyard::memory

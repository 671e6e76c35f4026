// What an answer for training promises, over runs of many kinds.
#include <gtest/gtest.h>

#include "memory/training/size_training.h"
#include "memory/verdict.h"

namespace steelyard::memory {
namespace {

model::Model named(std::string_view name, TrainingMethod method = TrainingMethod::full) {
  auto model = model::catalogue_model(name);
  if (model && method == TrainingMethod::qlora) model = model::with_weights(*model, "nf4");
  return model ? std::move(*model) : model::Model{};
}

Request asked(const Training& run, double card_gib, std::uint32_t count,
              const Placement& place = {}) {
  return {
      .placement = place,
      .card =
          CardMemory{.name = "card", .usable = ByteFigure::exact(gib(card_gib)), .count = count},
      .training = run};
}

struct TriedRun {
  const char* name;
  const char* model;
  Training training;
  double card_gib;
  std::uint32_t count = 1;
  Placement place = {};
};

std::vector<TriedRun> runs() {
  return {
      {"full on one card", "meta-llama/Llama-3.1-8B", {.method = TrainingMethod::full}, 180},
      {"full, ZeRO 3", "meta-llama/Llama-3.1-8B", {.method = TrainingMethod::full}, 79, 8},
      {"LoRA", "Qwen/Qwen3-32B", {.method = TrainingMethod::lora, .micro_batch = 2}, 79},
      {"QLoRA", "Qwen/Qwen3-32B", {.method = TrainingMethod::qlora}, 47},
      {"experts", "mistralai/Mixtral-8x7B-v0.1", {.method = TrainingMethod::lora}, 140},
      {"offload",
       "meta-llama/Llama-3.1-8B",
       {.method = TrainingMethod::full,
        .framework = Framework::deepspeed,
        .zero = 3,
        .optimizer_offload = OffloadTo::cpu},
       47,
       2},
      {"stages",
       "meta-llama/Llama-3.1-8B",
       {.method = TrainingMethod::pretrain, .framework = Framework::megatron, .grad_accum = 8},
       139,
       8,
       {.tp = 2, .pp = 4}},
  };
}

TEST(SizeTraining, TheLargestRunsFitAndTheNextDoNot) {
  for (const TriedRun& run : runs()) {
    const model::Model model = named(run.model, run.training.method);
    const Request request = asked(run.training, run.card_gib, run.count, run.place);
    const auto answer = size(model, request);
    ASSERT_TRUE(answer) << run.name << ": " << answer.error().what;
    ASSERT_TRUE(answer->training->largest_micro_batch) << run.name << ": " << answer->reason;
    ASSERT_TRUE(answer->training->longest_sequence) << run.name;
    Request at_most = request;
    at_most.training->micro_batch = *answer->training->largest_micro_batch;
    EXPECT_TRUE(is_yes(*size(model, at_most))) << run.name;
    ++at_most.training->micro_batch;
    EXPECT_EQ(size(model, at_most)->verdict, Verdict::does_not_fit) << run.name;
    at_most = request;
    at_most.training->seq_len = *answer->training->longest_sequence;
    EXPECT_TRUE(is_yes(*size(model, at_most))) << run.name;
    *at_most.training->seq_len += 64;
    EXPECT_EQ(size(model, at_most)->verdict, Verdict::does_not_fit) << run.name;
  }
}

TEST(SizeTraining, EachRankIsTheSumOfItsTermsAndAllCardsAreCounted) {
  for (const TriedRun& run : runs()) {
    const model::Model model = named(run.model, run.training.method);
    const auto answer = size(model, asked(run.training, run.card_gib, run.count, run.place));
    ASSERT_TRUE(answer) << run.name;
    std::uint32_t ranks = 0;
    for (const Rank& rank : answer->ranks) {
      Bytes sum;
      for (const Term& term : rank.terms) sum += term.bytes.value;
      EXPECT_EQ(sum, rank.total.value) << run.name << " " << rank.name;
      EXPECT_LE(rank.total.value, rank.reserved->value) << run.name;
      EXPECT_LE(rank.reserved->value, rank.process->value) << run.name;
      ranks += rank.repeats;
    }
    EXPECT_EQ(ranks, run.count) << run.name;
    EXPECT_EQ(answer->binding().host > Bytes(0), run.training.optimizer_offload != OffloadTo::none)
        << run.name;
    EXPECT_FALSE(answer->training->rules.empty()) << run.name;
  }
}

TEST(SizeTraining, EachStageOfZeroTakesLess) {
  const model::Model model = named("meta-llama/Llama-3.1-8B");
  Bytes before = Bytes(~std::uint64_t{0});
  for (const std::uint32_t zero : {0U, 1U, 2U, 3U}) {
    const auto answer = size(model, asked({.method = TrainingMethod::full, .zero = zero}, 79, 8));
    ASSERT_TRUE(answer);
    EXPECT_LT(answer->binding().total.value, before) << "ZeRO " << zero;
    before = answer->binding().total.value;
  }
}

TEST(SizeTraining, AlternativesFitAndNameTheirCost) {
  const model::Model model = named("meta-llama/Llama-3.1-8B");
  struct Case {
    Training training;
    std::uint32_t count;
    const char* holds;  // a change that must be among them
  };
  const Case cases[] = {
      {{.method = TrainingMethod::full}, 1, "method qlora"},
      {{.method = TrainingMethod::full, .micro_batch = 64}, 8, "micro-batch 1"},
      {{.method = TrainingMethod::full, .zero = 0}, 8, "ZeRO 3"},
      {{.method = TrainingMethod::lora, .recompute = Recompute::none, .seq_len = 16384},
       1,
       "recompute full"},
      {{.method = TrainingMethod::lora, .seq_len = 49152}, 1, "loss fused-linear"},
  };
  for (const Case& one : cases) {
    const Request request = asked(one.training, 79, one.count);
    const auto now = size(model, request);
    ASSERT_TRUE(now) << one.holds;
    ASSERT_EQ(now->verdict, Verdict::does_not_fit) << one.holds;
    bool found = false;
    for (const Alternative& other : alternatives(model, request)) {
      EXPECT_TRUE(is_yes(other.answer)) << other.change;
      EXPECT_FALSE(other.cost.empty() && other.answer.card->count == one.count) << other.change;
      found = found || other.change.find(one.holds) != std::string::npos;
    }
    EXPECT_TRUE(found) << one.holds;
  }
  // A run that fits needs none.
  EXPECT_TRUE(alternatives(model, asked({.method = TrainingMethod::qlora}, 79, 1)).empty());
}

TEST(TrainingRules, SayWhenTheyMislead) {
  TrainingPlan plan;
  plan.method = TrainingMethod::full;
  const auto verdict = [&](double per_parameter) {
    return training_rules(plan, 1e9,
                          {.phase = "loss", .all_cards = bytes_from(per_parameter * 1e9)})
        .front()
        .verdict;
  };
  EXPECT_NE(verdict(16).find("holds"), std::string::npos);
  EXPECT_NE(verdict(32).find("too low"), std::string::npos);
  EXPECT_NE(verdict(8).find("too high"), std::string::npos);
}

}  // namespace
}  // namespace steelyard::memory

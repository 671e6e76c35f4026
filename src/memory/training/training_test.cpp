// Training steps against what runs have logged: the allocator's peak.
#include <gtest/gtest.h>

#include "memory/training/step.h"

namespace steelyard::memory {
namespace {

constexpr double gib = 1073741824.0;

double peak_of(std::string_view name, const Training& asked, std::uint32_t cards) {
  auto model = model::catalogue_model(name);
  if (!model) return 0;
  if (asked.method == TrainingMethod::qlora) model = model::with_weights(*model, "nf4");
  std::vector<Assumption> assumptions;
  const auto plan = training_plan(*model, asked, {}, cards, assumptions);
  const auto shape = training_shape(*model, asked);
  if (!plan || !shape) return 0;
  const Stage all{.first = 0, .last = model->layers.size()};
  return training_step(*shape, *plan, all, 0).peak().total() / gib;
}

Training run(TrainingMethod method, std::uint64_t length, std::uint64_t batch) {
  return {.method = method,
          .precision = TrainingPrecision::pure_bf16,
          .seq_len = length,
          .micro_batch = batch,
          .targets = "attention"};
}

// Source: foundation-model-stack/fms-acceleration:scripts/benchmarks/refs (torch peak).
TEST(TrainingStep, MatchesLoggedPeaks) {
  struct Case {
    const char* model;
    TrainingMethod method;
    std::uint64_t length, batch;
    std::uint32_t cards;
    double gib, within;
  };
  constexpr Case cases[] = {
      {"mistralai/Mistral-7B-v0.1", TrainingMethod::full, 4096, 4, 1, 67.46, 0.005},
      {"mistralai/Mistral-7B-v0.1", TrainingMethod::full, 4096, 4, 2, 33.74, 0.005},
      {"ibm/PowerLM-3b", TrainingMethod::full, 4096, 8, 1, 43.83, 0.02},
      {"ibm/PowerLM-3b", TrainingMethod::lora, 4096, 4, 1, 18.78, 0.02},
      {"NousResearch/Llama-2-70b-hf", TrainingMethod::qlora, 4096, 4, 1, 63.45, 0.03},
      {"NousResearch/Llama-2-70b-hf", TrainingMethod::qlora, 4096, 2, 2, 43.48, 0.05},
  };
  for (const Case& one : cases) {
    const double peak = peak_of(one.model, run(one.method, one.length, one.batch), one.cards);
    EXPECT_NEAR(peak, one.gib, one.within * one.gib)
        << one.model << " " << one.length << " x " << one.batch << " on " << one.cards;
  }
}

TEST(TrainingPlan, RefusesWhatTrainsNothing) {
  const auto model = model::catalogue_model("mistralai/Mistral-7B-v0.1");
  ASSERT_TRUE(model);
  std::vector<Assumption> assumptions;
  Training asked = run(TrainingMethod::lora, 2048, 1);
  EXPECT_TRUE(training_plan(*model, asked, {}, 1, assumptions));
  asked.rank = 0;
  EXPECT_FALSE(training_plan(*model, asked, {}, 1, assumptions));
  asked.rank = 16;
  struct Case {
    const char* why;
    Framework framework;
    std::uint32_t zero;
    Placement place;
    std::uint32_t cards;
    bool good;
  };
  const Case cases[] = {
      {"cards that tp does not divide", Framework::megatron, 0, {.tp = 2}, 3, false},
      {"heads that tp does not divide", Framework::megatron, 0, {.tp = 3}, 3, false},
      {"no tensor parallelism", Framework::transformers, 0, {.tp = 2}, 2, false},
      {"tensor parallel", Framework::megatron, 0, {.tp = 2}, 2, true},
      {"ZeRO 3 with stages", Framework::deepspeed, 3, {.pp = 2}, 2, false},
      {"ZeRO 1 with stages", Framework::deepspeed, 1, {.pp = 2}, 2, true},
      {"more stages than layers", Framework::megatron, 0, {.pp = 64}, 64, false},
      {"a size of nothing", Framework::megatron, 0, {.pp = 0}, 2, false},
      {"expert parallel", Framework::megatron, 0, {.tp = 2, .ep = 2}, 2, false},
      {"no such stage", Framework::transformers, 4, {}, 2, false},
  };
  for (const Case& one : cases) {
    asked.framework = one.framework;
    asked.zero = one.zero;
    EXPECT_EQ(training_plan(*model, asked, one.place, one.cards, assumptions).has_value(), one.good)
        << one.why;
  }
  asked.targets = "nose";
  EXPECT_FALSE(training_shape(*model, asked));
  EXPECT_FALSE(parse_optimizer("adamq"));
  EXPECT_TRUE(parse_optimizer("ADAMW_8bit"));
}

}  // namespace
}  // namespace steelyard::memory

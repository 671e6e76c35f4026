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

TEST(Alternatives, TakeTheFewestCardsThatDivideTheHeads) {
  struct Case {
    const char* model;
    double usable_gib;
    const char* want;
  };
  const Case cases[] = {{"microsoft/phi-4", 11, "5 cards, tensor parallel 5"},  // 40 and 10 heads
                        {"Qwen/Qwen3-8B", 14, "2 cards, tensor parallel 2"},
                        {"Qwen/Qwen3-8B", 8, "4 cards, tensor parallel 4"}};
  for (const Case& c : cases) {
    Request request;
    request.engine = *parse_engine("vllm@0.11");
    request.workload.max_num_seqs = 16;
    request.card = card("card", c.usable_gib, "8.6");
    std::string said;
    bool found = false;
    for (const Alternative& one : alternatives(catalogue(c.model), request)) {
      said += one.change + "; ";
      found = found || one.change == c.want;
    }
    EXPECT_TRUE(found) << c.model << " on " << c.usable_gib << " GiB: " << said;
  }
}

TEST(Size, ExpertsSpreadOverReplicas) {
  const model::Model model = catalogue("Qwen/Qwen3-30B-A3B");
  const auto weights = [&](const char* engine, const Placement& placement) {
    Request request;
    request.engine = *parse_engine(engine);
    request.placement = placement;
    request.card = card("H100", 79.2, "9.0");
    const auto answer = size(model, request);
    EXPECT_TRUE(answer) << engine << answer.error().what;
    return answer ? answer->ranks.front().terms.front().bytes.value.as_gib() : 0;
  };
  for (const char* engine : {"vllm", "sglang", "tensorrt-llm"}) {
    const double whole = weights(engine, {}), one = weights(engine, {.dp = 8});
    const double spread = weights(engine, {.dp = 8, .ep = 8});
    EXPECT_EQ(whole, one) << engine;
    // The same as attention data parallelism inside one engine.
    EXPECT_EQ(spread, weights(engine, {.tp = 8, .ep = 8, .attention_dp = 8})) << engine;
    EXPECT_LT(spread, whole / 5) << engine;
    EXPECT_GT(spread, weights(engine, {.tp = 8, .ep = 8})) << engine << ": attention is whole";
  }
  Request request;
  request.placement = {.dp = 8, .ep = 3};
  EXPECT_FALSE(size(model, request));
}

TEST(Size, ThirtyTwoBitsAreFourBytes) {
  const model::Model model = catalogue("Qwen/Qwen3-8B");
  const auto wide = model::with_weights(model, "f32");
  ASSERT_TRUE(wide);
  for (const char* engine : {"vllm", "sglang", "tensorrt-llm", "transformers"}) {
    Request request;
    request.engine = *parse_engine(engine);
    request.card = card("H100", 79.2, "9.0");
    const auto half = size(model, request);
    request.workload.dtype = "f32";
    const auto full = size(*wide, request);
    ASSERT_TRUE(half && full) << engine;
    const auto of = [](const Answer& answer, std::string_view name) {
      for (const Term& term : answer.ranks.front().terms) {
        if (term.name == name) return term.bytes.value.as_double();
      }
      return 0.0;
    };
    EXPECT_NEAR(of(*full, "weights") / of(*half, "weights"), 2, 0.02) << engine;
    EXPECT_NEAR(of(*full, "kv_cache") / of(*half, "kv_cache"), 2, 0.001) << engine;
    EXPECT_NE(full->launch.find("float32"), std::string::npos) << full->launch;
  }
}

TEST(Size, LengthsThatContradictAreRefused) {
  struct Case {
    const char* engine;
    std::optional<std::uint64_t> context, ctx_size, input, output, users;
    bool good;
  };
  const Case cases[] = {
      {"vllm", 4096, {}, 3000, 2000, {}, false},      {"vllm", 8192, {}, 3000, 2000, {}, true},
      {"vllm", 8192, 100, {}, {}, {}, true},  // not its option: only said
      {"llama.cpp", 8192, 16384, {}, {}, 4, false},   {"llama.cpp", 4096, 16384, {}, {}, 4, true},
      {"llama.cpp", {}, 4096, 3000, 2000, {}, false}, {"ollama", {}, 16384, 3000, 2000, 2, true}};
  for (const Case& c : cases) {
    Request request;
    request.engine = *parse_engine(c.engine);
    request.workload.context = c.context;
    request.workload.ctx_size = c.ctx_size;
    request.workload.input = c.input;
    request.workload.output = c.output;
    request.workload.concurrency = c.users;
    const auto answer = size(catalogue("Qwen/Qwen3-8B"), request);
    EXPECT_EQ(answer.has_value(), c.good) << c.engine << c.context.value_or(0);
  }
}

TEST(Size, RefusesMoreSequencesThanTheEngineAdmits) {
  struct Case {
    const char* engine;
    std::uint64_t users;
    std::optional<std::uint64_t> admitted;
    bool good;
  };
  const Case cases[] = {{"llama.cpp", 256, {}, true},
                        {"llama.cpp", 257, {}, false},
                        {"llama.cpp@b6000", 65, {}, false},
                        {"ollama", 300, {}, false},
                        {"vllm", 300, {}, true},
                        {"vllm", 9, 8, false},
                        {"sglang", 9, 8, false},
                        {"tensorrt-llm", 9, 8, false}};
  for (const Case& c : cases) {
    Request request;
    request.engine = *parse_engine(c.engine);
    request.card = card("H200", 139.7, "9.0");
    request.workload.context = 256;
    request.workload.concurrency = c.users;
    request.workload.max_num_seqs = c.admitted;
    const auto answer = size(catalogue("Qwen/Qwen3-8B"), request);
    ASSERT_TRUE(answer) << c.engine;
    EXPECT_EQ(answer->verdict != Verdict::does_not_fit, c.good) << c.engine << answer->reason;
  }
}

}  // namespace
}  // namespace steelyard::memory

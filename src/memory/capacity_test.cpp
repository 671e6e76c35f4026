// What the capacity says must agree with asking for it.
#include <gtest/gtest.h>

#include <cmath>

#include "memory/engines/engine.h"

namespace steelyard::memory {
namespace {

struct Where {
  const char* model;
  const char* weights;  // "" as published
  double usable_gib;
  const char* capability;
};

bool yes(const model::Model& model, const Request& request) {
  const auto answer = size(model, request);
  return answer && (answer->verdict == Verdict::fits || answer->verdict == Verdict::tight);
}

std::string described(const Request& r, const char* model, std::string_view what) {
  const Placement& p = r.placement;
  return std::string(engine_name(r.engine.kind)) + " " + model + " tp " + std::to_string(p.tp) +
         " pp " + std::to_string(p.pp) + " ep " + std::to_string(p.ep) + " dp " +
         std::to_string(p.dp) + " adp " + std::to_string(p.attention_dp) + " cp " +
         std::to_string(p.cp) + " dcp " + std::to_string(p.dcp) + " n " +
         std::to_string(r.workload.concurrency.value_or(0)) + " c " +
         std::to_string(r.workload.context.value_or(0)) + " of " +
         std::to_string(r.card->usable.value.as_gib()) + ": " + std::string(what);
}

// Asking for as many sequences as it holds is a yes, for one more a no; the same for the length.
void check(const model::Model& model, const char* name, const Request& request, int& judged) {
  const auto answer = size(model, request);
  if (!answer || !answer->refusal.empty()) return;
  const Capacity& room = answer->capacity;
  const std::uint64_t replicas =
      std::uint64_t{request.placement.dp} * request.placement.attention_dp;
  if (room.max_concurrency && *room.max_concurrency >= 1) {
    const auto most = static_cast<std::uint64_t>(*room.max_concurrency);
    if (request.workload.max_num_seqs) {
      EXPECT_LE(most, *request.workload.max_num_seqs) << described(request, name, "admitted");
    }
    Request other = request;
    other.workload.concurrency = most * replicas;
    EXPECT_TRUE(yes(model, other)) << described(other, name, "as many as the capacity says");
    // A default of the engine may be what binds; asking for more raises that.
    const bool by_default = std::floor(*room.max_concurrency) == *room.max_concurrency &&
                            !request.workload.max_num_seqs;
    if (!by_default || request.workload.max_num_seqs) {
      other.workload.concurrency = (most + 1) * replicas;
      EXPECT_FALSE(yes(model, other)) << described(other, name, "one sequence more");
    }
    ++judged;
  }
  if (room.max_context_tokens && *room.max_context_tokens >= 256) {
    const auto most = static_cast<std::uint64_t>(*room.max_context_tokens);
    Request other = request;
    other.workload.context = most;
    EXPECT_TRUE(yes(model, other)) << described(other, name, "as long as the capacity says");
    other.workload.context = most + 512;
    if (model.max_context > 0 && most < model.max_context && request.workload.concurrency) {
      EXPECT_FALSE(yes(model, other)) << described(other, name, "longer than the capacity says");
    }
    ++judged;
  }
}

TEST(Capacity, AgreesWithAskingForIt) {
  const Where places[] = {{"Qwen/Qwen3-8B", "", 39.4, "8.0"},
                          {"Qwen/Qwen3-30B-A3B", "fp8", 79.2, "9.0"},
                          {"google/gemma-3-12b-it", "", 47.5, "8.9"},
                          {"openai/gpt-oss-20b", "", 23.6, "8.9"},
                          {"Qwen/Qwen3.5-9B", "", 31.5, "12.0"},
                          {"deepseek-ai/DeepSeek-V2-Lite", "", 47.5, "8.9"}};
  std::vector<Placement> placements = {{},
                                       {.tp = 2},
                                       {.pp = 3},
                                       {.tp = 2, .pp = 2},
                                       {.tp = 4, .ep = 4},
                                       {.tp = 2, .dp = 2},
                                       {.tp = 4, .attention_dp = 2},
                                       {.dp = 4, .ep = 4},
                                       {.cp = 2},
                                       {.tp = 4, .dcp = 2}};
  int judged = 0;
  for (const Where& where : places) {
    auto published = model::catalogue_model(where.model);
    ASSERT_TRUE(published) << where.model;
    const model::Model model =
        *where.weights == 0 ? *published : *model::with_weights(*published, where.weights);
    for (const EngineRules& rules : engine_list()) {
      for (const Placement& placement : placements) {
        for (const std::uint64_t users : {1U, 8U, 64U}) {
          Request request;
          request.engine.kind = rules.kind;
          request.placement = placement;
          request.card = CardMemory{.name = "card",
                                    .usable = ByteFigure::exact(gib(where.usable_gib)),
                                    .compute_capability = where.capability,
                                    .count = placement.cards_per_replica() * placement.dp};
          request.workload.context = 4096;
          request.workload.concurrency = users;
          check(model, where.model, request, judged);
          const bool admits = rules.kind == EngineKind::vllm || rules.kind == EngineKind::sglang ||
                              rules.kind == EngineKind::tensorrt_llm;
          if (users != 8 || !admits) continue;
          request.workload.max_num_seqs = 8;
          check(model, where.model, request, judged);
        }
      }
    }
  }
  EXPECT_GT(judged, 500);
}

}  // namespace
}  // namespace steelyard::memory

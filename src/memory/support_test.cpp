#include "memory/support.h"

#include <gtest/gtest.h>

namespace steelyard::memory {
namespace {

CardMemory named(const facts::Catalogue& catalogue, const char* name) {
  const auto match = catalogue.find_card(name);
  EXPECT_FALSE(match.variants.empty()) << name;
  return match.variants.empty() ? CardMemory{} : card_memory(*match.variants.front());
}

Support support(const facts::Catalogue& catalogue, const char* engine, const char* card,
                const char* weights, const char* type = "") {
  auto model = model::catalogue_model("Qwen/Qwen3-8B");
  auto stored = model::with_weights(*model, weights);
  Request request;
  request.engine = *parse_engine(engine);
  request.card = named(catalogue, card);
  request.workload.dtype = type;
  return support_of(*stored, request);
}

// What each case must come to: '-' refused, '~' runs with a remark, '+' runs.
char verdict(const Support& s) {
  return !s.refusal.empty() ? '-' : s.notes.empty() ? '+' : '~';
}

TEST(Support, EnginesRunOnTheirHardware) {
  const auto catalogue = facts::Catalogue::embedded();
  ASSERT_TRUE(catalogue);
  struct Case {
    const char *engine, *card, *weights;
    char want;
  };
  const Case cases[] = {
      // engine by maker
      {"tensorrt-llm", "MI300X", "bf16", '-'},
      {"tensorrt-llm", "Apple M2 Ultra", "bf16", '-'},
      {"tensorrt-llm", "T4", "bf16", '-'},
      {"tensorrt-llm", "A100 80GB", "bf16", '+'},
      {"vllm", "MI300X", "bf16", '+'},
      {"vllm", "MI50", "bf16", '~'},
      {"vllm", "Ascend 910B3", "bf16", '~'},
      {"vllm", "Gaudi 3", "bf16", '~'},
      {"vllm", "Apple M2 Ultra", "bf16", '~'},
      {"sglang", "Apple M2 Ultra", "bf16", '-'},
      {"sglang", "Ascend 910B3", "bf16", '+'},
      {"llama.cpp", "TPU v5e", "q4_k_m", '-'},
      {"llama.cpp", "Gaudi 3", "q4_k_m", '-'},
      {"llama.cpp", "Ascend 910B3", "q4_k_m", '+'},
      {"llama.cpp", "Apple M2 Ultra", "q4_k_m", '+'},
      {"llama.cpp", "MTT S4000", "q4_k_m", '+'},
      {"ollama", "Ascend 910B3", "q4_k_m", '-'},
      {"transformers", "Ascend 910B3", "bf16", '~'},
      // engine by compute capability, and by version
      {"vllm", "Tesla P40", "fp16", '-'},
      {"vllm", "GTX 1080 Ti", "fp16", '-'},
      {"vllm@0.8.3", "Tesla P40", "fp16", '-'},
      {"vllm", "V100", "fp16", '-'},
      {"vllm@0.14", "V100", "fp16", '~'},  // the checkpoint is bfloat16
      {"vllm", "T4", "bf16", '~'},
      {"sglang", "T4", "bf16", '-'},
      {"sglang@0.4.6", "T4", "bf16", '~'},
      {"sglang", "A10", "bf16", '+'},
      {"llama.cpp", "Tesla P40", "q4_k_m", '+'},
      {"ollama", "GTX 1080 Ti", "q4_k_m", '+'},
      // formats
      {"vllm@0.14", "V100", "awq", '-'},
      {"vllm@0.14", "V100", "gptq", '~'},
      {"vllm@0.14", "T4", "awq", '~'},
      {"vllm", "A100 80GB", "awq", '+'},
      {"vllm", "A100 80GB", "fp8", '~'},
      {"vllm@0.14", "T4", "fp8", '-'},
      {"vllm", "H100", "fp8", '+'},
      {"vllm", "H100", "nvfp4", '~'},
      {"vllm", "B200", "nvfp4", '+'},
      {"vllm", "T4", "mxfp4", '-'},
      {"vllm", "A100 80GB", "mxfp4", '~'},
      {"vllm", "MI300X", "fp8", '+'},
      {"vllm", "MI250X", "fp8", '-'},
      {"vllm", "MI300X", "awq", '~'},
      {"sglang", "H100", "nvfp4", '-'},
      {"tensorrt-llm", "A100 80GB", "fp8", '-'},
      {"tensorrt-llm", "H100", "nvfp4", '-'},
      {"transformers", "A100 80GB", "fp8", '-'},
      {"vllm", "4090", "q4_k_m", '~'},
      {"tensorrt-llm", "4090", "q4_k_m", '-'},
      {"transformers", "4090", "q4_k_m", '-'},
  };
  for (const Case& c : cases) {
    const Support s = support(*catalogue, c.engine, c.card, c.weights);
    EXPECT_EQ(verdict(s), c.want) << c.engine << " on " << c.card << " with " << c.weights << ": "
                                  << s.refusal << (s.notes.empty() ? "" : s.notes.front());
  }
}

TEST(Support, BfloatOnOldCardsIsRefusedOrReplaced) {
  const auto catalogue = facts::Catalogue::embedded();
  ASSERT_TRUE(catalogue);
  EXPECT_FALSE(support(*catalogue, "vllm", "T4", "bf16", "bf16").refusal.empty());
  EXPECT_TRUE(support(*catalogue, "vllm", "T4", "bf16", "f16").notes.empty());
  EXPECT_TRUE(support(*catalogue, "vllm", "T4", "bf16").needs_half);
}

TEST(Support, RepackedWeightsAreNotExact) {
  const auto catalogue = facts::Catalogue::embedded();
  ASSERT_TRUE(catalogue);
  struct Case {
    const char *engine, *card, *weights;
    bool exact;
  };
  const Case cases[] = {{"vllm", "A100 80GB", "awq", false},  {"vllm", "A100 80GB", "bf16", true},
                        {"vllm", "A100 80GB", "fp8", false},  {"vllm", "H100", "fp8", true},
                        {"vllm", "H100", "mxfp4", false},     {"vllm", "H100", "nvfp4", false},
                        {"llama.cpp", "H100", "q4_k_m", true}};
  for (const Case& c : cases) {
    auto model = model::catalogue_model("Qwen/Qwen3-8B");
    auto stored = model::with_weights(*model, c.weights);
    Request request;
    request.engine = *parse_engine(c.engine);
    request.card = named(*catalogue, c.card);
    const auto answer = size(*stored, request);
    ASSERT_TRUE(answer);
    const ByteFigure& weights = answer->ranks.front().terms.front().bytes;
    EXPECT_EQ(weights.origin == Origin::exact, c.exact) << c.engine << c.card << c.weights;
    EXPECT_EQ(weights.low == weights.high, c.exact) << c.engine << c.card << c.weights;
  }
}

TEST(Support, NothingIsSaidOfACardThatCameAsASize) {
  Request request;
  request.engine = *parse_engine("tensorrt-llm");
  request.card = CardMemory{.name = "this card", .usable = ByteFigure::exact(gib(24))};
  EXPECT_TRUE(support_of(model::Model{}, request).refusal.empty());
}

TEST(Support, EveryPlatformOfTheCatalogueIsKnown) {
  const auto catalogue = facts::Catalogue::embedded();
  ASSERT_TRUE(catalogue);
  for (const facts::Accelerator& card : catalogue->accelerators()) {
    EXPECT_NE(platform_of(card_memory(card)), Platform::unknown) << card.name << card.vendor;
  }
}

// vllm#17569 (TP 8 of Qwen3-235B), vllm#25292 (TP 4 of Qwen3-30B), sglang#3345 (DeepSeek over 32).
TEST(SupportBlocks, CutOnlyWhereWholeBlocksComeOut) {
  struct Case {
    const char* model;
    const char* weights;  // "" as published
    Placement place;
    bool refused;
  };
  const Case cases[] = {
      {"Qwen/Qwen3-235B-A22B-FP8", "", {.tp = 8}, true},
      {"Qwen/Qwen3-235B-A22B-FP8", "", {.tp = 4}, false},
      {"Qwen/Qwen3-235B-A22B-FP8", "", {.tp = 8, .ep = 8}, false},
      {"Qwen/Qwen3-30B-A3B-FP8", "", {.tp = 4}, true},
      {"Qwen/Qwen3-30B-A3B-FP8", "", {.tp = 2}, false},
      {"deepseek-ai/DeepSeek-R1", "", {.tp = 8}, false},
      {"deepseek-ai/DeepSeek-R1", "", {.tp = 16}, false},
      {"deepseek-ai/DeepSeek-R1", "", {.tp = 32}, true},
      {"Qwen/Qwen3-30B-A3B", "", {.tp = 4}, false},
      {"Qwen/Qwen3-30B-A3B", "awq", {.tp = 4}, false},
  };
  for (const Case& c : cases) {
    auto model = model::catalogue_model(c.model);
    ASSERT_TRUE(model) << c.model;
    if (*c.weights != 0) *model = *model::with_weights(*model, c.weights);
    for (const EngineKind kind : {EngineKind::vllm, EngineKind::sglang, EngineKind::llama_cpp}) {
      Request request;
      request.engine.kind = kind;
      request.placement = c.place;
      EXPECT_EQ(!block_refusal(*model, request).empty(), c.refused && kind != EngineKind::llama_cpp)
          << c.model << " tp " << c.place.tp << " ep " << c.place.ep;
    }
  }
}

}  // namespace
}  // namespace steelyard::memory

// Figures out of published llama.cpp logs, and the parts the rules are made of.
#include <gtest/gtest.h>

#include "memory/engines/llama_cpp_cache.h"
#include "memory/engines/llama_cpp_graph.h"
#include "memory/engines/llama_cpp_heap.h"
#include "memory/engines/llama_cpp_layers.h"
#include "memory/engines/llama_cpp_placement.h"

namespace steelyard::memory::llama_cpp {
namespace {

struct Decoder {
  std::uint32_t layers, hidden, heads, kv_heads, head_dim, inner;
  std::uint64_t vocab;
};

model::Model decoder(const Decoder& d) {
  model::Model m;
  m.hidden = d.hidden;
  m.vocab = d.vocab;
  for (std::uint32_t i = 0; i < d.layers; ++i) {
    model::Layer l;
    l.attention = {.query_heads = d.heads,
                   .kv_heads = d.kv_heads,
                   .key_dim = d.head_dim,
                   .value_dim = d.head_dim};
    l.feed_forward.intermediate = d.inner;
    m.layers.push_back(l);
  }
  return m;
}

TEST(LlamaCppGraph, ReservesWhatLogsPrint) {
  const Decoder llama2_7b{32, 4096, 32, 32, 128, 11008, 32000};
  const Decoder llama2_13b{40, 5120, 40, 40, 128, 13824, 32000};
  const Decoder llama3_8b{32, 4096, 32, 8, 128, 14336, 128256};
  const Decoder llama3_70b{80, 8192, 64, 8, 128, 28672, 128256};
  const Decoder qwen2_7b{28, 3584, 28, 4, 128, 18944, 152064};
  struct Case {
    const char* name;
    Decoder model;
    std::uint64_t cells;
    bool flash;
    std::uint32_t cards;
    double mib;  // of the first card
  };
  const Case cases[] = {
      {"Llama-2-7B 2048", llama2_7b, 2048, false, 1, 164.0},
      {"Llama-2-7B 4096", llama2_7b, 4096, false, 1, 296.0},
      {"Llama-2-13B 40960", llama2_13b, 40960, false, 1, 3320.0},
      {"Llama-3-8B 8192", llama3_8b, 8192, false, 1, 560.0},
      {"Llama-3.1-8B 131072 flash", llama3_8b, 131072, true, 1, 416.0},
      {"Llama-3-70B 15360", llama3_70b, 15360, false, 1, 2014.0},
      {"Qwen2-7B 131072", qwen2_7b, 131072, false, 1, 7452.0},
      {"Llama-3-8B 8192 two cards", llama3_8b, 8192, false, 2, 640.01},
      {"Llama-3-70B 8192 two cards", llama3_70b, 8192, false, 2, 1216.01},
  };
  for (const Case& c : cases) {
    const auto m = decoder(c.model);
    // The logs are of builds before the middle of 2025.
    GraphSetup g{.cards = c.cards,
                 .cells = c.cells,
                 .flash = c.flash,
                 .fused_activation = false,
                 .half_masks = false,
                 .keeps_embedding_input = false,
                 .index_inputs = false,
                 .keys_last = false,
                 .copies = c.cards > 1 ? 4U : 1U};
    for (std::uint32_t i = 0; i < c.model.layers; ++i) {
      g.layer_device.push_back(i * c.cards / (c.model.layers + 1));
    }
    g.output_device = c.cards - 1;
    const auto bytes = compute_buffers(m, LayerWeights(m), g);
    ASSERT_EQ(bytes.size(), c.cards + 1) << c.name;
    EXPECT_NEAR(static_cast<double>(bytes[0]) / 1048576, c.mib, 0.02) << c.name;
  }
}

TEST(LlamaCppHeap, ReusesTheBestHoleAndMerges) {
  Heap heap;
  const auto a = heap.take(1000), b = heap.take(100), c = heap.take(300);
  EXPECT_EQ(a, 0U);
  EXPECT_EQ(b, 1024U);
  EXPECT_EQ(c, 1152U);
  heap.give(a, 1000);
  EXPECT_EQ(heap.take(2000), 1536U) << "the hole is too small";
  heap.give(b, 100);
  EXPECT_EQ(heap.take(1100), 0U) << "two holes became one";
  EXPECT_EQ(heap.peak(), 1536U + 2048U);
}

TEST(LlamaCppCache, CellsByBuildAndSequences) {
  auto m = decoder({2, 64, 4, 2, 16, 128, 1000});
  m.max_context = 131072;
  m.layers[1].mixer = model::Mixer::sliding;
  m.layers[1].attention.window = 1024;
  struct Case {
    const char* build;  // empty: newest
    std::optional<std::uint64_t> ctx_size, context, sequences;
    std::uint64_t cells, window_cells, streams;
  };
  const Case cases[] = {
      {"", 8192, {}, {}, 8192, 4608, 1},       // four slots share: 4 x 1024 + 512
      {"", 8192, {}, 4, 2048, 1536, 4},        // four told slots have their own
      {"", {}, 8000, 2, 8192, 1536, 2},        // padded to 256
      {"b5900", 8192, {}, 4, 8192, 4608, 1},   // before streams
      {"b4000", 8192, {}, 1, 8192, 8192, 1},   // before the second cache
      {"b4000", 8200, {}, 1, 8224, 8224, 1},   // 32 without flash attention
      {"b1700", {}, {}, {}, 512, 512, 1},      // the old default
      {"v0.4.0", 8192, {}, 4, 2048, 1536, 4},  // releases since 2026: newer than every build
  };
  for (const Case& c : cases) {
    Workload w{.context = c.context, .ctx_size = c.ctx_size, .concurrency = c.sequences};
    const auto version = *c.build == 0 ? std::nullopt : parse_version(c.build);
    const auto s = settings_of(m, w, build_of(version));
    ASSERT_TRUE(s.has_value()) << c.build;
    EXPECT_EQ(s->cells, c.cells) << c.build;
    EXPECT_EQ(s->window_cells, c.window_cells) << c.build;
    EXPECT_EQ(s->streams, c.streams) << c.build;
  }
}

TEST(LlamaCppCache, BytesByFormat) {
  // Llama-3.2-3B at 4096 cells: K of 28 layers in MiB.
  auto m = decoder({28, 3072, 24, 8, 128, 8192, 128256});
  const std::pair<const char*, double> cases[] = {
      {"f16", 224}, {"q8_0", 119}, {"q5_0", 77}, {"q4_1", 70}, {"q4_0", 63}};
  for (const auto& [format, mib] : cases) {
    Workload w{.ctx_size = 4096, .concurrency = 1, .kv_k = format, .kv_v = "f16"};
    const auto s = settings_of(m, w, build_of(std::nullopt));
    ASSERT_TRUE(s.has_value()) << format;
    double sum = 0;
    for (const auto& l : m.layers) {
      sum += layer_cache(l, *s, LatentCache::latent, build_of(std::nullopt)).keys.as_mib();
    }
    EXPECT_DOUBLE_EQ(sum, mib) << format;
  }
  for (const char* bad : {"fp8", "nf4", "q3_k", "", "awq "}) {
    Workload w{.ctx_size = 4096, .kv_k = bad};
    const auto s = settings_of(m, w, build_of(std::nullopt));
    EXPECT_EQ(s.has_value(), *bad == 0) << bad;
  }
}

// Real figures of v0.4.0 (tests/oracle): Llama 3.1 8B of four layers and 2,048 words, one sequence,
// on the processor, logits of all 512 tokens.
TEST(LlamaCppGraph, InputsOfNewerBuilds) {
  auto m = decoder({4, 4096, 32, 8, 128, 14336, 2048});
  m.max_context = 131072;
  struct Case {
    const char* build;
    Toggle flash;
    const char *keys, *values;
    double mib;
  };
  const Case cases[] = {{"v0.4.0", Toggle::on, "f16", "f16", 118.01},
                        {"v0.4.0", Toggle::on, "q8_0", "q8_0", 118.09},
                        {"v0.4.0", Toggle::off, "f16", "f16", 176.01},
                        {"v0.4.0", Toggle::off, "q8_0", "f16", 168.07}};
  for (const Case& c : cases) {
    Request r;
    r.engine = {.kind = EngineKind::llama_cpp, .version = parse_version(c.build)};
    r.workload = {.ctx_size = 2048, .concurrency = 1, .kv_k = c.keys, .kv_v = c.values};
    r.workload.flash_attention = c.flash;
    r.workload.gpu_layers = 0;
    r.workload.all_logits = true;
    const auto answer = size(m, r);
    ASSERT_TRUE(answer.has_value()) << c.keys;
    for (const Buffer& b : answer->buffers) {
      if (b.kind == "compute") {
        EXPECT_NEAR(b.bytes.value.as_mib(), c.mib, 0.006) << c.keys << c.values;
      }
    }
  }
}

// The first is a published log of Llama 3.3 70B over two RPC servers; since #18626 they keep four
// copies of what passes between them.
TEST(LlamaCppGraph, ServersOverRpcByBuild) {
  auto m = decoder({80, 8192, 64, 8, 128, 28672, 128256});
  m.max_context = 131072;
  double of_build[2] = {0, 0};
  for (const int newer : {0, 1}) {
    Request r;
    r.engine = {.kind = EngineKind::llama_cpp,
                .version = parse_version(newer == 1 ? "v0.5.0" : "b6209")};
    r.workload = {.ctx_size = 4096, .concurrency = 1};
    r.workload.flash_attention = Toggle::off;
    r.placement.pp = 2;
    r.card = CardMemory{.name = "RPC", .usable = ByteFigure::exact(gib(4096)), .count = 2};
    const auto answer = size(m, r);
    ASSERT_TRUE(answer.has_value());
    for (const Buffer& b : answer->buffers) {
      if (b.kind != "compute") continue;
      of_build[newer] = std::max(of_build[newer], b.bytes.value.as_mib());
    }
  }
  EXPECT_NEAR(of_build[0], 588.01, 0.006);
  EXPECT_GT(of_build[1], of_build[0]);
}

// v0.4.0 (tests/oracle): Mamba-2 2.7B has no mask, so nothing grows with the context.
TEST(LlamaCppGraph, StatesAloneHaveNoMask) {
  model::Model m;
  m.hidden = 2560;
  m.vocab = 50288;
  model::Layer l;
  l.mixer = model::Mixer::recurrent;
  l.recurrent = {.kind = model::RecurrentKind::mamba2,
                 .state_heads = 80,
                 .state_key_dim = 128,
                 .state_value_dim = 64,
                 .conv_channels = 5376,
                 .conv_kernel = 4,
                 .groups = 1};
  l.feed_forward.kind = model::FeedForwardKind::none;
  m.layers.assign(4, l);
  m.max_context = 1048576;
  for (const std::uint64_t context : {2048, 32768}) {
    Request r;
    r.engine = {.kind = EngineKind::llama_cpp, .version = parse_version("v0.4.0")};
    r.workload = {.ctx_size = context, .concurrency = 1};
    r.workload.gpu_layers = 0;
    r.workload.all_logits = true;
    const auto answer = size(m, r);
    ASSERT_TRUE(answer.has_value());
    for (const Buffer& b : answer->buffers) {
      if (b.kind == "compute") {
        EXPECT_NEAR(b.bytes.value.as_mib(), 113.22, 0.006) << context;
      }
    }
  }
}

TEST(LlamaCppCache, OneFormatForALatentCache) {
  auto m = decoder({2, 64, 4, 1, 16, 128, 1000});
  m.max_context = 4096;
  for (auto& l : m.layers) {
    l.mixer = model::Mixer::mla;
    l.attention.kv_lora_rank = 32;
    l.attention.rope_dim = 8;
  }
  for (const bool same : {true, false}) {
    Request r;
    r.engine.kind = EngineKind::llama_cpp;
    r.workload = {.ctx_size = 2048, .concurrency = 1, .kv_k = "q8_0"};
    r.workload.kv_v = same ? "q8_0" : "f16";
    const auto answer = size(m, r);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->refusal.empty(), same) << answer->refusal;
  }
}

TEST(LlamaCppLayout, SharesLayersAsLogsShow) {
  const auto m = decoder({32, 64, 4, 2, 16, 128, 1000});
  const auto count = [&](std::uint32_t cards, std::optional<std::int64_t> ngl) {
    Request r;
    r.placement.pp = cards;
    r.card = CardMemory{.name = "card", .count = cards};
    r.workload.gpu_layers = ngl;
    const auto layout = layout_of(m, r, build_of(parse_version("b2800")));
    std::vector<int> layers(cards + 1);
    for (const auto d : layout.layer_device) ++layers[d];
    return layers;
  };
  EXPECT_EQ(count(2, {}), (std::vector<int>{17, 15, 0}));
  EXPECT_EQ(count(8, {}), (std::vector<int>{5, 4, 4, 4, 4, 4, 4, 3, 0}));
  EXPECT_EQ(count(1, 20), (std::vector<int>{20, 12}));
  EXPECT_EQ(count(1, 0), (std::vector<int>{0, 32}));
}

}  // namespace
}  // namespace steelyard::memory::llama_cpp

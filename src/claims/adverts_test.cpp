// Adverts with a known truth, in both languages: the answer, the count, what is not read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "claims/claims.h"

namespace steelyard::claims {
namespace {

std::string_view word_of(Outcome outcome) {
  static constexpr std::string_view words[] = {"yes", "tight", "no", "open", "none"};
  return words[static_cast<std::size_t>(outcome)];
}

struct Known {
  const char* text;
  const char* outcome;
  std::uint32_t count = 1;
  const char* not_read = "";
};

const Known honest[] = {
    // Figures that a maker prints.
    {"A100 9.7 TFLOPS FP64", "tight"},
    {"A100 FP64 tensor core 19.5 TFLOPS", "tight"},
    {"A100 19.5 TFLOPS FP32", "tight"},
    {"A100 156 TF32", "yes"},
    {"A100 TF32 312 TFLOPS 稀疏", "tight"},
    {"A100 INT8 624 TOPS", "tight"},
    {"A100 1248 TOPS INT8 稀疏", "tight"},
    {"A100 INT4 1248 TOPS", "tight"},
    {"A100 FP16 78 TFLOPS", "tight"},
    {"RTX 4090 FP16 82.6 TFLOPS", "tight"},
    {"RTX 4090 FP64 1.29 TFLOPS", "tight"},
    {"H100 3.9 PFLOPS FP8", "tight"},
    {"H100 4 PFLOPS FP8 sparse", "tight"},
    {"H100 2 PFLOPS", "tight"},
    {"4090 1.3P", "tight"},
    {"RTX 4090 1321 AI TOPS", "tight"},
    {"RTX 5090 3352 AI TOPS", "tight"},
    {"RTX PRO 5000 Blackwell 2064 AI TOPS", "tight"},
    {"4090 165/330 TFLOPS", "tight"},
    {"4090 FP16 FP32累加 165T", "yes"},
    {"昇腾910B 320T", "tight"},
    {"H100 1979 万亿次", "tight"},
    {"RTX 4090 16384 CUDA cores", "yes"},
    {"A100 6912个CUDA核心 432 Tensor Cores", "yes"},
    {"4090 GDDR6X 384-bit 2520MHz 72MB L2", "yes"},
    {"4090 1008GB/s 450W PCIe 4.0 x16", "yes"},
    {"4090 显存 24 带宽 1008 TDP 450", "yes"},
    {"B200 7.7TB/s", "tight"},
    {"B200 192GB", "yes"},
    {"B200 180GB", "yes"},
    {"H100 NVL 94GB", "yes"},
    {"RTX PRO 6000 96G", "yes"},
    {"H100 81559MiB", "yes"},
    {"GH200 480GB", "tight"},
    {"DGX Spark 128GB 1 PFLOP FP4", "tight"},
    {"H20 500W", "tight"},
    {"H100 PCIe 5.0 128GB/s", "yes"},
    {"V100 32G SXM2 900GB/s 15.7 TFLOPS 7.8 TFLOPS FP64", "tight"},
    {"P40 24G 47 TOPS INT8 12 TFLOPS", "tight"},
    {"A100 FP64 9.7 TFLOPS FP32 19.5 TFLOPS", "tight"},
    {"T4 16G 8.1 TFLOPS FP32 130 TOPS INT8 260 TOPS INT4", "tight"},
    {"Rent 8x A100-SXM4-80GB, NVLink 600 GB/s, 2x EPYC 7763, 2TB RAM, $1.29/GPU/hr", "yes", 8},
    {"GB300 NVL72 1.1 EFLOPS FP4 dense", "tight", 72},
    {"L40S 48GB 733 TFLOPS FP8 1466 TFLOPS FP8 sparse", "tight"},
    {"H100 FP8 3958T INT8 3958TOPS", "tight"},
    {"H100 80G 3TB/s", "tight"},
    {"4090 24G 带宽 1TB/s", "yes"},
    {"20台8卡A800 总算力50P FP16", "tight", 8},
    // Boards rebuilt, used, shared.
    {"3080 20G", "tight"},
    {"3070 16G 魔改", "tight"},
    {"4090D 48G", "tight"},
    {"4090 48G 涡轮 魔改", "tight"},
    {"2080Ti 22G", "tight"},
    {"3090 24G 矿卡", "tight"},
    {"3090 24G 非矿", "yes"},
    {"A100 80G 拆机", "tight"},
    {"4090 24G 全新 公版", "yes"},
    {"A100 80G 独享 整卡", "yes"},
    {"A100 80G 共享", "tight"},
    {"A100 80G 非共享 不超卖", "yes"},
    {"A100 vGPU 切分 20G", "tight"},
    {"A100 MIG 1g.10gb", "tight"},
    {"A100 1g.5gb", "tight"},
    {"H200 3g.71gb", "tight"},
    {"4090 1/4卡", "tight"},
    {"A100 80G 1/4卡 20G", "tight"},
    {"半卡4090", "tight"},
    {"A10-8Q", "tight"},
    // Systems and counts.
    {"DGX H100 32 PFLOPS", "tight", 8},
    {"DGX A100 5 PFLOPS 640GB", "tight", 8},
    {"DGX H100 10.2kW", "tight", 8},
    {"HGX H200 8卡 1.1TB", "tight", 8},
    {"GB200 NVL72 1.4 ExaFLOPS AI", "tight", 72},
    {"GB200 NVL72 720 PFLOPS FP8", "tight", 72},
    {"8xH100", "none", 8},
    {"H100x8 80GB", "yes", 8},
    {"H100*8", "none", 8},
    {"8×H100", "none", 8},
    {"8 x H100", "none", 8},
    {"4xRTX4090 24GB", "yes", 4},
    {"H100 SXM5 8张", "none", 8},
    {"双卡4090", "none", 2},
    {"四卡 A100 80G", "yes", 4},
    {"单机八卡 H800 80G", "yes", 8},
    {"dual RTX 3090 24GB", "yes", 2},
    {"two H100s 80GB", "yes", 2},
    {"2台8卡H100 80G", "yes", 8},
    {"8卡H100 26.8TB/s", "tight", 8},
    // What is not of the card.
    {"4卡4090 24G 16核64G 2x EPYC 7742 内存512G 2T硬盘", "yes", 4},
    {"4090 24G 独享 ¥1.98/小时 7x24 99.9% SLA", "yes"},
    {"A100 80G CUDA 12.4 Ubuntu 22.04 驱动550.54.15", "yes"},
    {"8卡H100 80G 3.2T IB 2026年12月上线", "yes", 8},
    {"4090 24G E5-2680v4*2 1T SSD 100M带宽", "yes"},
};

const Known doubtful[] = {
    {"4090 660", "open", 1, "660"},
    {"4090 24G 660", "tight", 1, "660"},
    {"4090 AI TOPS", "open", 1, "TOPS"},
    {"4090 三百TFLOPS", "open", 1, "三百TFLOPS"},
    {"4090 1e999 TFLOPS", "open", 1, "1e999 TFLOPS"},
    {"4090 24G 70B", "tight", 1, "70B"},
    {"4090 24G 跑分 9000 points", "tight", 1, "9000 points"},
    {"1 EFLOPS FP8 H100", "open"},
    {"4090 24G，777，量大从优", "tight", 1, "777"},
    {"4090 24G 1.7倍", "tight", 1, "1.7"},
    {"4090 8888888888888888888888888888888888888888888888888888", "open", 1,
     "8888888888888888888888888888888888888888..."},
    {"4090 24G 7x faster", "tight", 1, "7x faster"},
    {"4090 24G CUDA 777", "tight", 1, "777"},
    {"3090 48G", "open"},
    {"5090 64G", "open"},
};

const Known false_claims[] = {
    {"4090 9999 AI TOPS", "no"},
    {"A100 INT8 1979 TOPS", "no"},
    {"H800 FP64 34 TFLOPS", "no"},
    {"4090 18000 CUDA cores", "no"},
    {"4090 1500GB/s", "no"},
    {"4090 2TB/s", "no"},
    {"L40S 733 TFLOPS FP8 733 TFLOPS FP16 dense", "no"},
    {"4090 512-bit", "no"},
    {"4090 HBM3", "no"},
    {"4090 900W", "no"},
    {"A100 1g.7gb", "no"},
    {"A10-48Q", "no"},
    {"4090 1g.6gb", "no"},
    {"DGX H100 320 PFLOPS", "no", 8},
    {"8卡H100 1TB显存", "no", 8},
    {"RTX 4090 FP16 FP32累加 330 TFLOPS 稠密", "no"},
    {"3090 NVLink 4", "no"},
    {"A800 80G NVLink 33 PF", "no"},
    {"A100 FP64 19.5 TFLOPS FP32 312 TFLOPS", "no"},
};

void expect_all(std::span<const Known> table) {
  static const auto catalogue = facts::Catalogue::embedded();
  for (const Known& known : table) {
    const auto claim = read_claim(*catalogue, known.text);
    ASSERT_TRUE(claim) << known.text << describe(claim.error());
    EXPECT_EQ(word_of(claim->outcome()), known.outcome) << known.text;
    EXPECT_EQ(claim->count, known.count) << known.text;
    std::string left;
    for (const NotRead& one : claim->not_read) left += (left.empty() ? "" : "; ") + one.text;
    EXPECT_EQ(left, known.not_read) << known.text;
  }
}

TEST(Adverts, HonestOnesAreNotAccused) {
  expect_all(honest);
}
TEST(Adverts, WhatIsNotReadIsNamedAndNeverAYes) {
  expect_all(doubtful);
}
TEST(Adverts, FalseOnesAreRefused) {
  expect_all(false_claims);
}

TEST(Adverts, CountsAndFiguresOfZeroOrBelowAreErrorsWithTheirPlace) {
  static const auto catalogue = facts::Catalogue::embedded();
  struct Case {
    const char* text;
    const char* what;
    const char* where;
  };
  for (const Case& c :
       {Case{"-8 x H100", "'-8' is a count below zero", "--claim, character 1"},
        Case{"0卡H100", "'0' is a count of zero", "--claim, character 1"},
        Case{"H100 x0", "'0' is a count of zero", "--claim, character 7"},
        Case{"昇腾910B 0 TFLOPS", "'0 TFLOPS' is a figure of zero", "--claim, character 8"},
        Case{"4090 -330 TFLOPS", "'-330 TFLOPS' is a figure below zero", "--claim, character 6"}}) {
    const auto claim = read_claim(*catalogue, c.text);
    ASSERT_FALSE(claim) << c.text;
    EXPECT_EQ(claim.error().kind, ErrorKind::usage) << c.text;
    EXPECT_EQ(claim.error().what, c.what) << c.text;
    EXPECT_EQ(claim.error().field, c.where) << c.text;
  }
}

}  // namespace
}  // namespace steelyard::claims

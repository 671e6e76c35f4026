// Adverts with a known truth, in both languages: the answer, the count, what is not read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <regex>

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
    {"B200 192GB", "tight"},
    {"8xB200 1.5TB", "tight", 8},
    {"GB200 192GB", "tight"},
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
    // A word of the network or the host takes its own figure and no other.
    {"8卡H100 80G 3.2T IB 1979TFLOPS", "tight", 8},
    {"8x H100 SXM 80GB NVLink 3.2Tbps InfiniBand 1979 TFLOPS FP16", "tight", 8},
    {"H100 200Gbps RoCE 1979 TFLOPS", "tight"},
    {"H100 IB 1979T", "tight"},
    {"H100 80G IB 3.2T", "yes"},
    {"H100 80G 3.2TIB ConnectX-7 400G", "yes"},
    {"H100 显存 80GiB IB 200G", "yes"},
    {"H100 80G 8x400G IB", "yes"},
    {"A100 80GB IB 2039GB/s", "yes"},
    {"H100 80GB NVLink 900GB/s 400Gb/s InfiniBand", "yes"},
    {"8卡H100 IB 8 GPUs 1979 TFLOPS", "tight", 8},
    {"8卡H100 双路CPU 1979TFLOPS", "tight", 8},
    {"8卡H100 内存2T 1979TFLOPS", "tight", 8},
    {"8 GPUs 80 GB H100", "yes", 8},
    {"4卡4090 显存24G 内存120G 1T SSD 3.2T IB", "yes", 4},
    {"8卡A100 512G DDR5 4800MHz 40G网卡", "none", 8},
    {"H100 80G SSD 1979T", "tight"},
    {"4090 24G 内存 330T", "tight"},
    {"4090 24G 64G内存330TFLOPS", "tight"},
    {"4090 24G 存储100T", "yes"},
    {"P100 NVLink 732GB/s", "tight"},
    {"P100 SXM2 NVLink", "yes"},
    {"H100 PCIe 80GB NVLink 2TB/s", "yes"},
    {"H20 NVLink 4 TB/s", "yes"},
    {"H100 80G 带宽 3.35T", "yes"},
    {"H200 141G NVLink 900GB/s 4.8T带宽", "yes"},
    {"A100 NVLink 600G 80G显存", "yes"},
    {"A100 SXM NVLink 80G", "yes"},
    {"8卡A100 NVLink 640G", "tight", 8},
    {"H100 80G NVLink 900G IB 400G", "yes"},
    {"TITAN RTX 24GB NVLink 2", "yes"},
    // The memory's bandwidth beside the word NVLink.
    {"A100 80G SXM NVLink 2039GB/s", "yes"},
    {"H200 141GB NVLink 4.8TB/s", "yes"},
    {"H100 SXM 80GB 3.35TB/s NVLink", "yes"},
    {"H20 96GB 148TFLOPS 4TB/s NVLink 900GB/s", "tight"},
    {"RTX 3090 24GB NVLink 936GB/s 142 TFLOPS", "tight"},
    {"A100 80G NVLink带宽 2039GB/s", "tight"},
    {"H100 NVLink: 3.35TB/s", "tight"},
    // Cards of one name: rebuilt, or several together, or another variant.
    {"2x RTX 4090 48GB total", "tight", 2},
    {"双卡4090 48G", "tight", 2},
    {"RTX 4090 24GB 2x, 48GB", "tight", 2},
    {"H20 8卡 141GB HBM3e", "yes", 8},
    {"A100 40GB HBM2e", "tight"},
    {"T4 不支持BF16 65 TFLOPS FP16", "yes"},
    {"T4 and A100 BF16 312 TFLOPS", "yes"},
    // A decimal comma; DP and SP; a whole number of a maker's sheet.
    {"4090 24gb 82,58 TFLOPS", "tight"},
    {"4090 24GB 82,6 TFLOPS", "tight"},
    {"H100 3,35 TB/s", "yes"},
    {"H100 DP 34 TFLOPS", "tight"},
    {"H100 34 TFLOPS DP", "tight"},
    {"H100 DP 34 TFLOPS SP 67 TFLOPS", "tight"},
    {"4090 24GB DP 1.4 HDMI 2.1", "yes"},
    // The host's words behind its figure.
    {"4090 24GB 512GB RAM", "yes"},
    {"4090 24GB 64GB host memory", "yes"},
    {"4090 24GB 100GB disk", "yes"},
    {"4090 24GB 64GB of system RAM", "yes"},
    {"4090 24GB 500GB local disk", "yes"},
    {"RTX 4090 24GB RAM", "yes"},
    {"RTX 5090 32GB 64GB DDR5 RAM 2TB NVMe SSD", "yes"},
    {"A100 80GB 40GB disk", "yes"},
    // Words against each other; parts of a card.
    {"A100 80GB PCIe SXM", "tight"},
    {"A100 80GB SXM4 PCIe 4.0", "yes"},
    {"H100 80GB SXM PCIe交换机", "yes"},
    {"8x H100 SXM5 80GB, PCIe Gen5, NVSwitch", "yes", 8},
    {"A100 80G MIG 独享 整卡", "tight"},
    {"A100 80G 整卡 支持MIG", "yes"},
    {"1/7 A100 80GB", "tight"},
    {"3/8 H200", "tight"},
    {"A100 80GB 1/7", "tight"},
    {"4090 24GB 24/7", "yes"},
    {"4090 24GB Ada 架构", "yes"},
    {"4090 24GB faster than Ampere", "yes"},
    {"RTX PRO 6000 Blackwell 96GB", "yes"},
    {"MI300X CDNA3 192GB", "yes"},
    {"4090 24GB CUDA 8.9", "yes"},
    {"4090 24GB CUDA 12.4.1", "yes"},
    {"4090 24GB compute capability 8.9", "yes"},
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
    {"H100 FP8 2x, FP16 989 TFLOPS", "tight", 1, "2x"},
    {"4090 24G 7x faster", "tight", 1, "7x faster"},
    {"4090 24G CUDA 777", "tight", 1, "777"},
    {"4090 24GB CUDA 9.9", "tight", 1, "9.9"},
    {"4090 24GB compute capability 9.0", "tight", 1, "9.0"},
    {"3090 48G", "open"},
    {"TITAN RTX NVLink 100GB/s", "open"},
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
    {"8卡H100 80G 3.2T IB 2979TFLOPS FP16", "no", 8},
    {"A100 80G IB 3350GB/s", "no"},
    {"A100 80G NVLink 3350GB/s", "no"},
    {"H800 NVLink 900GB/s", "no"},
    {"H800 80G NVLink 900G", "no"},
    {"A800 80G NVLink带宽 600GB/s", "no"},
    {"RTX 4090 24GB NVLink 2x, 48GB unified VRAM", "no", 2},
    {"H20 96G 8卡整机 141GB HBM3e", "no", 8},
    {"T4 65 TFLOPS bf16", "no"},
    {"V100 BF16 125 TFLOPS", "no"},
    {"V100 TF32 62 TFLOPS", "no"},
    {"H100 80GB 335 GB/s", "no"},
    {"H100 80GB 100 GB/s", "no"},
    {"4090 24GB 504 GB/s", "no"},
    {"4090 24GB 1792 GB/s", "no"},
    {"A100 80 GB/s", "no"},
    {"H100 80GB 335 TFLOPS", "no"},
    {"4090 24GB 512GB", "no"},
    {"H100 DP 36 TFLOPS", "no"},
    {"4090 24gb 85,58 TFLOPS", "no"},
    {"4090 24GB Hopper 架构", "no"},
    {"A100 80GB 霍珀架构", "no"},
    {"A100 80GB Blackwell", "no"},
    {"MI300X CDNA2", "no"},
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

// The numbers of a text that have a card's unit behind them, without their commas.
std::vector<std::string> figures_of(const std::string& text) {
  static const std::regex figure(
      R"((\d[\d.,]*) ?(?:tflops|tops|pflops|[gt]b/s|gbps|[gt]b|gib|g|t|w|kw)(?![a-z0-9]))");
  const std::string lowered = lower(text);
  std::vector<std::string> found;
  for (std::sregex_iterator match(lowered.begin(), lowered.end(), figure), none; match != none;
       ++match) {
    const auto at = static_cast<std::size_t>(match->position());
    const char before = at > 0 ? lowered[at - 1] : ' ';
    if (std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '.') {
      found.push_back((*match)[1].str());
    }
  }
  return found;
}

// What the answer says of any figure: read, wrong, not of the card, or not read.
std::string answer_of(const Claim& claim) {
  std::string all;
  for (const Reading& r : claim.readings) all += r.figure + "\n";
  for (const Unread& u : claim.unread) all += u.figure + "\n";
  for (const NotRead& n : claim.not_read) all += n.text + "\n";
  for (const std::string& one : claim.aside) all += one + "\n";
  return all;
}

// "35" does not stand in "335".
bool stands_in(const std::string& all, const std::string& figure) {
  for (std::size_t at = all.find(figure); at != std::string::npos; at = all.find(figure, at + 1)) {
    const auto digit = [&](std::size_t i) {
      return i < all.size() && std::isdigit(static_cast<unsigned char>(all[i])) != 0;
    };
    if (!(at > 0 && digit(at - 1)) && !digit(at + figure.size())) return true;
  }
  return false;
}

TEST(Adverts, NoFigureOfATextIsAbsentFromTheAnswer) {
  static const auto catalogue = facts::Catalogue::embedded();
  const auto expect_present = [&](const std::string& text) {
    const auto claim = read_claim(*catalogue, text);
    ASSERT_TRUE(claim) << text;
    const std::string answer = answer_of(*claim);
    for (std::string figure : figures_of(text)) {
      const bool there = stands_in(answer, figure);
      // A decimal comma is shown as a point.
      std::ranges::replace(figure, ',', '.');
      EXPECT_TRUE(there || stands_in(answer, figure)) << text << ": " << figure << " not in\n"
                                                      << answer;
    }
  };
  for (const std::span<const Known> table :
       {std::span<const Known>(honest), std::span<const Known>(doubtful),
        std::span<const Known>(false_claims)}) {
    for (const Known& known : table) expect_present(known.text);
  }
  for (const char* card : {"H100 80GB", "4090", "A100"}) {
    for (const int value : {1, 40, 51, 100, 335, 1792}) {
      for (const char* unit : {"GB/s", "TB/s", "GB", "G", "TFLOPS", "TOPS", "T", "W"}) {
        expect_present(fmt::format("{} {} {}", card, value, unit));
        expect_present(fmt::format("{} {}{}", card, value, unit));
      }
    }
  }
}

// What is said of a figure, not only whether it holds: words that must stand in the claim's lines.
struct Said {
  const char* text;
  const char* words;
};

const Said reasons[] = {
    {"B200 192GB", "192 GB (boards are sold with 180 GB, 178.4 GiB"},
    {"RTX 4090 24GB NVLink 2x, 48GB unified VRAM",
     "2 x memory of the GeForce RTX 4090, sold as 24"},
    {"RTX 4090 24GB NVLink 2x, 48GB unified VRAM",
     "memory of the GeForce RTX 4090 48GB, sold as 4"},
    {"2x RTX 4090 48GB total", "2 x memory of the GeForce RTX 4090, sold as 24 GB"},
    {"2x RTX 4090 48GB total", "memory of the GeForce RTX 4090 48GB, sold as 48 GB"},
    {"RTX 4090 24GB 48GB", "memory of the GeForce RTX 4090 48GB, sold as 48 GB (a rebuilt board"},
    {"H20 96G 8卡整机 141GB HBM3e", "memory of the H20 141GB: HBM3e (the H20 96GB has HBM3"},
    {"H20 96G 8卡整机 141GB HBM3e", "141GB (the H20 96GB is sold with 96 GB; the H20 141GB has"},
    {"H20 96G HBM3e", "memory of the H20 141GB: HBM3e (the H20 96GB has HBM3"},
    {"H800 NVLink 900GB/s", "900GB/s (the link between cards of the H800 SXM5 80GB is cut to 400"},
    {"A800 NVLink 600GB/s", "600GB/s (the link between cards of the A800 SXM4 80GB is cut to 400"},
    {"H800 80G NVLink 900G", "900G (the link between cards of the H800 SXM5 80GB is cut to 400"},
    {"RTX 4090 NVLink 900GB/s", "900GB/s (the GeForce RTX 4090 has no such link"},
    {"A100 NVLink带宽 2039GB/s", "2,039 GB/s (not the link's: that has 600 GB/s"},
    {"T4 65 TFLOPS bf16", "BF16 (the Tesla T4 has no BF16 units"},
    {"V100 BF16 125 TFLOPS", "BF16 (the Tesla V100 SXM2 16GB has no BF16 units"},
};

TEST(Adverts, ReasonsNameTheLikelyMeaning) {
  static const auto catalogue = facts::Catalogue::embedded();
  for (const Said& said : reasons) {
    const auto claim = read_claim(*catalogue, said.text);
    ASSERT_TRUE(claim) << said.text << describe(claim.error());
    std::string all;
    for (const Reading& r : claim->readings) {
      if (r.plausible) all += fmt::format("{} ({})\n", r.meaning, r.because);
    }
    for (const Unread& u : claim->unread) all += fmt::format("{} ({})\n", u.figure, u.because);
    EXPECT_TRUE(all.contains(said.words)) << said.text << ": " << said.words << " not in\n" << all;
  }
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

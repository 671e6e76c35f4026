#include <gtest/gtest.h>

#include <algorithm>

#include "facts/facts.h"

namespace steelyard::facts {
namespace {

const Catalogue& catalogue() {
  static const Catalogue result = Catalogue::embedded().value();
  return result;
}

struct Case {
  const char* text;
  const char* first;     // canonical name of the first variant
  bool assumed = false;  // several variants fit
};

// Written as people, drivers, clouds and bug reports write them.
constexpr Case good[] = {
    {"RTX 4090", "GeForce RTX 4090"},
    {"NVIDIA GeForce RTX 4090", "GeForce RTX 4090"},
    {"4090", "GeForce RTX 4090"},
    {"rtx4090", "GeForce RTX 4090"},
    {"RTX_4090", "GeForce RTX 4090"},
    {"rtx-4090", "GeForce RTX 4090"},
    {"GeForce RTX 4090 24GB", "GeForce RTX 4090"},
    {"4090 24G", "GeForce RTX 4090"},
    {"4090 24GB * 8", "GeForce RTX 4090"},
    {"8x 4090", "GeForce RTX 4090"},
    {"8*RTX4090", "GeForce RTX 4090"},
    {"4090 x4", "GeForce RTX 4090"},
    {"NVIDIA GeForce RTX 4090 (x1 in host)", "GeForce RTX 4090"},
    {"NVIDIA GeForce RTX 4090 24564MiB", "GeForce RTX 4090"},
    {"４０９０", "GeForce RTX 4090"},
    {"ＲＴＸ　４０９０", "GeForce RTX 4090"},
    {"英伟达 RTX 4090 显卡", "GeForce RTX 4090"},
    {"4090单卡", "GeForce RTX 4090"},
    {"8卡 4090", "GeForce RTX 4090"},
    {"4090 48G", "GeForce RTX 4090 48GB"},
    {"RTX 4090 48GB", "GeForce RTX 4090 48GB"},
    {"409048g", "GeForce RTX 4090 48GB"},
    {"魔改4090 48G", "GeForce RTX 4090 48GB"},
    {"魔改4090", "GeForce RTX 4090 48GB"},
    {"4090 modded", "GeForce RTX 4090 48GB"},
    {"GeForce RTX 4090 48GB (aftermarket memory mod)", "GeForce RTX 4090 48GB"},
    {"4090D", "GeForce RTX 4090 D"},
    {"RTX 4090 D", "GeForce RTX 4090 D"},
    {"NVIDIA GeForce RTX 4090 D", "GeForce RTX 4090 D"},
    {"rtx4090d 24g", "GeForce RTX 4090 D"},
    {"3090", "GeForce RTX 3090"},
    {"NVIDIA GeForce RTX 3090 (x3 in host)", "GeForce RTX 3090"},
    {"3090 (guessed from issue text)", "GeForce RTX 3090"},
    {"3090 24GB * 2", "GeForce RTX 3090"},
    {"RTX 3090 Ti", "GeForce RTX 3090 Ti"},
    {"3090ti", "GeForce RTX 3090 Ti"},
    {"5090", "GeForce RTX 5090"},
    {"RTX 5090 32GB", "GeForce RTX 5090"},
    {"RTX 5090 D", "GeForce RTX 5090 D"},
    {"5080", "GeForce RTX 5080"},
    {"RTX 5070 Ti", "GeForce RTX 5070 Ti"},
    {"4080 16GB", "GeForce RTX 4080"},
    {"4080 SUPER", "GeForce RTX 4080 SUPER"},
    {"RTX 4080S", "GeForce RTX 4080 SUPER"},
    {"RTX 4080 SUPER-32G", "GeForce RTX 4080 SUPER 32GB"},
    {"4080 32G", "GeForce RTX 4080 SUPER 32GB"},
    {"RTX 4070 Ti SUPER", "GeForce RTX 4070 Ti SUPER"},
    {"4060 Ti 16GB", "GeForce RTX 4060 Ti 16GB"},
    {"3080 10GB", "GeForce RTX 3080 10GB"},
    {"NVIDIA GeForce RTX 3080", "GeForce RTX 3080 10GB", true},
    {"3080 12GB", "GeForce RTX 3080 12GB"},
    {"3080 Ti 12GB", "GeForce RTX 3080 Ti"},
    {"3070 8GB", "GeForce RTX 3070"},
    {"NVIDIA GeForce RTX 3060 Ti", "GeForce RTX 3060 Ti"},
    {"4070 Ti 12GB", "GeForce RTX 4070 Ti"},
    {"RTX 4060 8GB", "GeForce RTX 4060"},
    {"NVIDIA GeForce RTX 4060 Ti", "GeForce RTX 4060 Ti 8GB", true},
    {"5070", "GeForce RTX 5070"},
    {"NVIDIA TITAN RTX", "TITAN RTX"},
    {"2080Ti", "GeForce RTX 2080 Ti"},
    {"RTX 2080 Ti 22GB", "GeForce RTX 2080 Ti 22GB"},
    {"2080Ti-22G", "GeForce RTX 2080 Ti 22GB"},
    {"1080ti", "GeForce GTX 1080 Ti"},
    {"RTX A6000", "RTX A6000"},
    {"NVIDIA RTX A6000", "RTX A6000"},
    {"A6000 48G", "RTX A6000"},
    {"RTX A6000 48GB * 4", "RTX A6000"},
    {"A6000 44.55GiB", "RTX A6000"},
    {"RTX 6000 Ada", "RTX 6000 Ada"},
    {"NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada"},
    {"RTX 6000 Ada 48GB", "RTX 6000 Ada"},
    {"6000ada", "RTX 6000 Ada"},
    {"RTX 5000 Ada 32GB", "RTX 5000 Ada"},
    {"RTX 4000 Ada 20GB * 4", "RTX 4000 Ada"},
    {"RTX PRO 6000", "RTX PRO 6000 Blackwell Workstation Edition", true},
    {"RTX PRO 6000 96GB", "RTX PRO 6000 Blackwell Workstation Edition", true},
    {"RTX PRO 6000 95.6GiB", "RTX PRO 6000 Blackwell Workstation Edition", true},
    {"RTX PRO 6000 Blackwell 96GB", "RTX PRO 6000 Blackwell Workstation Edition", true},
    {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000 Blackwell Server Edition"},
    {"RTX PRO 6000 Max-Q", "RTX PRO 6000 Blackwell Max-Q"},
    {"RTX PRO 5000 72GB", "RTX PRO 5000 Blackwell 72GB"},
    {"Tesla T4", "Tesla T4"},
    {"T4", "Tesla T4"},
    {"teslat4", "Tesla T4"},
    {"Tesla T4 (x2 in host)", "Tesla T4"},
    {"T4 16GB", "Tesla T4"},
    {"P40", "Tesla P40"},
    {"V100", "Tesla V100 SXM2 16GB", true},
    {"V100-32GB", "Tesla V100 SXM2 32GB", true},
    {"Tesla V100-SXM2-32GB (x8 in host)", "Tesla V100 SXM2 32GB"},
    {"Tesla V100-PCIE-16GB", "Tesla V100 PCIe 16GB"},
    {"A10", "A10"},
    {"A10 24G", "A10"},
    {"NVIDIA A10", "A10"},
    {"A10G", "A10G"},
    {"NVIDIA A10G (x1 in host)", "A10G"},
    {"A10G-24GB", "A10G"},
    {"AWS g5", "A10G"},
    {"A40-48GB", "A40"},
    {"A40", "A40"},
    {"A30", "A30"},
    {"L4", "L4"},
    {"L4-24GB class", "L4"},
    {"NVIDIA L4 (x2 in host)", "L4"},
    {"L20", "L20"},
    {"L40", "L40"},
    {"L40S", "L40S"},
    {"L40S-48GB", "L40S"},
    {"L40S 48GB * 4", "L40S"},
    {"l40s pcie", "L40S"},
    {"A100", "A100 SXM4 80GB", true},
    {"A100 (guessed from issue text)", "A100 SXM4 80GB", true},
    {"A100 80GB", "A100 SXM4 80GB", true},
    {"A100-80G", "A100 SXM4 80GB", true},
    {"a10080g", "A100 SXM4 80GB", true},
    {"a100 80g sxm", "A100 SXM4 80GB"},
    {"NVIDIA A100-SXM4-80GB", "A100 SXM4 80GB"},
    {"NVIDIA A100-SXM4-80GB (x4 in host)", "A100 SXM4 80GB"},
    {"a100sxm480gb", "A100 SXM4 80GB"},
    {"A100 SXM 80GB * 4", "A100 SXM4 80GB"},
    {"A100 (80GB SXM)", "A100 SXM4 80GB"},
    {"A100 40GB", "A100 SXM4 40GB", true},
    {"A100-40GB", "A100 SXM4 40GB", true},
    {"A100 40GB HBM2e", "A100 SXM4 40GB", true},
    {"NVIDIA A100-PCIE-40GB", "A100 PCIe 40GB"},
    {"NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"},
    {"A100 PCIe 80GB * 4", "A100 PCIe 80GB"},
    {"GCP a2-highgpu", "A100 SXM4 40GB"},
    {"A800", "A800 SXM4 80GB", true},
    {"NVIDIA A800-SXM4-80GB (x1 in host)", "A800 SXM4 80GB"},
    {"NVIDIA A800 80GB PCIe", "A800 PCIe 80GB"},
    {"H100", "H100 SXM5 80GB", true},
    {"NVIDIA H100", "H100 SXM5 80GB", true},
    {"H100-80GB", "H100 SXM5 80GB", true},
    {"NVIDIA H100 80GB HBM3", "H100 SXM5 80GB"},
    {"NVIDIA H100 80GB HBM3 (x8 in host)", "H100 SXM5 80GB"},
    {"H100 SXM", "H100 SXM5 80GB"},
    {"h100sxm5", "H100 SXM5 80GB"},
    {"NVIDIA H100 Tensor Core GPU 80GB SXM5", "H100 SXM5 80GB"},
    {"NVIDIA H100 PCIe", "H100 PCIe 80GB"},
    {"H100 PCIe 80GB", "H100 PCIe 80GB"},
    {"H100 NVL", "H100 NVL 94GB"},
    {"NVIDIA H100 NVL (x4 in host)", "H100 NVL 94GB"},
    {"H100 94GB", "H100 NVL 94GB"},
    {"H100-96GB-HBM2e", "H100 SXM5 96GB"},
    {"H800", "H800 SXM5 80GB", true},
    {"H800 PCIe", "H800 PCIe 80GB"},
    {"H20", "H20 96GB", true},
    {"NVIDIA H20", "H20 96GB"},
    {"NVIDIA H20 (x8 in host)", "H20 96GB", true},
    {"H20-96GB", "H20 96GB"},
    {"H20 141GB", "H20 141GB"},
    {"NVIDIA H20-3e", "H20 141GB"},
    {"H200", "H200 SXM 141GB", true},
    {"H200-141GB", "H200 SXM 141GB", true},
    {"H200-141GB (inferred from total)", "H200 SXM 141GB", true},
    {"NVIDIA H200 (x1 in host)", "H200 SXM 141GB", true},
    {"NVIDIA H200", "H200 SXM 141GB"},
    {"H200 NVL", "H200 NVL 141GB"},
    {"NVIDIA GH200 480GB", "GH200 96GB"},
    {"GH200", "GH200 96GB", true},
    {"B200", "B200 SXM"},
    {"NVIDIA B200", "B200 SXM"},
    {"B200 192GB", "B200 SXM"},
    {"B200 180GB", "B200 SXM"},
    {"GB200", "GB200"},
    {"GB200 NVL72", "GB200"},
    {"B300", "B300 SXM"},
    {"GB300 276.62GiB", "GB300"},
    {"GB10", "GB10"},
    {"GB10 121.63GiB", "GB10"},
    {"DGX Spark", "GB10"},
    {"Jetson AGX Orin 64GB", "Jetson AGX Orin 64GB"},
    {"Jetson AGX Orin", "Jetson AGX Orin 64GB"},
    {"Jetson Thor", "Jetson AGX Thor"},
    {"MI300X", "Instinct MI300X"},
    {"MI300X-192GB (inferred from total)", "Instinct MI300X"},
    {"AMD Instinct MI300X OAM", "Instinct MI300X"},
    {"MI325X", "Instinct MI325X"},
    {"AMD Radeon RX 7900 XTX", "Radeon RX 7900 XTX"},
    {"7900xtx", "Radeon RX 7900 XTX"},
    {"Radeon AI PRO R9700", "Radeon AI PRO R9700"},
    {"Strix Halo", "Ryzen AI Max+ 395"},
    {"910B", "Ascend 910B3", true},
    {"昇腾910B", "Ascend 910B3", true},
    {"华为昇腾 910B3", "Ascend 910B3"},
    {"Ascend910B2", "Ascend 910B2"},
    {"Ascend 910B4", "Ascend 910B4"},
    {"910B 32GB", "Ascend 910B4"},
    {"910C", "Ascend 910C"},
    {"Gaudi 3", "Gaudi 3"},
    {"Apple M2 Ultra 192GB", "Apple M2 Ultra 192GB"},
    {"M4 Max 128GB", "Apple M4 Max (40-core GPU) 128GB"},
    {"MTT S4000", "Moore Threads MTT S4000"},
    {"nvidia-a100-sxm4-80gb", "A100 SXM4 80GB"},
    {"RTX6000Ada", "RTX 6000 Ada"},
    {"A6000 Ada", "RTX 6000 Ada"},
    {"NVIDIA RTX A6000 Ada", "RTX 6000 Ada"},
    {"L40S 48G", "L40S"},
    {"H20-3e", "H20 141GB"},
    {"4090D", "GeForce RTX 4090 D"},
    {"4090D 48G", "GeForce RTX 4090 D 48GB"},
    {"5090D", "GeForce RTX 5090 D"},
    {"910B2", "Ascend 910B2"},
    {"RTX 4090 Laptop GPU", "GeForce RTX 4090 Laptop GPU"},
    {"NVIDIA GeForce RTX 3070 Laptop GPU (x1 in host)", "GeForce RTX 3070 Laptop GPU"},
    {"RTX 3070 Laptop", "GeForce RTX 3070 Laptop GPU"},
    {"4090笔记本", "GeForce RTX 4090 Laptop GPU"},
    {"RTX 4060 Mobile", "GeForce RTX 4060 Laptop GPU"},
    {"4060m", "GeForce RTX 4060 Laptop GPU"},
    {"RTX 5090 notebook", "GeForce RTX 5090 Laptop GPU"},
    {"RTX 3080 Laptop", "GeForce RTX 3080 Laptop GPU 8GB", true},
    {"RTX 3080 Laptop 16GB", "GeForce RTX 3080 Laptop GPU 16GB"},
    {"3080", "GeForce RTX 3080 10GB", true},
    {"Quadro RTX 8000", "Quadro RTX 8000"},
    {"RTX 8000", "Quadro RTX 8000"},
    {"Quadro RTX 6000", "Quadro RTX 6000"},
    {"NVIDIA Quadro RTX 4000", "Quadro RTX 4000"},
    {"Tesla P100-PCIE-16GB", "Tesla P100 PCIe 16GB"},
    {"P100", "Tesla P100 PCIe 16GB", true},
    {"P100 SXM2", "Tesla P100 SXM2 16GB"},
    {"RTX A2000", "RTX A2000 12GB", true},
    {"A2000 6GB", "RTX A2000 6GB"},
    {"RTX 3050", "GeForce RTX 3050 8GB", true},
    {"RTX 4500 Ada", "RTX 4500 Ada"},
    {"RX 7900 XT", "Radeon RX 7900 XT"},
    {"6800XT", "Radeon RX 6800 XT"},
    {"A800 40GB", "A800 PCIe 40GB"},
    {"M4 Pro 48GB", "Apple M4 Pro (20-core GPU) 48GB"},
};

TEST(FindCard, UnderstandsNamesSeenInTheWild) {
  for (const Case& c : good) {
    const CardMatch match = catalogue().find_card(c.text);
    ASSERT_FALSE(match.variants.empty()) << c.text;
    EXPECT_EQ(match.variants.front()->name, c.first) << c.text;
    EXPECT_EQ(match.assumed, c.assumed) << c.text << ": " << match.variants.size();
    EXPECT_EQ(match.assumed, match.variants.size() > 1) << c.text;
    EXPECT_TRUE(match.nearest.empty()) << c.text;
  }
}

TEST(FindCard, RefusesWhatIsNotACard) {
  constexpr const char* bad[] = {
      "",
      "   ",
      "?",
      "RTX 5095",
      "4095",
      "RTX 409",
      "40900",
      "RTX",
      "NVIDIA",
      "GPU",
      "GeForce",
      "80GB",
      "80GB class",
      "24GB class (3090/4090) (inferred from total)",
      "16GB",
      "A1000",
      "A110",
      "A101 80GB",
      "H101",
      "H1000",
      "L4S",
      "L41",
      "T40",
      "V1000",
      "B2000",
      "MI301X",
      "911B",
      "RTX 4095 Laptop GPU",
      "RTX 3090 Mobile",
      "RTX 4090 32GB",
      "A100 24GB",
      "H100 100GB",
      "T4 24GB",
      "RTX 4090 SXM",
      "L40S SXM",
      "A10 SXM4",
      "RTX 5090 D v2",
      "RTX 2080 SUPER",
      "RTX 4090 Ti",
      "RTX 4090 Super",
      "GTX 1080",
      "Quadro RTX 7000",
      "RTX 6000",
      "modded A100",
      "魔改H100",
      "MI325X limited to 24GiB",
      "gpu gpu gpu",
      "x4",
      "8 x",
      "*",
      "((((",
      "))))80GB",
      "llama-3-70b",
      "A100; DROP TABLE cards",
      "\xff\xfe\xfd",
  };
  for (const char* text : bad) {
    const CardMatch match = catalogue().find_card(text);
    EXPECT_TRUE(match.variants.empty())
        << text << " -> " << (match.variants.empty() ? "" : match.variants.front()->name);
    EXPECT_FALSE(match.assumed) << text;
    EXPECT_EQ(match.nearest.size(), 3u) << text;
  }
}

TEST(FindCard, NamesTheNearest) {
  const std::pair<const char*, const char*> cases[] = {{"RTX 5095", "GeForce RTX 5090"},
                                                       {"A101", "A100 SXM4 80GB"},
                                                       {"RTX 4090 32GB", "GeForce RTX 4090"},
                                                       {"H101", "H100 SXM5 80GB"},
                                                       {"L4OS", "L40S"},
                                                       {"MI30X", "Instinct MI300X"},
                                                       {"RTX 6000", "RTX 6000 Ada"},
                                                       {"RTX 6000", "RTX A6000"},
                                                       {"RTX 5000", "RTX 5000 Ada"},
                                                       {"RTX 5000", "RTX A5000"}};
  for (const auto& [text, want] : cases) {
    const auto nearest = catalogue().find_card(text).nearest;
    EXPECT_NE(std::ranges::find(nearest, want), nearest.end())
        << text << ": " << testing::PrintToString(nearest);
  }
}

TEST(FindCard, EveryCardIsFoundByItsOwnNames) {
  for (const Accelerator& card : catalogue().accelerators()) {
    for (const std::string& text : {card.id, card.name}) {
      const CardMatch match = catalogue().find_card(text);
      ASSERT_EQ(match.variants.size(), 1u) << text;
      EXPECT_EQ(match.variants.front()->id, card.id) << text;
    }
    for (const std::string& alias : card.aliases) {
      const CardMatch match = catalogue().find_card(alias);
      ASSERT_FALSE(match.variants.empty()) << alias;
      const bool found = std::ranges::any_of(
          match.variants, [&](const Accelerator* found_card) { return found_card->id == card.id; });
      EXPECT_TRUE(found || card.modified || card.confidence > Confidence::mixed)
          << alias << " of " << card.name;
    }
  }
}

TEST(FindCard, NeverChoosesAModifiedOrUntrustedCardSilently) {
  for (const Accelerator& card : catalogue().accelerators()) {
    for (const std::string& short_name : card.short_names) {
      const CardMatch match = catalogue().find_card(short_name);
      ASSERT_FALSE(match.variants.empty()) << short_name;
      const Accelerator& first = *match.variants.front();
      const bool only =
          std::ranges::none_of(catalogue().accelerators(), [&](const Accelerator& other) {
            return !other.modified && other.confidence <= Confidence::mixed &&
                   std::ranges::find(other.short_names, short_name) != other.short_names.end();
          });
      EXPECT_TRUE(only || (!first.modified && first.confidence <= Confidence::mixed))
          << short_name << " -> " << first.name;
    }
  }
}

TEST(FindCard, HostileNamesCostLittle) {
  std::string longest(100000, '4');
  EXPECT_TRUE(catalogue().find_card(longest).variants.empty());
  longest.assign(100000, '(');
  EXPECT_TRUE(catalogue().find_card(longest).variants.empty());
}

}  // namespace
}  // namespace steelyard::facts

#include "claims/claims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace steelyard::claims {
namespace {

const facts::Catalogue& catalogue() {
  static const auto embedded = facts::Catalogue::embedded();
  return *embedded;
}

// "fp16/fp32/sx4": precision, accumulator, s for 2:4 sparse, cards summed.
std::string short_form(const Reading& r) {
  std::string text = r.precision;
  if (r.unit != "FLOP/s") {
    text = r.unit == "B"     ? "memory"
           : r.unit == "B/s" ? "bandwidth"
           : r.unit == "W"   ? "power"
                             : "feature";
  } else {
    if (!r.accumulate.empty()) text += "/" + r.accumulate;
    if (r.sparse) text += "/s";
  }
  return r.cards > 1 ? fmt::format("{}x{}", text, r.cards) : text;
}

// The plausible meanings by figure, as they are shown.
std::string plausible(const Claim& claim) {
  std::string text, figure;
  for (const Reading& r : claim.readings) {
    if (!r.plausible) continue;
    if (r.figure != figure) {
      figure = r.figure;
      text += fmt::format("{}{}:", text.empty() ? "" : "; ", figure);
    }
    text += " " + short_form(r);
  }
  return text;
}

std::string unread(const Claim& claim) {
  std::string text;
  for (const Unread& u : claim.unread) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", u.figure, verdict_word(u.verdict));
  }
  return text;
}

struct Advertised {
  const char* text;
  const char* card;
  std::uint32_t count;
  const char* readings;
  const char* unread;
  bool holds;
};

const Advertised adverts[] = {
    {"8卡A100 80G 独享 1248TFLOPS", "A100 SXM4 80GB", 8,
     "80G: memory; 1248TFLOPS: int4/int32 tf32/fp32x8 int8/int32/s; 独享 / dedicated: feature", "",
     true},
    {"4090 660 TFLOPS", "GeForce RTX 4090", 1,
     "660 TFLOPS: fp8/fp16 int8/int32 fp16/fp16/s fp8/fp32/s", "", true},
    {"4090 330 TFLOPS", "GeForce RTX 4090", 1,
     "330 TFLOPS: fp16/fp16 fp8/fp32 fp16/fp32/s bf16/fp32/s", "", true},
    {"4090 165.2T 稠密 FP16", "GeForce RTX 4090", 1, "165.2T: fp16/fp32", "", true},
    {"RTX 4090 FP16 330 TFLOPS dense", "GeForce RTX 4090", 1, "330 TFLOPS: fp16/fp16", "", true},
    {"H100 1979 TFLOPS", "H100 SXM5 80GB", 1,
     "1979 TFLOPS: fp8/fp32 int8/int32 fp16/fp32/s bf16/fp32/s fp16/fp16/s", "", true},
    {"H100 SXM 990T BF16", "H100 SXM5 80GB", 1, "990T: bf16/fp32", "", true},
    {"H100 PCIe 756 TFLOPS FP16", "H100 PCIe 80GB", 1, "756 TFLOPS: fp16/fp32 fp16/fp16", "", true},
    {"H20 296T", "H20 96GB", 1, "296T: fp8/fp32 int8/int32 fp16/fp32/s bf16/fp32/s fp16/fp16/s", "",
     true},
    {"H20 148 TFLOPS BF16 96G", "H20 96GB", 1, "148 TFLOPS: bf16/fp32; 96G: memory", "", true},
    {"魔改4090 48G", "GeForce RTX 4090 48GB", 1, "48G: memory; 魔改 / modded: feature", "", true},
    {"4090 48G 涡轮", "GeForce RTX 4090 48GB", 1, "48G: memory; 涡轮 / blower: feature", "", true},
    {"２０８０Ｔｉ　２２Ｇ", "GeForce RTX 2080 Ti 22GB", 1, "22G: memory", "", true},
    {"RTX 3090 24GB 142 TFLOPS", "GeForce RTX 3090", 1,
     "24GB: memory; 142 TFLOPS: fp16/fp16 fp16/fp32/s bf16/fp32/s", "", true},
    {"3090 71T", "GeForce RTX 3090", 1, "71T: fp16/fp32 bf16/fp32 tf32/fp32/s", "", true},
    {"A100 40G PCIe 312TFLOPS", "A100 PCIe 40GB", 1,
     "40G: memory; 312TFLOPS: fp16/fp32 bf16/fp32 fp16/fp16 tf32/fp32/s", "", true},
    {"A100 80GB PCIe 1935GB/s 300W", "A100 PCIe 80GB", 1,
     "80GB: memory; 1935GB/s: bandwidth; 300W: power", "", true},
    {"A100 SXM 2039 GB/s", "A100 SXM4 80GB", 1, "2039 GB/s: bandwidth", "", true},
    {"A100 NVLink 600GB/s", "A100 SXM4 80GB", 1, "600GB/s: bandwidth; NVLink: feature", "", true},
    {"H100 NVLink 900GB/s", "H100 SXM5 80GB", 1, "900GB/s: bandwidth; NVLink: feature", "", true},
    {"H800 NVLink 400GB/s", "H800 SXM5 80GB", 1, "400GB/s: bandwidth; NVLink: feature", "", true},
    {"L40S 733T", "L40S", 1, "733T: fp8/fp32 fp8/fp16 int8/int32", "", true},
    {"L40S 362 TFLOPS FP16 NVLink", "L40S", 1, "362 TFLOPS: fp16/fp32 fp16/fp16",
     "NVLink: impossible", false},
    {"L4 242 TFLOPS", "L4", 1,
     "242 TFLOPS: fp8/fp32 fp8/fp16 int8/int32 fp16/fp32/s bf16/fp32/s fp16/fp16/s", "", true},
    {"L4 121T", "L4", 1, "121T: fp16/fp32 bf16/fp32 fp16/fp16 tf32/fp32/s", "", true},
    {"T4 65 TFLOPS FP16 16G", "Tesla T4", 1, "65 TFLOPS: fp16/fp32 fp16/fp16; 16G: memory", "",
     true},
    {"T4 130 TOPS INT8", "Tesla T4", 1, "130 TOPS: int8/int32", "", true},
    {"V100 125 TFLOPS 32G", "Tesla V100 SXM2 16GB", 1, "125 TFLOPS: fp16/fp32; 32G: memory", "",
     true},
    {"V100 FP8", "Tesla V100 SXM2 16GB", 1, "", "FP8: wrong", false},
    {"A100 FP8 推理", "A100 SXM4 80GB", 1, "", "FP8: wrong", false},
    {"RTX 5090 32G 419 TFLOPS", "GeForce RTX 5090", 1,
     "32G: memory; 419 TFLOPS: fp16/fp16 fp8/fp32 fp16/fp32/s bf16/fp32/s", "", true},
    {"5090 3352 TOPS", "GeForce RTX 5090", 1, "3352 TOPS: fp4/fp32/s", "", true},
    {"RTX 4090 82.6 TFLOPS FP32", "GeForce RTX 4090", 1, "82.6 TFLOPS: fp32", "", true},
    {"4090 83T 单精度", "GeForce RTX 4090", 1, "83T: fp32", "", true},
    {"双卡 RTX 4090 48G 显存", "GeForce RTX 4090 48GB", 2, "48G: memory memoryx2", "", true},
    {"4卡 RTX 3090 96GB", "GeForce RTX 3090", 4, "96GB: memoryx4", "", true},
    {"8 x H100 80GB 640GB", "H100 SXM5 80GB", 8, "80GB: memory; 640GB: memoryx8 memoryx8", "",
     true},
    {"H200 141GB 4.8TB/s", "H200 SXM 141GB", 1, "141GB: memory; 4.8TB/s: bandwidth", "", true},
    {"4090 实测带宽 462 GB/s", "GeForce RTX 4090", 1, "462 GB/s: bandwidth", "", true},
    {"A100 80G 实测显存带宽 900GB/s", "A100 SXM4 80GB", 1, "80G: memory; 900GB/s: bandwidth", "",
     true},
    {"4090 PCIe 5.0", "GeForce RTX 4090", 1, "", "PCIe 5.0: wrong", false},
    {"H100 PCIe5.0", "H100 SXM5 80GB", 1, "PCIe 5.0: feature", "", true},
    {"4090 300W 功耗", "GeForce RTX 4090", 1, "300W: power", "", true},
    {"4090 ECC", "GeForce RTX 4090", 1, "ECC: feature", "", true},
    {"3090 ECC", "GeForce RTX 3090", 1, "", "ECC: wrong", false},
    {"A100 MIG", "A100 SXM4 80GB", 1, "MIG: feature", "", true},
    {"4090 MIG", "GeForce RTX 4090", 1, "", "MIG: wrong", false},
    {"A10 125T", "A10", 1, "125T: fp16/fp32 bf16/fp32 fp16/fp16 tf32/fp32/s", "", true},
    {"A10G 125T", "A10G", 1, "", "125T: wrong", false},
    {"L20 119.5 TFLOPS", "L20", 1, "119.5 TFLOPS: fp16/fp32 bf16/fp32 tf32/fp32/s", "", true},
    {"RTX 6000 Ada 1457 TFLOPS", "RTX 6000 Ada", 1,
     "1457 TFLOPS: int4/int32 fp8/fp32/s fp8/fp16/s int8/int32/s", "", true},
    {"H100 5000 TFLOPS", "H100 SXM5 80GB", 1, "", "5000 TFLOPS: impossible", false},
    {"4090 200 TFLOPS", "GeForce RTX 4090", 1, "", "200 TFLOPS: wrong", false},
    {"RTX 4090 24G显存 120G内存 50G硬盘", "GeForce RTX 4090", 1, "24G: memory", "", true},
    {"昇腾910B 64G", "Ascend 910B3", 1, "64G: memory", "", true},
    {"MI300X 1307 TFLOPS 192GB 5.3TB/s", "Instinct MI300X", 1,
     "1307 TFLOPS: fp16/fp32 bf16/fp32 tf32/fp32/s; 192GB: memory; 5.3TB/s: bandwidth", "", true},
    {"B200 4500 TFLOPS FP8 稠密", "B200 SXM", 1, "4500 TFLOPS: fp8/fp32; FP8: feature", "", true},
    {"B200 9P FP4", "B200 SXM", 1, "9P: fp4/fp32; FP4: feature", "", true},
    {"4090 1e999 TFLOPS", "GeForce RTX 4090", 1, "", "", false},
    {"4090 99999999999999999999999999 TFLOPS", "GeForce RTX 4090", 1, "", "", false},
    {"4090 and A100: 165 vs 312 TFLOPS", "GeForce RTX 4090", 1,
     "165: fp16/fp32 bf16/fp32 tf32/fp32/s; "
     "312 TFLOPS: fp16/fp32 bf16/fp32 fp16/fp16 tf32/fp32/s",
     "", true},
    {"H100 has 3x the FP16 rate of a 4090: 989 TFLOPS vs 330 TFLOPS", "H100 SXM5 80GB", 1,
     "989 TFLOPS: fp16/fp32 fp16/fp16; 330 TFLOPS: fp16/fp16 fp16/fp32/s", "", true},
    {"8卡H100 单卡989T", "H100 SXM5 80GB", 8, "989T: fp16/fp32 bf16/fp32 fp16/fp16 tf32/fp32/s", "",
     true},
    {"(A100) 624 TFLOPS with sparsity", "A100 SXM4 80GB", 1,
     "624 TFLOPS: fp16/fp32/s bf16/fp32/s fp16/fp16/s", "", true},
    {"单机八卡A800 80G NVLink 400GB/s", "A800 SXM4 80GB", 8,
     "80G: memory; 400GB/s: bandwidth; NVLink: feature", "", true},
    {"A100-PCIE-40GB", "A100 PCIe 40GB", 1, "40GB: memory", "", true},
    {"NVIDIA GeForce RTX 3080 20G", "GeForce RTX 3080 20GB", 1, "20G: memory", "", true},
    {"整机 4*4090 24G 算力 1320T", "GeForce RTX 4090", 4,
     "24G: memory; 1320T: int4/int32 fp16/fp16x4 fp8/fp32x4 fp8/fp16/s int8/int32/s fp16/fp32/sx4 "
     "bf16/fp32/sx4",
     "", true},
};

TEST(Claims, ReadsAdvertsInBothLanguages) {
  for (const Advertised& c : adverts) {
    const auto claim = read_claim(catalogue(), c.text);
    ASSERT_TRUE(claim) << c.text << describe(claim.error());
    EXPECT_EQ(claim->cards.front()->name, c.card) << c.text;
    EXPECT_EQ(claim->count, c.count) << c.text;
    EXPECT_EQ(plausible(*claim), c.readings) << c.text;
    EXPECT_EQ(unread(*claim), c.unread) << c.text;
    EXPECT_EQ(claim->holds(), c.holds) << c.text;
    EXPECT_FALSE(claim->ask.empty()) << c.text;
  }
}

TEST(Claims, RefusesWhatIsNoAdvert) {
  std::string many = "4090";
  for (int watts = 100; watts < 301; ++watts) many += fmt::format(" {}W", watts);
  struct Case {
    std::string text;
    ErrorKind kind;
  };
  const Case table[] = {
      {"", ErrorKind::usage},
      {" \t\n", ErrorKind::usage},
      {"出租显卡 便宜", ErrorKind::not_found},
      {"0123456789", ErrorKind::not_found},
      {"🚀🚀🚀", ErrorKind::not_found},
      {"RTX 9999 500 TFLOPS", ErrorKind::not_found},
      {std::string("\xff\xfe\x00\x01", 4), ErrorKind::not_found},
      {std::string(65537, 'a'), ErrorKind::too_large},
      {std::string(65536, '8'), ErrorKind::not_found},
      {many, ErrorKind::too_large},
  };
  for (const Case& c : table) {
    const auto claim = read_claim(catalogue(), c.text);
    ASSERT_FALSE(claim) << c.text.substr(0, 40);
    EXPECT_EQ(claim.error().kind, c.kind) << c.text.substr(0, 40);
    EXPECT_FALSE(claim.error().try_this.empty()) << c.text.substr(0, 40);
  }
}

TEST(Claims, LongArticles) {
  std::string text;
  while (text.size() < 60000) text += "The 4090 and the A100 80GB, 2026; ";
  text += "4090 330 TFLOPS";
  const auto claim = read_claim(catalogue(), text);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->cards.size(), 2U);
}

}  // namespace
}  // namespace steelyard::claims

// Holds data/accelerators against arithmetic and against itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "facts/pack.h"

namespace steelyard::facts {
namespace {

const Facts& facts() {
  static const Facts result = [] {
    const auto files = os::real_files();
    auto read = read_facts(*files, STEELYARD_SOURCE_DIR "/data");
    EXPECT_TRUE(read) << (read ? "" : describe(read.error()));
    return read ? std::move(*read) : Facts{};
  }();
  return result;
}

const Accelerator& card(std::string_view id) {
  const auto found = std::ranges::find(facts().accelerators, id, &Accelerator::id);
  EXPECT_NE(found, facts().accelerators.end()) << id;
  return *found;
}

double off(double have, double want) {
  return std::abs(have / want - 1);
}

TEST(Data, ThePackHoldsWhatTheTextSays) {
  ASSERT_GE(facts().accelerators.size(), 150u);
  const auto back = read_pack(write_pack(facts()));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, facts());
  const auto embedded = Catalogue::embedded();
  ASSERT_TRUE(embedded);
  EXPECT_TRUE(std::ranges::equal(embedded->accelerators(), facts().accelerators));
  EXPECT_TRUE(std::ranges::equal(embedded->links(), facts().links));
}

TEST(Data, EveryFigureHasASourceAndAReason) {
  std::set<std::string> ids, names;
  for (const Accelerator& c : facts().accelerators) {
    EXPECT_TRUE(ids.insert(c.id).second) << c.id;
    EXPECT_TRUE(names.insert(name_key(c.name)).second) << c.name;
    EXPECT_GE(c.sources.size(), 8u) << c.id;
    EXPECT_FALSE(c.short_names.empty()) << c.id;
    for (const std::string& name : c.short_names) EXPECT_EQ(name, name_key(name)) << c.id;
    if (c.confidence > Confidence::mixed) {
      EXPECT_FALSE(c.notes.empty()) << c.id << " is weak and does not say why";
      EXPECT_FALSE(c.commonest) << c.id;
    }
    if (c.modified) {
      EXPECT_FALSE(c.commonest) << c.id;
    }
  }
}

TEST(Data, FiguresLieInTheirRanges) {
  for (const Accelerator& c : facts().accelerators) {
    const auto in = [&](double value, double low, double high, const char* what) {
      EXPECT_TRUE(value >= low && value <= high) << c.id << " " << what << " " << value;
    };
    if (c.sold_as_gb > 0) in(c.sold_as_gb, 4, 1024, "sold_as_gb");
    if (c.bus_bits) in(*c.bus_bits, 64, 16384, "bus_bits");
    if (c.bandwidth) in(c.bandwidth->value(), 100e9, 20e12, "bandwidth");
    if (c.tdp) in(c.tdp->value(), 15, 2000, "tdp");
    if (c.sm_count) in(*c.sm_count, 1, 512, "sm_count");
    if (c.boost_hz) in(*c.boost_hz, 0.9e9, 3.5e9, "boost");
    if (c.l2) in(c.l2->as_mib(), 1, 512, "l2");
    if (c.launch_year) in(*c.launch_year, 2016, 2027, "launch_year");
    if (c.pcie_lanes) in(*c.pcie_lanes, 4, 16, "pcie_lanes");
    if (c.mig_max) in(*c.mig_max, 2, 7, "mig_max");
    if (c.sparse_multiplier) in(*c.sparse_multiplier, 1, 2, "sparse_multiplier");
    for (const auto& [key, rate] : c.dense) in(rate.value(), 1e12, 30e15, key.c_str());
    if (c.link_bidirectional) in(c.link_bidirectional->value(), 50e9, 2e12, "link");
  }
}

TEST(Data, SizesAreOrdered) {
  for (const Accelerator& c : facts().accelerators) {
    if (c.reported && c.sold_as_gb > 0) {
      // A label counts GiB or GB; either way nothing shows more than the label in GiB.
      EXPECT_LE(c.reported->value(), gib(c.sold_as_gb).value()) << c.id;
      EXPECT_GE(c.reported->as_double() * c.devices, 0.87 * gb(c.sold_as_gb).as_double()) << c.id;
    }
    for (const Ecc ecc : {Ecc::as_shipped, Ecc::other}) {
      const UsableMemory usable = usable_memory(c, ecc);
      if (c.sold_as_gb == 0) continue;
      EXPECT_GT(usable.total.value.value(), 0u) << c.id;
      EXPECT_LE(usable.total.low, usable.total.value) << c.id;
      EXPECT_LE(usable.total.value, usable.total.high) << c.id;
      EXPECT_LE(usable.total.high, gib(c.sold_as_gb / c.devices)) << c.id;
      if (c.reported && ecc == Ecc::as_shipped) {
        EXPECT_LE(usable.total.high, *c.reported) << c.id;
      }
      EXPECT_FALSE(usable.basis.empty()) << c.id;
    }
  }
}

TEST(Data, DenseRatesStandInOrder) {
  for (const Accelerator& c : facts().accelerators) {
    const auto rate = [&](const char* key) {
      const auto found = c.dense.find(key);
      return found == c.dense.end() ? 0.0 : found->second.value();
    };
    if (rate("fp16_fp16acc") > 0 && rate("fp16_fp32acc") > 0) {
      EXPECT_GE(rate("fp16_fp16acc") * 1.001, rate("fp16_fp32acc")) << c.id;
    }
    if (rate("fp8") > 0 && rate("bf16") > 0) {
      EXPECT_GE(rate("fp8") * 1.001, rate("bf16")) << c.id;
    }
    if (rate("fp4") > 0 && rate("fp8") > 0) {
      EXPECT_GT(rate("fp4"), rate("fp8")) << c.id;
    }
    // What sellers print with sparsity is never below the dense 16-bit rate it doubles.
    const auto headline = c.extra.find("sparse_headline");
    if (headline != c.extra.end() && c.sparse_multiplier == 2.0 && rate("bf16") > 0) {
      double number = std::atof(headline->second.c_str());
      if (headline->second.find("PFLOPS") != std::string::npos) number *= 1000;
      EXPECT_GT(number * 1e12, rate("bf16")) << c.id << " " << headline->second;
    }
  }
}

TEST(Data, BusTimesPinRateGivesTheBandwidth) {
  int checked = 0;
  for (const Accelerator& c : facts().accelerators) {
    if (!c.bus_bits || !c.pin_rate_gbps || !c.bandwidth) continue;
    ++checked;
    // Vendors round: 6.144 TB/s is sold as 6.0, 8.19 as 8.0.
    EXPECT_LT(off(*c.bus_bits * *c.pin_rate_gbps / 8 * 1e9, c.bandwidth->value()), 0.026)
        << c.id << ": " << *c.bus_bits * *c.pin_rate_gbps / 8;
  }
  EXPECT_GE(checked, 80);
}

// Dense FP16 FLOP per SM and clock with FP32 accumulate, by chip family and market.
struct Rate {
  double fp16, fp32;
};
std::optional<Rate> nvidia_rate(const Accelerator& c) {
  const bool consumer = c.form.starts_with("consumer");
  const auto chip = [&](const char* word) {
    return c.architecture.find(word) != std::string::npos;
  };
  if (chip("GP100")) return Rate{0, 128};
  if (chip("Pascal")) return Rate{0, 256};
  if (chip("Volta")) return Rate{1024, 128};
  if (chip("Turing")) return Rate{consumer ? 512.0 : 1024.0, 128};
  if (chip("GA100")) return Rate{2048, 128};
  if (chip("Hopper")) return Rate{4096, 256};
  if (chip("GB100") || chip("GB300")) return Rate{8192, 256};
  if (chip("Orin") || chip("GA10B") || chip("GB10B") || chip("GB10")) return std::nullopt;
  // Cards of the data-centre line that have the GeForce rate.
  if (c.id == "nvidia-a10g" || c.id == "nvidia-l20" || c.id == "nvidia-l40") return Rate{512, 256};
  return Rate{consumer ? 512.0 : 1024.0, 256};
}

// Figures that arithmetic does not give, each with its reason.
struct Exception {
  const char* id;  // prefix
  const char* rate;
  const char* reason;
};
constexpr Exception exceptions[] = {
    {"nvidia-h100-sxm5-80gb", "fp32", "FP32 is quoted at 1980 MHz, the tensor rates at 1830"},
    {"nvidia-h800-sxm5-80gb", "fp32", "as H100 SXM5"},
    {"nvidia-h200-sxm", "fp32", "as H100 SXM5"},
    {"nvidia-h100-pcie", "", "tensor rates are quoted at about 1620 MHz, FP32 at 1755"},
    {"nvidia-h800-pcie", "", "as H100 PCIe"},
    {"nvidia-gh200", "", "tensor rates are those of H100 at 1830 MHz, the chip runs to 1980"},
    {"nvidia-h20-", "", "capped for export: 148 TFLOP/s whatever SMs and clock would give"},
    {"nvidia-b200", "", "quoted at about 1855 MHz; 1965 is the highest clock"},
    {"nvidia-gb200", "", "quoted at about 2008 MHz; the SM count is recalled"},
};
bool excepted(const Accelerator& c, const std::string& rate) {
  return std::ranges::any_of(exceptions, [&](const Exception& e) {
    return c.id.starts_with(e.id) && (std::string_view(e.rate).empty() || rate == e.rate);
  });
}

// SMs x rate x clock for one precision; nothing where the family has no such unit.
std::optional<double> by_arithmetic(const Accelerator& c, const std::string& key, Rate rate) {
  const double clocks = *c.sm_count * *c.boost_hz;
  const bool geforce = rate.fp16 == 512;
  if (key == "fp32") return clocks * rate.fp32;
  if (rate.fp16 == 0) return key == "int8" ? std::optional(clocks * rate.fp32 * 4) : std::nullopt;
  if (key == "tf32") return clocks * rate.fp16 / 2;
  if (key == "fp16_fp32acc" || key == "bf16") return clocks * rate.fp16;
  if (key == "fp16_fp16acc") return clocks * rate.fp16 * (geforce ? 2 : 1);
  if (key == "fp8") return clocks * rate.fp16 * 2;
  // GeForce halves only what accumulates in FP32; the data-centre L20 and L40 state INT8 at
  // twice their FP16.
  const bool full = geforce && c.form.starts_with("consumer");
  if (key == "fp8_fp16acc" || key == "int8") return clocks * rate.fp16 * (full ? 4 : 2);
  if (key == "fp4") return clocks * rate.fp16 * (full ? 8 : 4);
  return std::nullopt;
}

TEST(Data, SmsTimesRateTimesClockGivesEveryNvidiaDenseRate) {
  int checked = 0, cards = 0;
  std::set<std::string> used;
  for (const Accelerator& c : facts().accelerators) {
    if (c.vendor != "NVIDIA" || !c.sm_count || !c.boost_hz) continue;
    const auto rate = nvidia_rate(c);
    if (!rate) continue;
    ++cards;
    for (const auto& [key, value] : c.dense) {
      if (key == "fp64") continue;  // given only where it was cut below the generation's
      const auto want = by_arithmetic(c, key, *rate);
      ASSERT_TRUE(want) << c.id << " " << key;
      if (excepted(c, key)) continue;
      ++checked;
      EXPECT_LT(off(value.value(), *want), 0.02)
          << c.id << " " << key << ": " << value.value() / 1e12 << " against " << *want / 1e12;
    }
  }
  EXPECT_GE(cards, 75);
  EXPECT_GE(checked, 420);
}

TEST(Data, RatesBesideTheDenseOnesFollowTheGeneration) {
  struct Case {
    const char* id;
    const char* rate;
    double want;  // TFLOP/s, as the makers print it; 0 for none
  };
  for (const Case& k :
       {Case{"nvidia-a100-sxm4-80gb", "fp64", 9.7},
        Case{"nvidia-a100-sxm4-80gb", "fp64_matrix", 19.5},
        Case{"nvidia-a100-sxm4-80gb", "fp16_shader", 78},
        Case{"nvidia-a100-sxm4-80gb", "int4", 1248}, Case{"nvidia-h100-sxm5-80gb", "fp64", 33.5},
        Case{"nvidia-h100-sxm5-80gb", "int4", 0}, Case{"nvidia-h800-sxm5-80gb", "fp64", 1},
        Case{"nvidia-h800-sxm5-80gb", "fp64_matrix", 0}, Case{"nvidia-l40s", "fp64", 1.43},
        Case{"amd-instinct-mi300x", "fp64", 0}}) {
    const auto rate = derived_rate(card(k.id), k.rate);
    if (k.want == 0) {
      EXPECT_FALSE(rate) << k.id << " " << k.rate;
      continue;
    }
    ASSERT_TRUE(rate) << k.id << " " << k.rate;
    EXPECT_LT(off(rate->value() / 1e12, k.want), 0.01) << k.id << " " << k.rate;
  }
  EXPECT_EQ(chip_parts(card("nvidia-geforce-rtx-4090"))->shader_cores, 16384);
  EXPECT_EQ(chip_parts(card("nvidia-a100-sxm4-80gb"))->tensor_cores, 432);
}

TEST(Data, ExceptionsAreNeeded) {
  for (const Exception& e : exceptions) {
    bool needed = false;
    for (const Accelerator& c : facts().accelerators) {
      if (!c.id.starts_with(e.id) || !c.sm_count || !c.boost_hz) continue;
      for (const auto& [key, value] : c.dense) {
        if (!std::string_view(e.rate).empty() && key != e.rate) continue;
        const auto want = by_arithmetic(c, key, nvidia_rate(c).value());
        needed = needed || (want && off(value.value(), *want) >= 0.02);
      }
    }
    EXPECT_TRUE(needed) << e.id << " " << e.rate << " agrees: " << e.reason;
  }
}

TEST(Data, AmdRatesFollowTheirComputeUnits) {
  const std::pair<const char*, double> per_unit[] = {
      {"amd-instinct-mi100", 1024},     {"amd-instinct-mi210", 1024},
      {"amd-instinct-mi250x", 1024},    {"amd-instinct-mi300x", 2048},
      {"amd-instinct-mi325x", 2048},    {"amd-instinct-mi350x", 4096},
      {"amd-instinct-mi355x", 4096},    {"amd-radeon-rx-7900-xtx", 512},
      {"amd-radeon-rx-7900-xt", 512},   {"amd-radeon-rx-9070-xt", 1024},
      {"amd-radeon-ai-pro-r9700", 1024}};
  for (const auto& [id, flop] : per_unit) {
    const Accelerator& c = card(id);
    EXPECT_LT(off(c.dense.at("fp16_fp32acc").value(), *c.sm_count * flop * *c.boost_hz), 0.02)
        << id;
  }
}

TEST(Data, UnitsFollowTheGeneration) {
  struct Case {
    const char* id;
    const char* rate;
    std::optional<bool> want;
  };
  const Case cases[] = {{"nvidia-a100-sxm4-80gb", "fp8", false},
                        {"nvidia-a100-sxm4-80gb", "bf16", true},
                        {"nvidia-l4", "fp8", true},
                        {"nvidia-tesla-t4", "bf16", false},
                        {"nvidia-tesla-p40", "fp16_fp32acc", false},
                        {"nvidia-h100-sxm5-80gb", "fp4", false},
                        {"nvidia-b200-sxm", "fp4", true},
                        {"nvidia-a10g", "int8", true},  // units exist, the rate is disputed
                        {"amd-instinct-mi210", "fp8", false},
                        {"huawei-ascend-910b2", "fp8", std::nullopt}};
  for (const Case& c : cases) EXPECT_EQ(has_units(card(c.id), c.rate), c.want) << c.id << c.rate;
  // A rate that is given for a chip without the unit is a wrong row.
  for (Accelerator c : facts().accelerators) {
    for (const std::string_view rate : dense_rates()) {
      if (c.dense.erase(std::string(rate)) > 0 && c.form != "consumer") {
        EXPECT_NE(has_units(c, rate), false) << c.id << " " << rate;
      }
    }
  }
}

TEST(Data, LinksOfCardsExistAndAgree) {
  int linked = 0;
  for (const Accelerator& c : facts().accelerators) {
    if (c.link.empty()) continue;
    ++linked;
    const auto link = std::ranges::find(facts().links, c.link, &Link::key);
    ASSERT_NE(link, facts().links.end()) << c.id << " " << c.link;
    if (c.link_bidirectional) {
      EXPECT_LT(off(c.link_bidirectional->value(), link->bidirectional.value()), 0.01)
          << c.id << " " << c.link;
    }
  }
  EXPECT_GE(linked, 25);
  for (const Link& link : facts().links) {
    EXPECT_NEAR(link.bidirectional.value() / link.per_direction.value(), 2, 0.001) << link.key;
  }
}

// The trap figures of the trade: a change that brings one back is caught by name.
TEST(Data, KnownTraps) {
  const auto tera = [](std::string_view id, const char* key) {
    return card(id).dense.at(key).value() / 1e12;
  };
  EXPECT_NEAR(tera("nvidia-geforce-rtx-4090", "fp16_fp32acc"), 165.2, 0.1);
  EXPECT_NEAR(tera("nvidia-geforce-rtx-4090", "fp16_fp16acc"), 330.3, 0.1);
  EXPECT_NEAR(tera("nvidia-h100-sxm5-80gb", "bf16"), 989.4, 0.1);
  EXPECT_NEAR(tera("nvidia-a10g", "fp16_fp32acc"), 70, 0.1);
  EXPECT_NEAR(tera("nvidia-a10", "fp16_fp32acc"), 125, 0.1);
  EXPECT_NEAR(tera("nvidia-h20-96gb", "bf16"), 148, 0.1);
  EXPECT_NEAR(tera("nvidia-l4", "fp16_fp32acc"), 121.2, 0.1);
  EXPECT_FALSE(card("nvidia-a100-sxm4-80gb").dense.contains("fp8"));
  EXPECT_FALSE(card("nvidia-a10g").dense.contains("int8"));
  EXPECT_EQ(card("nvidia-geforce-rtx-4090").pcie_generation, "4.0");
  EXPECT_EQ(card("nvidia-l40s").pcie_generation, "4.0");
  EXPECT_TRUE(card("nvidia-l40s").link.empty());
  EXPECT_EQ(card("nvidia-tesla-t4").sold_as_gb, 16);
  EXPECT_EQ(card("nvidia-a100-sxm4-40gb").memory_type, "HBM2");
  EXPECT_DOUBLE_EQ(card("nvidia-a100-pcie-80gb").bandwidth->value(), 1935e9);
  EXPECT_DOUBLE_EQ(card("nvidia-a100-sxm4-80gb").bandwidth->value(), 2039e9);
}

}  // namespace
}  // namespace steelyard::facts

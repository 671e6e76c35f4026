#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "facts/facts.h"

namespace steelyard::facts {
namespace {

const Catalogue& catalogue() {
  static const Catalogue result = Catalogue::embedded().value();
  return result;
}
const Accelerator& card(std::string_view name) {
  return *catalogue().find_card(name).variants.at(0);
}

TEST(Usable, IsWhatEnginesPrint) {
  // GiB that engines' own logs show, and the card's name.
  const std::pair<const char*, double> seen[] = {
      {"RTX 4090", 23.52},     {"RTX 3090", 23.58}, {"RTX 5090", 31.36},  {"T4", 14.57},
      {"A10G", 21.99},         {"L4", 22.05},       {"L40S", 44.40},      {"A100 40GB", 39.49},
      {"A100 80GB", 79.17},    {"H100 SXM", 79.19}, {"H100 NVL", 93.00},  {"H200", 139.76},
      {"B200", 178.36},        {"MI300X", 191.45},  {"RTX A6000", 47.53}, {"V100-32GB", 31.74},
      {"RTX PRO 6000", 94.99}, {"GB300", 276.62},   {"GB10", 121.67},     {"A40", 44.35}};
  for (const auto& [name, gib_seen] : seen) {
    const UsableMemory usable = usable_memory(card(name));
    EXPECT_NEAR(usable.total.value.as_gib(), gib_seen, 0.05) << name;
    EXPECT_LE(usable.total.low.as_gib(), gib_seen + 0.005) << name;
    EXPECT_GE(usable.total.high.as_gib(), gib_seen - 0.005) << name;
    EXPECT_EQ(usable.total.origin, Origin::predicted) << name;
  }
}

TEST(Usable, FollowsEcc) {
  EXPECT_NEAR(usable_memory(card("RTX A6000"), Ecc::other).total.value.as_gib(), 44.55, 0.05);
  EXPECT_NEAR(usable_memory(card("RTX 6000 Ada"), Ecc::other).total.value.as_gib(), 44.43, 0.05);
  // Never seen with ECC on, but 23,028 MiB is reported then.
  EXPECT_NEAR(usable_memory(card("RTX 4090"), Ecc::other).total.value.as_gib(), 22.02, 0.1);
  // Ships with ECC on: the other state has more.
  EXPECT_GT(usable_memory(card("L40S"), Ecc::other).total.value,
            usable_memory(card("L40S")).total.value);
  // HBM keeps its check bits elsewhere: nothing to gain.
  EXPECT_EQ(usable_memory(card("H100 PCIe"), Ecc::other).total.high, *card("H100 PCIe").reported);
}

// The rule for cards nobody has seen must hold on those somebody has.
TEST(Usable, RuleHoldsWhereItCanBeChecked) {
  int checked = 0;
  for (const Accelerator& c : catalogue().accelerators()) {
    if (c.vendor != "NVIDIA" || c.usable.seen.empty() || !c.reported) continue;
    Accelerator unseen = c;
    unseen.usable.seen.clear();
    for (const UsableSeen& seen : c.usable.seen) {
      const Ecc ecc = seen.ecc_flipped ? Ecc::other : Ecc::as_shipped;
      const UsableMemory rule = usable_memory(unseen, ecc);
      for (const double total : seen.gib) {
        ++checked;
        // What the driver keeps varies by a quarter of a GiB between chips and versions.
        EXPECT_NEAR(rule.total.value.as_gib(), total, std::max(0.25, 0.005 * total)) << c.id;
        EXPECT_GE(total, rule.total.low.as_gib() - 0.01) << c.id;
        EXPECT_LE(total, rule.total.high.as_gib() + 0.01) << c.id;
      }
    }
  }
  EXPECT_GE(checked, 60);
}

TEST(Usable, SaysWhenNothingIsKnown) {
  Accelerator mine;
  mine.id = mine.name = "mine";
  mine.vendor = "Someone";
  mine.sold_as_gb = 32;
  const UsableMemory usable = usable_memory(mine);
  EXPECT_EQ(usable.total.origin, Origin::assumed);
  EXPECT_LE(usable.total.value, gib(32));
  EXPECT_NE(usable.basis.find("no rule known"), std::string::npos);
  EXPECT_EQ(usable_memory(Accelerator{}).total.value, Bytes(0));
}

}  // namespace
}  // namespace steelyard::facts

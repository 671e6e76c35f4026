#include "claims/in_practice.h"

#include <fmt/format.h>

#include <algorithm>

#include "claims/readings.h"

namespace steelyard::claims {
namespace {

std::string extra(const facts::Accelerator& card, const std::string& key) {
  const auto found = card.extra.find(key);
  return found == card.extra.end() ? std::string() : found->second;
}

void see_memory(const facts::Accelerator& card, Claim& claim) {
  const facts::UsableMemory usable = facts::usable_memory(card);
  if (usable.total.value == Bytes(0)) return;
  std::string line =
      fmt::format("{}: engines see {:.1f} GiB", card.name, usable.total.value.as_gib());
  if (card.sold_as_gb > 0) line += fmt::format(" of the {:g} GB sold", card.sold_as_gb);
  if (card.reported) line += fmt::format("; nvidia-smi prints {:.0f} MiB", card.reported->as_mib());
  if (card.vendor != "NVIDIA" && card.reported) {
    line = line.substr(0, line.rfind("; "));
  }
  claim.in_practice.push_back(line);
}

void see_rate(const facts::Accelerator& card, Claim& claim) {
  const std::string fp16 = extra(card, "torch_fp16_measured_tflop_per_s");
  const std::string bf16 = extra(card, "torch_bf16_measured_tflop_per_s");
  const auto paper = card.dense.find("fp16_fp32acc");
  if (paper != card.dense.end()) {
    claim.in_practice.push_back(
        fmt::format("{}: the comparable FP16 figure is {} (dense, FP32 accumulation, sold as)",
                    card.name, shown(Measure::rate, paper->second.value())));
  }
  if (!fp16.empty()) {
    claim.in_practice.push_back(fmt::format(
        "{}: PyTorch's default FP16 matmul in public runs: {} TFLOP/s", card.name, fp16));
  } else if (!bf16.empty()) {
    claim.in_practice.push_back(
        fmt::format("{}: PyTorch's BF16 matmul in public runs: {} TFLOP/s", card.name, bf16));
  }
}

bool any(const Claim& claim, bool (*is)(const Reading&)) {
  return std::ranges::any_of(claim.readings, is);
}

}  // namespace

void describe_practice(const Advert& advert, Claim& claim) {
  const auto quantity = [&](Measure q) {
    return std::ranges::any_of(advert.figures, [&](const Figure& f) { return f.quantity == q; });
  };
  for (const facts::Accelerator* card : claim.cards) {
    see_memory(*card, claim);
    if (quantity(Measure::rate)) see_rate(*card, claim);
  }
  auto& ask = claim.ask;
  if (quantity(Measure::rate)) {
    ask.push_back("Which precision, which accumulator, dense or 2:4 sparse, one card or all?");
  }
  if (claim.assumed) {
    ask.push_back(
        "Which variant is it (SXM, PCIe, memory size)? Send the first lines of nvidia-smi -q.");
  }
  const bool two_forms = any(claim, [](const Reading& r) { return r.figure == "SXM / PCIe"; });
  if (two_forms && !claim.assumed) {
    ask.push_back("SXM or PCIe? Send the first lines of nvidia-smi -q.");
  }
  if (!advert.shares.empty() || says(advert, {"独享", "独占", "exclusive", "dedicated", "共享",
                                              "shared", "vgpu", "切分", "虚拟化", "整卡", "mig"})) {
    ask.push_back(
        "Is it a whole card, or a MIG slice or vGPU? Send nvidia-smi -L and the MIG mode.");
  }
  if (any(claim, [](const Reading& r) { return r.card != nullptr && r.card->modified; }) ||
      says(advert, {"魔改", "改装", "modded"})) {
    ask.push_back(
        "Who rebuilt the board, with what warranty? Send memory total, VBIOS and SM count.");
  }
  if (says(advert, {"涡轮", "blower"}) || quantity(Measure::power)) {
    ask.push_back(
        "What are the default, current and maximum power limits (nvidia-smi -q -d POWER)?");
  }
  if (says(advert, {"矿卡", "拆机", "二手", "翻新", "全新", "refurb", "mining", "second-hand",
                    "brand new"})) {
    ask.push_back("When was it first used, for what, with what warranty left? Run a burn-in.");
  }
  if (claim.count > 1) {
    ask.push_back(
        "How are the cards connected? Send nvidia-smi topo -m and the PCIe width under load.");
  }
  if (quantity(Measure::bandwidth)) {
    ask.push_back("Measured how: reads alone, or a copy, and are both directions counted?");
  }
  if (ask.empty()) ask.push_back("May I run a check on the machine before I pay?");
}

}  // namespace steelyard::claims

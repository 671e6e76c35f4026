// Which number formats a chip has matrix units for, by generation.
#include <algorithm>
#include <array>
#include <charconv>

#include "facts/facts.h"

namespace steelyard::facts {
namespace {

// NVIDIA: the first compute capability with the unit (CUDA programming guide, arithmetic tables).
struct Since {
  std::string_view rate;
  double capability;
};
constexpr Since nvidia[] = {{"fp32", 0},   {"fp16_fp32acc", 7.0}, {"fp16_fp16acc", 7.0},
                            {"int8", 6.1}, {"tf32", 8.0},         {"bf16", 8.0},
                            {"fp8", 8.9},  {"fp8_fp16acc", 8.9},  {"fp4", 10.0}};

// AMD: chips with FP8 and FP4 matrix units (ROCm precision support tables).
constexpr std::string_view amd_fp8[] = {"gfx942", "gfx950", "gfx1200", "gfx1201"};
constexpr std::string_view amd_fp4[] = {"gfx950"};

}  // namespace

std::span<const std::string_view> dense_rates() {
  static constexpr auto rates =
      std::to_array<std::string_view>({"fp32", "tf32", "fp16_fp32acc", "fp16_fp16acc", "bf16",
                                       "fp8", "fp8_fp16acc", "int8", "fp4"});
  return rates;
}

std::optional<bool> has_units(const Accelerator& card, std::string_view rate) {
  if (card.dense.contains(std::string(rate))) return true;
  const std::string& chip = card.compute_capability;
  if (chip.empty()) return std::nullopt;
  if (card.vendor == "NVIDIA") {
    double capability = 0;
    const auto parsed = std::from_chars(chip.data(), chip.data() + chip.size(), capability);
    const auto row = std::ranges::find(nvidia, rate, &Since::rate);
    if (parsed.ec != std::errc() || row == std::end(nvidia)) return std::nullopt;
    return capability >= row->capability;
  }
  if (card.vendor == "AMD") {
    if (rate == "fp8") return std::ranges::find(amd_fp8, chip) != std::end(amd_fp8);
    if (rate == "fp4") return std::ranges::find(amd_fp4, chip) != std::end(amd_fp4);
  }
  return std::nullopt;
}

}  // namespace steelyard::facts

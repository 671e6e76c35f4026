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

// NVIDIA: results a clock and multiprocessor, by compute capability (CUDA programming guide,
// throughput of arithmetic instructions; 7.0, 7.5, 8.0 and 8.9 agree with the FP64, FP32 and FP16
// rows of winston-zhang-orz/gpu-specs:specs.md, the others are recalled). `double_matrix`: FP64 of
// the tensor cores over FP64 of the shaders. A100 4x and H100 2x FP16 per NVIDIA's white papers
// (recalled).
struct PerMultiprocessor {
  double capability, fp32, fp64, fp16, double_matrix, tensor_cores, ray_cores;
};
constexpr PerMultiprocessor multiprocessors[] = {
    {6.1, 128, 4, 2, 0, 0, 0},    {7.0, 64, 32, 128, 0, 8, 0},   {7.5, 64, 2, 128, 0, 8, 1},
    {8.0, 64, 32, 256, 2, 4, 0},  {8.6, 128, 2, 128, 0, 4, 1},   {8.9, 128, 2, 128, 0, 4, 1},
    {9.0, 128, 64, 256, 2, 4, 0}, {10.0, 128, 64, 256, 1, 4, 0}, {10.3, 128, 2, 256, 1, 4, 0},
    {12.0, 128, 2, 128, 0, 4, 1}, {12.1, 128, 2, 128, 0, 4, 1}};

const PerMultiprocessor* multiprocessor_of(const Accelerator& card) {
  if (card.vendor != "NVIDIA") return nullptr;
  const std::string& chip = card.compute_capability;
  double capability = 0;
  const auto parsed = std::from_chars(chip.data(), chip.data() + chip.size(), capability);
  if (parsed.ec != std::errc()) return nullptr;
  const auto row = std::ranges::find_if(multiprocessors, [&](const PerMultiprocessor& m) {
    return m.capability > capability - 0.01 && m.capability < capability + 0.01;
  });
  return row == std::end(multiprocessors) ? nullptr : row;
}

}  // namespace

std::optional<FlopPerSecond> derived_rate(const Accelerator& card, std::string_view rate) {
  if (const auto given = card.dense.find(std::string(rate)); given != card.dense.end()) {
    return given->second;
  }
  const PerMultiprocessor* unit = multiprocessor_of(card);
  if (unit == nullptr) return std::nullopt;
  const auto times = [&](std::string_view base, double factor) -> std::optional<FlopPerSecond> {
    const auto found = card.dense.find(std::string(base));
    if (found == card.dense.end() || !(factor > 0)) return std::nullopt;
    return FlopPerSecond(found->second.value() * factor);
  };
  // A card whose FP64 was cut says so in the catalogue, and its tensor cores have none either.
  const bool cut = card.dense.contains("fp64");
  if (rate == "fp64") return times("fp32", unit->fp64 / unit->fp32);
  if (rate == "fp64_matrix") {
    return times("fp32", cut ? 0 : unit->double_matrix * unit->fp64 / unit->fp32);
  }
  if (rate == "fp16_shader") return times("fp32", unit->fp16 / unit->fp32);
  const bool int4 = unit->capability >= 7.5 && unit->capability < 9;
  if (rate == "int4") return times("int8", int4 ? 2 : 0);
  return std::nullopt;
}

std::optional<ChipParts> chip_parts(const Accelerator& card) {
  if (!card.sm_count) return std::nullopt;
  ChipParts parts{.multiprocessors = *card.sm_count};
  if (const PerMultiprocessor* unit = multiprocessor_of(card)) {
    parts.shader_cores = unit->fp32 * *card.sm_count;
    parts.tensor_cores = unit->tensor_cores * *card.sm_count;
    parts.ray_cores = unit->ray_cores * *card.sm_count;
  } else if (card.sm_kind == "CU") {
    parts.shader_cores = 64 * *card.sm_count;  // AMD: 64 stream processors a compute unit
  }
  return parts;
}

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

// Checked and saturating arithmetic for figures that come from outside.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace steelyard {

// The exact sum or product, or nothing when 64 bits do not hold it.
constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
  return r;
}
constexpr std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
  return r;
}

// The same, stopping at the largest value: for sums whose only use is "does it fit".
constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return checked_add(a, b).value_or(std::numeric_limits<std::uint64_t>::max());
}
constexpr std::uint64_t saturating_mul(std::uint64_t a, std::uint64_t b) {
  return checked_mul(a, b).value_or(std::numeric_limits<std::uint64_t>::max());
}

// The nearest 32-bit count: larger ones are the largest.
constexpr std::uint32_t u32(std::uint64_t value) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  return value < most ? static_cast<std::uint32_t>(value) : most;
}

// Rounds up; `unit` must not be 0. Saturates.
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t unit) {
  return a / unit + (a % unit != 0 ? 1 : 0);
}
constexpr std::uint64_t round_up(std::uint64_t a, std::uint64_t unit) {
  return saturating_mul(ceil_div(a, unit), unit);
}

}  // namespace steelyard

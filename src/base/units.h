// Strong units. A number without a unit does not compile into a sum of another unit.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>

#include "base/checked.h"

namespace steelyard {

// Bytes saturate instead of wrapping: an absurd model is "does not fit", never "fits".
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::uint64_t value) : value_(value) {}

  constexpr std::uint64_t value() const { return value_; }
  constexpr double as_double() const { return static_cast<double>(value_); }
  constexpr double as_gib() const { return as_double() / 1073741824.0; }
  constexpr double as_mib() const { return as_double() / 1048576.0; }

  friend constexpr Bytes operator+(Bytes a, Bytes b) {
    return Bytes(saturating_add(a.value_, b.value_));
  }
  // Stops at zero: "what is left" is never negative; compare before subtracting when it matters.
  friend constexpr Bytes operator-(Bytes a, Bytes b) {
    return Bytes(a.value_ > b.value_ ? a.value_ - b.value_ : 0);
  }
  friend constexpr Bytes operator*(Bytes a, std::uint64_t n) {
    return Bytes(saturating_mul(a.value_, n));
  }
  friend constexpr Bytes operator*(std::uint64_t n, Bytes a) { return a * n; }
  constexpr Bytes& operator+=(Bytes other) { return *this = *this + other; }
  constexpr auto operator<=>(const Bytes&) const = default;

 private:
  std::uint64_t value_ = 0;
};

// Rounded to the nearest byte; negative and NaN become 0, beyond 64 bits saturates.
constexpr Bytes bytes_from(double value) {
  if (!(value > 0)) return Bytes(0);
  if (value >= 18446744073709549568.0) return Bytes(~std::uint64_t{0});
  return Bytes(static_cast<std::uint64_t>(value + 0.5));
}
constexpr Bytes mib(double value) {
  return bytes_from(value * 1048576.0);
}
constexpr Bytes gib(double value) {
  return bytes_from(value * 1073741824.0);
}
constexpr Bytes gb(double value) {
  return bytes_from(value * 1e9);
}

// A plain figure with its unit in the type; used for rates that are only compared and divided.
template <typename Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}
  constexpr double value() const { return value_; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.value_ + b.value_);
  }
  friend constexpr Quantity operator*(Quantity a, double f) { return Quantity(a.value_ * f); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  constexpr auto operator<=>(const Quantity&) const = default;

 private:
  double value_ = 0;
};
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;
using FlopPerSecond = Quantity<struct FlopPerSecondTag>;
using Seconds = Quantity<struct SecondsTag>;
using Watts = Quantity<struct WattsTag>;

}  // namespace steelyard

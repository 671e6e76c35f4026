// Every figure says where it comes from, in one of five words, and how far it may be off.
#pragma once

#include <string_view>

#include "base/units.h"

namespace steelyard {

enum class Origin { exact, measured, predicted, sold_as, assumed };

// The word used in text, JSON, page and report alike.
constexpr std::string_view origin_word(Origin origin) {
  switch (origin) {
    case Origin::exact:
      return "exact";
    case Origin::measured:
      return "measured";
    case Origin::predicted:
      return "predicted";
    case Origin::sold_as:
      return "sold_as";
    case Origin::assumed:
      return "assumed";
  }
  return "assumed";
}

// An amount of memory with its band. For `exact` figures low == value == high.
struct ByteFigure {
  Bytes value;
  Bytes low;
  Bytes high;
  Origin origin = Origin::exact;

  static constexpr ByteFigure exact(Bytes b) { return {b, b, b, Origin::exact}; }
  static constexpr ByteFigure banded(Bytes v, Bytes lo, Bytes hi, Origin o) {
    return {v, lo < v ? lo : v, hi > v ? hi : v, o};
  }
  // value x [low_factor, high_factor]
  static constexpr ByteFigure scaled(Bytes v, double low_factor, double high_factor, Origin o) {
    return banded(v, bytes_from(v.as_double() * low_factor),
                  bytes_from(v.as_double() * high_factor), o);
  }
  // Sums carry the weaker origin: a sum with one predicted term is predicted.
  friend constexpr ByteFigure operator+(ByteFigure a, ByteFigure b) {
    return {a.value + b.value, a.low + b.low, a.high + b.high,
            static_cast<int>(a.origin) > static_cast<int>(b.origin) ? a.origin : b.origin};
  }
};

}  // namespace steelyard

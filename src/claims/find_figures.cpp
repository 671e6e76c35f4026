// Numbers with a unit behind them: "1248TFLOPS", "296T", "3.35 TB/s", "48G", "450W", "1979 万亿次".
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "claims/advert.h"

namespace steelyard::claims {
namespace {

struct Unit {
  std::string_view word;  // lower case
  Measure quantity;
  double scale;
  bool integer = false;
  bool binary = false;
};

// Longer words first where one begins another.
constexpr auto units = std::to_array<Unit>({
    {"tflop/s", Measure::rate, 1e12},
    {"tflops", Measure::rate, 1e12},
    {"teraflops", Measure::rate, 1e12},
    {"tflop", Measure::rate, 1e12},
    {"tops", Measure::rate, 1e12, true},
    {"pflop/s", Measure::rate, 1e15},
    {"pflops", Measure::rate, 1e15},
    {"petaflops", Measure::rate, 1e15},
    {"pops", Measure::rate, 1e15, true},
    {"gflops", Measure::rate, 1e9},
    {"万亿次", Measure::rate, 1e12},
    {"千万亿次", Measure::rate, 1e15},
    {"tb/s", Measure::bandwidth, 1e12},
    {"tbps", Measure::bandwidth, 1e12},
    {"tb/秒", Measure::bandwidth, 1e12},
    {"gb/s", Measure::bandwidth, 1e9},
    {"gbps", Measure::bandwidth, 1e9},
    {"gb/秒", Measure::bandwidth, 1e9},
    {"g/s", Measure::bandwidth, 1e9},
    {"gib", Measure::memory, 1073741824.0, false, true},
    {"gb", Measure::memory, 1e9},
    {"kw", Measure::power, 1e3},
    {"watts", Measure::power, 1},
    {"watt", Measure::power, 1},
    {"瓦", Measure::power, 1},
    {"t", Measure::rate, 1e12},
    {"p", Measure::rate, 1e15},
    {"g", Measure::memory, 1e9},
    {"w", Measure::power, 1},
});

bool letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

const Unit* unit_at(std::string_view lowered, std::size_t at) {
  for (const Unit& unit : units) {
    if (!lowered.substr(at).starts_with(unit.word)) continue;
    const std::size_t end = at + unit.word.size();
    const bool word = letter(unit.word.back());
    if (word && end < lowered.size() && (letter(lowered[end]) || lowered[end] == '_')) continue;
    return &unit;
  }
  return nullptr;
}

struct Number {
  double value = 0, half_digit = 0;
  std::size_t end = 0;
};

// Digits with thousands' commas and one point. Nothing for numbers no card can have.
std::optional<Number> number_at(std::string_view text, std::size_t at) {
  std::string digits;
  std::size_t i = at;
  int decimals = -1;
  for (; i < text.size() && digits.size() < 16; ++i) {
    const char c = text[i];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      digits += c;
      if (decimals >= 0) ++decimals;
    } else if (c == '.' && decimals < 0 && i + 1 < text.size() &&
               std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0) {
      digits += c;
      decimals = 0;
    } else if (c == ',' && decimals < 0 && i + 3 < text.size() &&
               std::all_of(
                   text.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                   text.begin() + static_cast<std::ptrdiff_t>(i) + 4,
                   [](unsigned char d) { return std::isdigit(d) != 0; })) {
      continue;
    } else {
      break;
    }
  }
  if (digits.size() >= 16) return std::nullopt;
  Number number{.end = i};
  number.value = std::strtod(digits.c_str(), nullptr);
  number.half_digit = 0.5 * std::pow(10.0, -std::max(0, decimals));
  if (!(number.value > 0)) return std::nullopt;
  return number;
}

}  // namespace

std::vector<Figure> find_figures(const std::string& text) {
  const std::string lowered = lower(text);
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    const bool inside = i > 0 && (letter(text[i - 1]) || text[i - 1] == '.' || text[i - 1] == '_');
    if (!digit || inside) continue;
    const auto number = number_at(text, i);
    if (!number) {
      while (i + 1 < text.size() && letter(text[i + 1])) ++i;
      continue;
    }
    std::size_t at = number->end;
    if (at < text.size() && text[at] == ' ') ++at;
    const Unit* unit = unit_at(lowered, at);
    if (unit == nullptr) {
      i = number->end - 1;
      continue;
    }
    const std::size_t end = at + unit->word.size();
    figures.push_back({.quantity = unit->quantity,
                       .value = number->value * unit->scale,
                       .tolerance = std::clamp(number->half_digit / number->value, 0.012, 0.05),
                       .text = text.substr(i, end - i),
                       .at = i,
                       .end = end,
                       .integer_unit = unit->integer,
                       .labelled_gb = !unit->binary});
    i = end - 1;
  }
  return figures;
}

}  // namespace steelyard::claims

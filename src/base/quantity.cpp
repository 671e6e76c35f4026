#include "base/quantity.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/text.h"

namespace steelyard {
namespace {

// A number and the unit word behind it, width folded, thousands commas removed.
struct Parsed {
  double number;
  std::string unit;  // lower case
  std::string unit_as_typed;
};

Error bad(std::string_view text, std::string_view field, std::string_view want) {
  return {.kind = ErrorKind::usage,
          .what = fmt::format("'{}' is not {}", text, want),
          .field = std::string(field),
          .try_this = fmt::format("write {}", want)};
}

Result<Parsed> read(std::string_view text, std::string_view field, std::string_view want) {
  const std::string folded = fold_width(text);
  std::string digits;
  std::string_view rest = trim(folded);
  while (!rest.empty() && (std::isdigit(static_cast<unsigned char>(rest[0])) != 0 ||
                           rest[0] == '.' || rest[0] == ',' || rest[0] == '_')) {
    if (rest[0] != ',' && rest[0] != '_') digits += rest[0];
    rest.remove_prefix(1);
  }
  // "1e9" is a number too; "3e" is not an exponent.
  if (rest.size() >= 2 && (rest[0] == 'e' || rest[0] == 'E') &&
      std::isdigit(static_cast<unsigned char>(rest[1])) != 0) {
    digits += 'e';
    rest.remove_prefix(1);
    while (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0])) != 0) {
      digits += rest[0];
      rest.remove_prefix(1);
    }
  }
  double number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || code != std::errc{} || end != digits.data() + digits.size() ||
      !std::isfinite(number)) {
    return fail(bad(text, field, want));
  }
  return Parsed{number, lower(trim(rest)), std::string(trim(rest))};
}

}  // namespace

Result<std::uint64_t> parse_tokens(std::string_view text, std::string_view field) {
  constexpr std::string_view want = "a whole count such as 8192, 8k or 1m";
  auto parsed = read(text, field, want);
  if (!parsed) return std::unexpected(parsed.error());
  double factor = 0;
  if (parsed->unit.empty()) factor = 1;
  if (parsed->unit == "k" || parsed->unit == "ki") factor = 1024;
  if (parsed->unit == "m" || parsed->unit == "mi") factor = 1024.0 * 1024.0;
  const double value = parsed->number * factor;
  // 2^40 tokens is beyond any machine; the limit keeps products far from overflow.
  if (value < 1 || value > 1099511627776.0 || value != std::floor(value)) {
    return fail(bad(text, field, want));
  }
  return static_cast<std::uint64_t>(value);
}

Result<Bytes> parse_bytes(std::string_view text, std::string_view field) {
  constexpr std::string_view want = "an amount of memory such as 24GB, 24GiB or 512MiB";
  auto parsed = read(text, field, want);
  if (!parsed) return std::unexpected(parsed.error());
  static constexpr std::pair<std::string_view, double> units[] = {{"", 1},
                                                                  {"b", 1},
                                                                  {"kb", 1e3},
                                                                  {"mb", 1e6},
                                                                  {"gb", 1e9},
                                                                  {"tb", 1e12},
                                                                  {"kib", 1024.0},
                                                                  {"mib", 1048576.0},
                                                                  {"gib", 1073741824.0},
                                                                  {"tib", 1099511627776.0},
                                                                  {"k", 1024.0},
                                                                  {"m", 1048576.0},
                                                                  {"g", 1073741824.0},
                                                                  {"t", 1099511627776.0}};
  for (const auto& [name, factor] : units) {
    if (parsed->unit != name) continue;
    // "--gpu-memory 24" means gigabytes to one and nothing to a program: large counts are bytes.
    if (name.empty() && parsed->number != 0 && parsed->number < 1048576) break;
    const double value = parsed->number * factor;
    if (value > 1e18) break;
    return bytes_from(value);
  }
  return fail(bad(text, field, want));
}

Result<Seconds> parse_duration(std::string_view text, std::string_view field) {
  constexpr std::string_view want = "a duration such as 500ms, 90s, 5m, 4h, 30d or 3y";
  auto parsed = read(text, field, want);
  if (!parsed) return std::unexpected(parsed.error());
  static constexpr std::pair<std::string_view, double> units[] = {
      {"us", 1e-6}, {"ms", 1e-3},   {"s", 1},        {"m", 60},        {"min", 60},
      {"h", 3600},  {"d", 86400.0}, {"w", 604800.0}, {"y", 31557600.0}};
  for (const auto& [name, factor] : units) {
    if (parsed->unit == name && parsed->number > 0) return Seconds(parsed->number * factor);
  }
  return fail(bad(text, field, want));
}

Result<double> parse_fraction(std::string_view text, std::string_view field) {
  constexpr std::string_view want = "a fraction above 0 and up to 1 such as 0.92 or 92%";
  auto parsed = read(text, field, want);
  if (!parsed) return std::unexpected(parsed.error());
  const double value = parsed->unit == "%" ? parsed->number / 100 : parsed->number;
  if ((parsed->unit != "%" && !parsed->unit.empty()) || value <= 0 || value > 1) {
    return fail(bad(text, field, want));
  }
  return value;
}

Result<double> parse_number(std::string_view text, std::string_view field) {
  constexpr std::string_view want = "a number";
  auto parsed = read(text, field, want);
  if (!parsed) return std::unexpected(parsed.error());
  if (!parsed->unit.empty()) return fail(bad(text, field, want));
  return parsed->number;
}

std::string format_bytes(Bytes bytes) {
  if (bytes.value() == ~std::uint64_t{0}) return "over 16 EiB";
  if (bytes.as_gib() >= 99999.5) return fmt::format("{:.0f} TiB", bytes.as_gib() / 1024);
  if (bytes.value() < 1024) return fmt::format("{} B", bytes.value());
  const bool small = bytes.as_gib() < 0.0995;
  const double value = small ? bytes.as_mib() : bytes.as_gib();
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, small ? "MiB" : "GiB");
}

}  // namespace steelyard

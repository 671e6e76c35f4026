// Steps through one line of a log: numbers with their units, named values, the rank that wrote it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/base.h"

namespace steelyard::logs {

struct Line {
  std::string_view text;
  std::uint64_t number = 0;
  bool has(std::string_view part) const { return text.find(part) != std::string_view::npos; }
};

// Without colours, the carriage return and what a terminal would obey.
std::string cleaned(std::string_view raw);

// "1,234", "-0.41", "78.65". `rounding` is half of the last digit.
struct Number {
  double value = 0, rounding = 0.5;
  bool negative = false;
  std::size_t end = 0;  // behind it in the text
};
std::optional<Number> number_at(std::string_view text, std::size_t at);

// The number behind the words `before`, and in bytes when a unit of memory follows. The engines
// write GB and mean 2^30.
std::optional<Number> number_after(std::string_view text, std::string_view before);
std::optional<double> unit_at(std::string_view text, std::size_t at);

// The value of `key` in "key=value, ", "'key': value" or "--key value" (with hyphens). Empty: not
// there, or None.
std::string value_of(std::string_view text, std::string_view key);

// "TP0" of "(Worker_TP0 pid=81) INFO ..." and of "[2026-01-31 13:50:39 TP0] ...". Empty: unnamed.
std::string rank_of(std::string_view text);

// The part of a line that is quoted, short and printable.
std::string quoted(std::string_view text, std::size_t from, std::size_t end);

}  // namespace steelyard::logs

// The advert with one spelling for each sign: widths folded, one sign for "times", one for minus.
#include <algorithm>
#include <array>
#include <cctype>

#include "claims/advert.h"
#include "claims/scan.h"

namespace steelyard::claims {
namespace {

constexpr auto same = std::to_array<std::pair<std::string_view, std::string_view>>({{"✕", "×"},
                                                                                    {"✖", "×"},
                                                                                    {"╳", "×"},
                                                                                    {"⨯", "×"},
                                                                                    {"\u00a0", " "},
                                                                                    {"\u2009", " "},
                                                                                    {"\u202f", " "},
                                                                                    {"\t", " "},
                                                                                    {"−", "-"},
                                                                                    {"‐", "-"},
                                                                                    {"‑", "-"},
                                                                                    {"￥", "¥"},
                                                                                    {"½", "1/2"},
                                                                                    {"¼", "1/4"},
                                                                                    {"¾", "3/4"}});

bool is_x(char c) {
  return c == 'x' || c == 'X';
}

std::size_t digits_from(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

// "8xH100" becomes "8 x H100".
bool count_before_name(std::string_view text, std::size_t x) {
  std::size_t first = x;
  while (first > 0 && is_digit(text[first - 1])) --first;
  const std::size_t digits = x - first;
  if (digits == 0 || digits > 4 ||
      (first > 0 && (is_word(text[first - 1]) || text[first - 1] == '.'))) {
    return false;
  }
  if (x + 1 >= text.size()) return false;
  const bool letter = std::isalpha(static_cast<unsigned char>(text[x + 1])) != 0;
  return letter || (digits <= 3 && is_digit(text[x + 1]));
}

// "H100x8" becomes "H100 x8"; the X of "MI300X 8" is part of a name.
bool count_behind_name(std::string_view text, std::size_t x) {
  if (x == 0 || !is_word(text[x - 1])) return false;
  const std::size_t digits = digits_from(text, x + 1);
  if (digits == 0 || digits > 4) return false;
  const std::size_t end = x + 1 + digits;
  if (end < text.size() && is_word(text[end])) return false;
  std::size_t first = x;
  while (first > 0 && is_word(text[first - 1])) --first;
  const std::string_view name = text.substr(first, x - first);
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const bool digits_inside = std::ranges::any_of(name, is_digit);
  const std::size_t leading = digits_from(name, 0);
  // "H100x8", "4090x2", "3080Tix2"; not the X of "RTX4090" or "4xRTX4090", nor a screen "192x8".
  return (letter(name.front()) && digits_inside) || (leading == name.size() && leading == 4) ||
         (leading >= 3 && letter(name.back()));
}

// "82,58 TFLOPS" becomes "82.58 TFLOPS": a comma with one or two digits and a unit behind it is a
// decimal one. Sizes stay: "8,16 GB" is a list.
void point_for_comma(std::string& text) {
  constexpr std::string_view units[] = {"tflop", "tops", "pflop", "pops", "gflop", "eflop",
                                        "tb/s",  "tbps", "gb/s",  "ghz",  "kw",    "tf "};
  for (std::size_t at = text.find(','); at != std::string::npos; at = text.find(',', at + 1)) {
    const std::size_t digits = digits_from(text, at + 1);
    if (at == 0 || !is_digit(text[at - 1]) || digits == 0 || digits > 2) continue;
    std::size_t first = at;
    while (first > 0 && is_digit(text[first - 1])) --first;
    const bool inside = first > 0 && (is_word(text[first - 1]) || text[first - 1] == ',' ||
                                      text[first - 1] == '.' || text[first - 1] == '/');
    if (inside || at - first > 4) continue;
    const std::size_t behind = skip_blanks(text, at + 1 + digits);
    const std::string unit = lower(text.substr(behind, 8)) + " ";
    if (std::ranges::any_of(units, [&](auto word) { return unit.starts_with(word); })) {
      text[at] = '.';
    }
  }
}

// "DP 34 TFLOPS" becomes "FP64 34 TFLOPS", "67 TFLOPS SP" "67 TFLOPS FP32"; the DP of "HDMI DP 1.4"
// is a socket.
std::string widths_named(const std::string& text) {
  std::string named;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string two = lower(text.substr(i, 2));
    const bool inside = i > 0 && is_word(text[i - 1]);
    const bool ends = i + 2 >= text.size() || !is_word(text[i + 2]);
    if ((two != "dp" && two != "sp") || inside || !ends) {
      named += text[i];
      continue;
    }
    std::size_t next = skip_blanks(text, i + 2);
    if (next < text.size() && (text[next] == ':' || text[next] == '=')) {
      next = skip_blanks(text, next + 1);
    }
    const auto number = number_at(text, next);
    const auto rate = [](std::string_view unit) {
      return unit.starts_with("tflop") || unit.starts_with("pflop") || unit.starts_with("gflop");
    };
    const bool before = number && rate(lower(text.substr(skip_blanks(text, number->end), 5)));
    std::size_t word = back_over_blanks(text, i);
    while (word > 0 && is_word(text[word - 1])) --word;
    const std::size_t behind = skip_blanks(text, i + 2);
    const bool last = behind >= text.size() || text[behind] == ',' || text[behind] == ';';
    if (before || (last && rate(lower(text.substr(word, 5))))) {
      named += two == "dp" ? "FP64" : "FP32";
      ++i;
    } else {
      named += text[i];
    }
  }
  return named;
}

}  // namespace

std::string plain_text(std::string_view written) {
  std::string text = fold_width(written);
  for (const auto& [from, to] : same) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      text.replace(at, from.size(), to);
      at += to.size();
    }
  }
  point_for_comma(text);
  text = widths_named(text);
  std::string apart;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool before = is_x(text[i]) && count_before_name(text, i);
    const bool behind = is_x(text[i]) && !before && count_behind_name(text, i);
    if (before || behind) apart += ' ';
    apart += text[i];
    if (before) apart += ' ';
  }
  return apart;
}

}  // namespace steelyard::claims

#include "claims/scan.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace steelyard::claims {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  return at;
}

std::size_t back_over_blanks(std::string_view text, std::size_t at) {
  while (at > 0 && text[at - 1] == ' ') --at;
  return at;
}

bool word_at(std::string_view lowered, std::size_t at, std::string_view word) {
  if (at > lowered.size() || word.empty() || !lowered.substr(at).starts_with(word)) return false;
  const std::size_t end = at + word.size();
  return !is_word(word.back()) || end >= lowered.size() || !is_word(lowered[end]);
}

bool word_before(std::string_view lowered, std::size_t end, std::string_view word) {
  if (word.empty() || !lowered.substr(0, end).ends_with(word)) return false;
  const std::size_t at = end - word.size();
  return !is_word(word.front()) || at == 0 || !is_word(lowered[at - 1]);
}

std::size_t any_at(std::string_view lowered, std::size_t at,
                   std::span<const std::string_view> words) {
  const auto found = std::ranges::find_if(
      words, [&](std::string_view word) { return word_at(lowered, at, word); });
  return found == words.end() ? 0 : found->size();
}

std::size_t any_before(std::string_view lowered, std::size_t end,
                       std::span<const std::string_view> words) {
  const auto found = std::ranges::find_if(
      words, [&](std::string_view word) { return word_before(lowered, end, word); });
  return found == words.end() ? 0 : found->size();
}

std::optional<Number> number_at(std::string_view text, std::size_t at) {
  constexpr std::size_t most_digits = 16;
  const auto digits_follow = [&](std::size_t from, std::size_t count) {
    if (from + count > text.size()) return false;
    return std::ranges::all_of(text.substr(from, count), is_digit);
  };
  std::string digits;
  std::size_t i = at;
  int decimals = -1;
  for (; i < text.size() && digits.size() < most_digits; ++i) {
    const char c = text[i];
    if (is_digit(c)) {
      digits += c;
      if (decimals >= 0) ++decimals;
    } else if (c == '.' && decimals < 0 && !digits.empty() && digits_follow(i + 1, 1)) {
      digits += c;
      decimals = 0;
    } else if (c == ',' && decimals < 0 && !digits.empty() && digits_follow(i + 1, 3) &&
               !digits_follow(i + 4, 1)) {
      continue;
    } else {
      break;
    }
  }
  if (digits.empty() || digits.size() >= most_digits) return std::nullopt;
  if (i + 1 < text.size() && (text[i] == 'e' || text[i] == 'E') && is_digit(text[i + 1])) {
    return std::nullopt;
  }
  Number number{.value = std::strtod(digits.c_str(), nullptr),
                .last_digit = std::pow(10.0, -std::max(0, decimals)),
                .end = i};
  for (const char c : digits) {
    if (is_digit(c) && (c != '0' || number.significant > 0)) ++number.significant;
  }
  return number;
}

}  // namespace steelyard::claims

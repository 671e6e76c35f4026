// Small steps through an advert's text. Positions are bytes; `lowered` is the text in lower case.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace steelyard::claims {

bool is_digit(char c);
bool is_word(char c);  // a letter or digit of ASCII
std::size_t skip_blanks(std::string_view text, std::size_t at);
std::size_t back_over_blanks(std::string_view text, std::size_t at);

// Whether `word` stands at `at`, and no letter or digit of the same script carries on behind it.
bool word_at(std::string_view lowered, std::size_t at, std::string_view word);
// Whether `word` ends at `end`, and does not begin inside another.
bool word_before(std::string_view lowered, std::size_t end, std::string_view word);
// The length of the first of `words` that stands at `at`, or ends at `end`; 0 when none does.
std::size_t any_at(std::string_view lowered, std::size_t at,
                   std::span<const std::string_view> words);
std::size_t any_before(std::string_view lowered, std::size_t end,
                       std::span<const std::string_view> words);

struct Number {
  double value = 0;
  double last_digit = 1;  // one step of the last printed digit
  int significant = 0;    // digits without leading zeros
  std::size_t end = 0;
};
// Digits with thousands' commas and one point; nothing when no digit stands at `at`, or for more
// digits than any figure has. "1e9" is none.
std::optional<Number> number_at(std::string_view text, std::size_t at);

}  // namespace steelyard::claims

// Small text helpers. ASCII case rules only; UTF-8 passes through untouched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

std::string_view trim(std::string_view text);
std::string lower(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
bool starts_with_icase(std::string_view text, std::string_view prefix);
bool contains_icase(std::string_view text, std::string_view part);

// Full-width ASCII (U+FF01..U+FF5E) and the ideographic space become their plain forms.
std::string fold_width(std::string_view text);

// Letters and digits only, lower case, width folded: the key under which names are compared.
std::string name_key(std::string_view text);

// Levenshtein distance with adjacent transpositions (optimal string alignment).
int edit_distance(std::string_view a, std::string_view b);

// Up to `count` candidates nearest to `word` by name_key, best first; ties in input order.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates,
                                 std::size_t count);

// 1234567 -> "1,234,567".
std::string with_commas(std::uint64_t value);

}  // namespace steelyard

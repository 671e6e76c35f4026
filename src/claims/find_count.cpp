// How many cards the machine has: "8卡A100", "双卡", "A100 x8", "8 GPUs", "4*4090".
#include <algorithm>
#include <array>
#include <cctype>

#include "claims/advert.h"

namespace steelyard::claims {
namespace {

constexpr auto numerals = std::to_array<std::pair<std::string_view, std::uint32_t>>({{"十六", 16},
                                                                                     {"双", 2},
                                                                                     {"两", 2},
                                                                                     {"二", 2},
                                                                                     {"三", 3},
                                                                                     {"四", 4},
                                                                                     {"六", 6},
                                                                                     {"八", 8},
                                                                                     {"十", 10}});
constexpr auto ones = std::to_array<std::string_view>({"单", "一", "single "});
constexpr auto counters = std::to_array<std::string_view>(
    {"卡", "张", "块", "片", "路", "gpus", "gpu", "cards", "card", "pcs"});

bool digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool counter_at(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '-')) ++at;
  for (const std::string_view word : counters) {
    if (!text.substr(at).starts_with(word)) continue;
    const std::size_t end = at + word.size();
    if (!letter(word.back()) || end >= text.size() || !letter(text[end])) return true;
  }
  return false;
}

// "x8", "×8", "*8" or, in front of a name, "8x", "8 x", "8*", "8×".
bool times_before(std::string_view text, std::size_t at) {
  while (at > 0 && text[at - 1] == ' ') --at;
  if (at == 0) return false;
  if (text[at - 1] == '*' || text.substr(0, at).ends_with("×")) return true;
  const bool x = text[at - 1] == 'x';
  return x && (at < 2 || !letter(text[at - 2]));
}
// Behind "8 x" must stand something like a card's name: "8 x H100" is a count, "3x the rate" is
// not.
bool names_a_card(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return false;
  std::size_t end = begin;
  while (end < text.size() && letter(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  for (const std::string_view maker : {"rtx", "gtx", "nvidia", "geforce", "tesla", "amd",
                                       "instinct", "quadro", "ascend", "gpu", "gpus"}) {
    if (word == maker) return true;
  }
  return std::ranges::any_of(word, digit) && !word.starts_with("fp") && !word.starts_with("int");
}

bool times_after(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  if (at >= text.size()) return false;
  if (text[at] == '*') return names_a_card(text.substr(at + 1));
  if (text.substr(at).starts_with("×")) return names_a_card(text.substr(at + 2));
  return text[at] == 'x' && names_a_card(text.substr(at + 1));
}

std::optional<std::uint32_t> counted_in_words(std::string_view text) {
  for (const auto& [word, count] : numerals) {
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
      if (counter_at(text, at + word.size())) return count;
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> counted_in_digits(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!digit(text[i]) || (i > 0 && (digit(text[i - 1]) || text[i - 1] == '.'))) continue;
    std::size_t end = i;
    std::uint32_t count = 0;
    while (end < text.size() && digit(text[end]) && end - i < 5) {
      count = count * 10 + static_cast<std::uint32_t>(text[end++] - '0');
    }
    if (count == 0 || count > 1024 || (end < text.size() && digit(text[end]))) continue;
    const bool alone = i == 0 || !letter(text[i - 1]);
    if (alone && (counter_at(text, end) || times_after(text, end))) return count;
    const bool ends = end >= text.size() || !letter(text[end]);
    if (ends && count <= 64 && times_before(text, i)) return count;
  }
  return std::nullopt;
}

}  // namespace

// "单卡" (one card) comes last: beside "8卡" it says that a figure is one card's.
std::optional<std::uint32_t> find_count(const std::string& text) {
  const std::string lowered = lower(text);
  if (const auto count = counted_in_digits(lowered)) return count;
  if (const auto count = counted_in_words(lowered)) return count;
  for (const std::string_view word : ones) {
    const std::size_t at = lowered.find(word);
    if (at != std::string::npos && counter_at(lowered, at + word.size())) return 1;
  }
  return std::nullopt;
}

}  // namespace steelyard::claims

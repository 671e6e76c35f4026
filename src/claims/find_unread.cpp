// What is left of the text and looks like a figure.
#include <algorithm>
#include <array>

#include "claims/advert.h"
#include "claims/scan.h"

namespace steelyard::claims {
namespace {

constexpr std::string_view rate_words[] = {"tops",      "tflops",   "pflops",    "eflops",
                                           "petaflops", "exaflops", "teraflops", "pops"};

// The word around the digit at `at`: "660", "1e999", "70B", "1080P", "25%".
Span word_around(std::string_view text, std::size_t at) {
  const auto inside = [](char c) { return is_word(c) || c == '.' || c == '%'; };
  Span span{at, at + 1};
  while (span.at > 0 && inside(text[span.at - 1])) --span.at;
  while (span.end < text.size() &&
         (inside(text[span.end]) ||
          (text[span.end] == ',' && span.end + 1 < text.size() && is_digit(text[span.end + 1])))) {
    ++span.end;
  }
  while (span.at < at && !is_word(text[span.at])) ++span.at;
  while (span.end > at + 1 && !is_word(text[span.end - 1]) && text[span.end - 1] != '%') --span.end;
  return span;
}

// With the one word behind it, when that could be its unit: "9000 points".
Span with_unit(std::string_view text, Span span) {
  std::size_t next = skip_blanks(text, span.end);
  std::size_t end = next;
  while (end < text.size() && end - next < 16 && text[end] >= 'a' && text[end] <= 'z') ++end;
  if (end < text.size() && (is_digit(text[end]) || end - next >= 16)) return span;
  if (end + 1 < text.size() && text[end] == '/' && text[end + 1] >= 'a' && text[end + 1] <= 'z') {
    ++end;
    while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
  }
  return end > next ? Span{span.at, end} : span;
}

// Whether the digits at `at` stand in a card's name as the catalogue has it. Those that only stand
// between its words ("H100 80GB 335") are figures like any other.
bool of_a_name(const Advert& advert, std::size_t at) {
  const std::string_view text = advert.lowered;
  return std::ranges::any_of(advert.named, [&](const Named& named) {
    if (at < named.at || at >= named.end) return false;
    std::size_t from = at, end = at;
    while (from > named.at && is_digit(text[from - 1])) --from;
    while (end < named.end && is_digit(text[end])) ++end;
    const std::string_view digits = text.substr(from, end - from);
    const auto has = [&](const std::string& name) { return name.contains(digits); };
    return std::ranges::any_of(named.match.variants, [&](const facts::Accelerator* card) {
      return has(card->name) || std::ranges::any_of(card->aliases, has) ||
             std::ranges::any_of(card->short_names, has);
    });
  });
}

std::string why(std::string_view word) {
  const char last = word.back();
  const bool number = std::ranges::all_of(word.substr(0, word.size() - 1),
                                          [](char c) { return is_digit(c) || c == '.'; });
  if (number && word.size() > 1 && (last == 'b' || last == 'B')) {
    return "a model's size: `steelyard size` says whether it fits";
  }
  if (number && is_digit(last)) return "no unit: TFLOPS, GB, GB/s or W?";
  return "not a unit that is read here";
}

// A unit of rates without a number: "强大的 AI TOPS".
void lonely_units(const Advert& advert, std::vector<NotRead>& left) {
  const bool rates = std::ranges::any_of(
      advert.figures, [](const Figure& f) { return f.quantity == Measure::rate; });
  if (rates || !left.empty()) return;
  for (const std::string_view word : rate_words) {
    for (std::size_t at = advert.lowered.find(word); at != std::string::npos;
         at = advert.lowered.find(word, at + 1)) {
      if (advert.is_taken(at) || !word_before(advert.lowered, at + word.size(), word) ||
          !word_at(advert.lowered, at, word)) {
        continue;
      }
      left.push_back({advert.text.substr(at, word.size()), "no number stands beside it"});
      return;
    }
  }
}

// "三百TFLOPS": a number in Chinese signs.
void chinese_numbers(const Advert& advert, std::vector<NotRead>& left) {
  constexpr std::string_view signs[] = {"零", "一", "二", "两", "三", "四", "五", "六",
                                        "七", "八", "九", "十", "百", "千", "万", "点"};
  constexpr std::string_view behind[] = {"tflops", "tops",   "pflops", "t",    "p",
                                         "gb",     "g",      "gb/s",   "tb/s", "w",
                                         "瓦",     "万亿次", "亿亿次", "亿次"};
  const std::string& text = advert.lowered;
  for (std::size_t i = 0; i + 3 <= text.size();) {
    std::size_t end = i;
    while (end + 3 <= text.size() &&
           std::ranges::find(signs, std::string_view(text).substr(end, 3)) != std::end(signs)) {
      end += 3;
    }
    if (end == i) {
      ++i;
      continue;
    }
    const std::size_t unit = any_at(text, skip_blanks(text, end), behind);
    const bool number_before = i > 0 && is_digit(text[i - 1]);
    if (unit > 0 && !advert.is_taken(i) && !number_before) {
      left.push_back(
          {advert.text.substr(i, skip_blanks(text, end) + unit - i), "write the number in digits"});
    }
    i = end;
  }
}

}  // namespace

std::vector<NotRead> find_unread(const Advert& advert) {
  constexpr std::size_t most = 40;
  const std::string& text = advert.lowered;
  std::vector<NotRead> left;
  const auto named = [&](std::size_t at) {
    return std::ranges::any_of(advert.named,
                               [&](const Named& n) { return at >= n.at && at < n.end; });
  };
  for (std::size_t i = 0; i < text.size() && left.size() < most; ++i) {
    if (!is_digit(text[i]) || advert.is_taken(i) || of_a_name(advert, i)) continue;
    Span span = word_around(text, i);
    const bool figure =
        is_digit(text[span.at]) || std::ranges::any_of(rate_words, [&](std::string_view word) {
          return std::string_view(text).substr(span.at).starts_with(word);
        });
    // A word that begins with a letter is some other name ("Llama3", "Llama-3", "W8A8").
    const bool hyphen = span.at > 1 && text[span.at - 1] == '-' && is_word(text[span.at - 2]) &&
                        !is_digit(text[span.at - 2]) && !named(span.at - 2) &&
                        span.end - span.at < 3;
    // A long article repeats its cards beyond the number of names that are kept.
    const bool repeated = std::ranges::any_of(advert.named, [&](const Named& n) {
      return std::string_view(text).substr(n.at, n.end - n.at) ==
             std::string_view(text).substr(span.at, span.end - span.at);
    });
    if (figure && !hyphen && !repeated) {
      const std::string word = advert.text.substr(span.at, span.end - span.at);
      if (!why(word).starts_with("a model")) span = with_unit(text, span);
      NotRead one{advert.text.substr(span.at, span.end - span.at), why(word)};
      constexpr std::size_t longest = 40;
      if (one.text.size() > longest) one.text = one.text.substr(0, longest) + "...";
      const bool unit = one.text.size() > word.size();
      if (unit && why(word).starts_with("no unit")) one.because = "not a unit that is read here";
      if (std::ranges::find(left, one.text, &NotRead::text) == left.end()) left.push_back(one);
    }
    i = span.end - 1;
  }
  chinese_numbers(advert, left);
  lonely_units(advert, left);
  return left;
}

}  // namespace steelyard::claims

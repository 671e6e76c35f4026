// Names of cards inside running text: windows of words, the longest that the catalogue knows.
#include <algorithm>
#include <cctype>
#include <set>

#include "claims/advert.h"
#include "claims/scan.h"

namespace steelyard::claims {
namespace {

using Keys = std::set<std::string, std::less<>>;

// Runs of letters and digits; other scripts separate them.
std::vector<Span> words_of(const std::string& text) {
  std::vector<Span> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    Span word{.at = i};
    while (i < text.size() && is_word(text[i])) ++i;
    word.end = i;
    words.push_back(word);
  }
  return words;
}

// Only blanks and joining signs between two words keep them in one name.
bool joined(const std::string& text, const Span& a, const Span& b) {
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(a.end),
                     text.begin() + static_cast<std::ptrdiff_t>(b.at),
                     [](char c) { return c == ' ' || c == '-' || c == '_'; });
}

// All keys that the catalogue's names have.
Keys all_keys(const facts::Catalogue& catalogue) {
  Keys keys;
  for (const facts::Accelerator& card : catalogue.accelerators()) {
    keys.insert(name_key(card.name));
    for (const std::string& alias : card.aliases) keys.insert(name_key(alias));
    for (const std::string& name : card.short_names) keys.insert(name_key(name));
  }
  return keys;
}

bool has_digit(std::string_view text) {
  return std::ranges::any_of(text, is_digit);
}

// "H100s": a plural, where the catalogue has no card of that spelling.
facts::CardMatch without_plural(const facts::Catalogue& catalogue, const std::string& word) {
  if (word.size() < 4 || word.back() != 's' || !has_digit(word)) return {};
  return catalogue.find_card(word.substr(0, word.size() - 1));
}

// A name without a digit ("DGX Spark", "TITAN RTX") must be a whole name of the catalogue.
bool may_be_name(const Keys& keys, const std::string& window, std::size_t words) {
  if (has_digit(window)) return true;
  return words > 1 && keys.contains(name_key(window));
}

// "A100 80 GB/s": the size that the window ends with is a speed.
bool speed_behind(std::string_view text, std::size_t end) {
  const std::string_view rest = text.substr(end);
  return rest.starts_with("/s") || rest.starts_with("/S") || rest.starts_with("/秒") ||
         rest.starts_with("每秒");
}

}  // namespace

std::vector<Named> find_cards(const facts::Catalogue& catalogue, const std::string& text) {
  constexpr std::size_t longest = 6, most = 64;
  const Keys keys = all_keys(catalogue);
  std::string all;
  for (const std::string& key : keys) all += key + "\n";
  const std::vector<Span> words = words_of(text);
  std::vector<Named> found;
  std::set<std::string> refused;
  const auto window_of = [&](std::size_t first, std::size_t end) {
    return text.substr(words[first].at, words[end - 1].end - words[first].at);
  };
  for (std::size_t i = 0; i < words.size() && found.size() < most; ++i) {
    const std::string key = name_key(window_of(i, i + 1));
    const std::string stem = key.ends_with('s') ? key.substr(0, key.size() - 1) : key;
    if (key.size() < 2 || key.size() > 40 || all.find(stem) == std::string::npos) continue;
    std::size_t last = i;
    while (last + 1 < words.size() && last - i + 1 < longest &&
           joined(text, words[last], words[last + 1])) {
      ++last;
    }
    for (std::size_t end = last + 1; end > i; --end) {
      const std::string window = window_of(i, end);
      if (speed_behind(text, words[end - 1].end)) continue;
      if (window.size() > 60 || !may_be_name(keys, window, end - i) || refused.contains(window)) {
        continue;
      }
      facts::CardMatch match = catalogue.find_card(window);
      if (match.variants.empty() && end == i + 1) match = without_plural(catalogue, window);
      if (match.variants.empty()) {
        refused.insert(window);
        continue;
      }
      found.push_back({.match = std::move(match), .at = words[i].at, .end = words[end - 1].end});
      // "RTX 4090 48GB total" without "total" is the same card still.
      for (std::size_t less = end - 1; less > i && found.back().shorter.empty(); --less) {
        const std::string part = window_of(i, less);
        if (!has_digit(part)) continue;
        auto variants = catalogue.find_card(part).variants;
        if (variants != found.back().match.variants) found.back().shorter = std::move(variants);
      }
      // Words that change nothing ("A800 80G NVLink 7x", "H100 80GB 335") are none of the name's.
      std::size_t least = i + 1;
      while (least < end &&
             (!has_digit(window_of(i, least)) ||
              catalogue.find_card(window_of(i, least)).variants != found.back().match.variants)) {
        ++least;
      }
      found.back().wide_end = found.back().end;
      found.back().end = words[least - 1].end;
      i = least - 1;
      break;
    }
  }
  return found;
}

}  // namespace steelyard::claims

// Names of cards inside running text: windows of words, the longest that the catalogue knows.
#include <algorithm>
#include <cctype>
#include <set>

#include "claims/advert.h"

namespace steelyard::claims {
namespace {

struct Word {
  std::size_t at = 0, end = 0;
};

bool word_byte(unsigned char c) {
  return std::isalnum(c) != 0;
}

// Runs of letters and digits; other scripts separate them.
std::vector<Word> words_of(const std::string& text) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!word_byte(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    Word word{.at = i};
    while (i < text.size() && word_byte(static_cast<unsigned char>(text[i]))) ++i;
    word.end = i;
    words.push_back(word);
  }
  return words;
}

// Only blanks and joining signs between two words keep them in one name.
bool joined(const std::string& text, const Word& a, const Word& b) {
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(a.end),
                     text.begin() + static_cast<std::ptrdiff_t>(b.at),
                     [](char c) { return c == ' ' || c == '-' || c == '_'; });
}

// All keys that the catalogue's names have, to skip what cannot be part of one.
std::string all_keys(const facts::Catalogue& catalogue) {
  std::string keys;
  for (const facts::Accelerator& card : catalogue.accelerators()) {
    keys += name_key(card.name) + "\n";
    for (const std::string& alias : card.aliases) keys += name_key(alias) + "\n";
    for (const std::string& name : card.short_names) keys += name_key(name) + "\n";
  }
  return keys;
}

bool has_digit(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::vector<Named> find_cards(const facts::Catalogue& catalogue, const std::string& text) {
  constexpr std::size_t longest = 6, most = 64;
  const std::string keys = all_keys(catalogue);
  const std::vector<Word> words = words_of(text);
  std::vector<Named> found;
  std::set<std::string> refused;
  for (std::size_t i = 0; i < words.size() && found.size() < most; ++i) {
    const std::string key = name_key(text.substr(words[i].at, words[i].end - words[i].at));
    if (key.size() < 2 || key.size() > 40 || keys.find(key) == std::string::npos) continue;
    std::size_t last = i;
    while (last + 1 < words.size() && last - i + 1 < longest &&
           joined(text, words[last], words[last + 1])) {
      ++last;
    }
    for (std::size_t end = last + 1; end > i; --end) {
      const std::string window = text.substr(words[i].at, words[end - 1].end - words[i].at);
      if (window.size() > 60 || !has_digit(window) || refused.contains(window)) continue;
      facts::CardMatch match = catalogue.find_card(window);
      if (match.variants.empty()) {
        refused.insert(window);
        continue;
      }
      found.push_back({.match = std::move(match), .at = words[i].at, .end = words[end - 1].end});
      for (std::size_t less = end - 1; less > i && found.back().shorter.empty(); --less) {
        const std::string part = text.substr(words[i].at, words[less - 1].end - words[i].at);
        if (has_digit(part)) found.back().shorter = catalogue.find_card(part).variants;
      }
      i = end - 1;
      break;
    }
  }
  return found;
}

}  // namespace steelyard::claims

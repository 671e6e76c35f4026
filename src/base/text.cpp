#include "base/text.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace steelyard {
namespace {

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), to_lower);
  return result;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

bool starts_with_icase(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::ranges::equal(text.substr(0, prefix.size()), prefix, {}, to_lower, to_lower);
}

bool contains_icase(std::string_view text, std::string_view part) {
  return !std::ranges::search(text, part, {}, to_lower, to_lower).empty() || part.empty();
}

std::string fold_width(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    if (i + 2 < text.size() && byte(i) == 0xEF && (byte(i + 1) == 0xBC || byte(i + 1) == 0xBD)) {
      // U+FF01..U+FF5E sit 0xFEE0 above ASCII.
      const unsigned code = 0xF000u | (byte(i + 1) & 0x3Fu) << 6 | (byte(i + 2) & 0x3Fu);
      if (code >= 0xFF01 && code <= 0xFF5E) {
        result += static_cast<char>(code - 0xFEE0);
        i += 2;
        continue;
      }
    }
    if (text.substr(i, 3) == "\xE3\x80\x80") {
      result += ' ';
      i += 2;
      continue;
    }
    result += text[i];
  }
  return result;
}

std::string name_key(std::string_view text) {
  std::string key;
  for (const char c : fold_width(text)) {
    const char l = to_lower(c);
    if ((l >= 'a' && l <= 'z') || (l >= '0' && l <= '9') || static_cast<unsigned char>(l) >= 0x80) {
      key += l;
    }
  }
  return key;
}

int edit_distance(std::string_view a, std::string_view b) {
  // Names are short; a hostile one must not cost a quadratic table.
  constexpr std::size_t limit = 200;
  a = a.substr(0, limit);
  b = b.substr(0, limit);
  std::vector<int> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({substitution, last[j] + 1, now[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates,
                                 std::size_t count) {
  struct Scored {
    int distance;
    std::size_t index;
  };
  const std::string key = name_key(word);
  std::vector<Scored> scored;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::string other = name_key(candidates[i]);
    // A contained word is close however long the rest of the name is.
    const bool contained = !key.empty() && other.find(key) != std::string::npos;
    scored.push_back({contained ? 0 : edit_distance(key, other), i});
  }
  std::ranges::stable_sort(scored, {}, &Scored::distance);
  std::vector<std::string> result;
  for (const Scored& s : scored) {
    if (result.size() == count) break;
    if (std::ranges::find(result, candidates[s.index]) == result.end()) {
      result.push_back(candidates[s.index]);
    }
  }
  return result;
}

std::string with_commas(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

}  // namespace steelyard

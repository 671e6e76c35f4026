#include "logs/line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace steelyard::logs {
namespace {

bool digit(char c) {
  return c >= '0' && c <= '9';
}
bool word_sign(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Where a terminal's command that begins at `at` (its escape) ends.
std::size_t end_of_escape(std::string_view raw, std::size_t at) {
  if (at + 1 >= raw.size() || raw[at + 1] != '[') return std::min(at + 2, raw.size());
  std::size_t end = at + 2;
  while (end < raw.size() && (raw[end] < '@' || raw[end] > '~')) ++end;
  return std::min(end + 1, raw.size());
}

std::string_view up_to(std::string_view text, std::string_view stops) {
  return text.substr(0, std::min(text.find_first_of(stops), text.size()));
}

// What stands behind the sign between key and value.
std::string plain_value(std::string_view rest) {
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (rest.empty()) return "";
  if (rest.front() == '\'' || rest.front() == '"') {
    const std::size_t end = rest.find(rest.front(), 1);
    if (end == std::string_view::npos) return "";
    return std::string(rest.substr(1, end - 1));
  }
  std::string_view value = trim(up_to(rest, ",)}] \t"));
  if (value.ends_with('.')) value.remove_suffix(1);  // of the sentence
  return value == "None" || value == "null" ? "" : std::string(value);
}

}  // namespace

std::string cleaned(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size();) {
    const char c = raw[i];
    if (c == '\033') {
      i = end_of_escape(raw, i);
      continue;
    }
    if (c != '\r') text += c == '\t' ? ' ' : c;
    ++i;
  }
  return text;
}

std::optional<Number> number_at(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  Number number;
  if (at < text.size() && text[at] == '-') {
    number.negative = true;
    ++at;
  }
  if (at >= text.size() || !digit(text[at])) return std::nullopt;
  while (at < text.size() &&
         (digit(text[at]) || (text[at] == ',' && at + 1 < text.size() && digit(text[at + 1])))) {
    if (text[at] != ',') number.value = number.value * 10 + (text[at] - '0');
    ++at;
  }
  if (at + 1 < text.size() && text[at] == '.' && digit(text[at + 1])) {
    // Digits as one whole number first: 10.87 is then the nearest to 1087 / 100.
    double scale = 1;
    for (++at; at < text.size() && digit(text[at]); ++at) {
      if (scale > 1e15) continue;
      scale *= 10;
      number.value = number.value * 10 + (text[at] - '0');
    }
    number.value /= scale;
    number.rounding = 0.5 / scale;
  }
  number.end = at;
  return number;
}

std::optional<Number> number_after(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  return number_at(text, at + before.size());
}

std::optional<double> unit_at(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  const std::string_view rest = text.substr(std::min(at, text.size()));
  constexpr auto units = std::to_array<std::pair<std::string_view, double>>({{"GiB", 1073741824.0},
                                                                             {"GB", 1073741824.0},
                                                                             {"MiB", 1048576.0},
                                                                             {"MB", 1048576.0},
                                                                             {"KiB", 1024.0},
                                                                             {"B", 1.0}});
  for (const auto& [name, bytes] : units) {
    if (rest.starts_with(name) && (rest.size() == name.size() || !word_sign(rest[name.size()]))) {
      return bytes;
    }
  }
  return std::nullopt;
}

std::string value_of(std::string_view text, std::string_view key) {
  std::string flag = "--" + std::string(key);
  std::ranges::replace(flag, '_', '-');
  for (const std::string_view name : {key, std::string_view(flag)}) {
    for (std::size_t at = text.find(name); at != std::string_view::npos;
         at = text.find(name, at + 1)) {
      const bool begins = at == 0 || (!word_sign(text[at - 1]) && text[at - 1] != '-');
      std::string_view rest = text.substr(at + name.size());
      if (!begins || rest.empty()) continue;
      if (rest.front() == '\'' || rest.front() == '"') rest.remove_prefix(1);
      const bool pair = !rest.empty() && (rest.front() == '=' || rest.front() == ':');
      const bool flagged = name == flag && !rest.empty() && rest.front() == ' ';
      if (!pair && !flagged) continue;
      std::string value = plain_value(rest.substr(1));
      if (value.size() > 256) value.resize(256);
      if (!value.empty()) return one_line(value);
    }
  }
  return "";
}

namespace {

// "TP0" of "Worker_TP0", "DP0 TP1 EP1" of "Worker_DP0_TP1_EP1", "DP1" of "EngineCore_DP1".
std::string rank_of_process(std::string_view name, std::string_view inside) {
  const std::size_t at = inside.find("rank=");
  if (at != std::string_view::npos) {
    return "rank " + std::string(up_to(inside.substr(at + 5), " ,)"));
  }
  std::string rank;
  for (const std::string_view part : split(name, '_')) {
    const bool axis = part.size() >= 3 && (part.starts_with("TP") || part.starts_with("PP") ||
                                           part.starts_with("DP") || part.starts_with("EP"));
    if (axis && digit(part[2])) rank += (rank.empty() ? "" : " ") + std::string(part);
  }
  const bool worker = name.find("orker") != std::string_view::npos;
  if (!rank.empty() || !worker) return rank;
  const std::size_t pid = inside.find("pid=");
  return "pid " + std::string(up_to(inside.substr(pid + 4), " ,)"));
}

std::string rank_in_brackets(std::string_view inside) {
  std::string rank;
  for (const std::string_view part : split(inside, ' ')) {
    const bool axis = part.size() >= 3 && (part.starts_with("TP") || part.starts_with("PP") ||
                                           part.starts_with("DP") || part.starts_with("EP"));
    if (axis && digit(part[2])) rank += (rank.empty() ? "" : " ") + std::string(part);
  }
  return rank;
}

}  // namespace

std::string rank_of(std::string_view text) {
  std::string rank;
  const std::string_view head = text.substr(0, 300);
  for (std::size_t at = head.find('('); at != std::string_view::npos; at = head.find('(', at + 1)) {
    const std::size_t end = head.find(')', at);
    if (end == std::string_view::npos) break;
    const std::string_view inside = head.substr(at + 1, end - at - 1);
    if (inside.find("pid=") == std::string_view::npos || inside.size() > 120) continue;
    const std::string found = rank_of_process(up_to(inside, " "), inside);
    if (!found.empty()) rank = found;
  }
  if (!rank.empty()) return rank.substr(0, 64);
  const std::size_t open = head.find('[');
  const std::size_t close = head.find(']', open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || close == std::string_view::npos) return "";
  return rank_in_brackets(head.substr(open + 1, close - open - 1)).substr(0, 64);
}

std::string quoted(std::string_view text, std::size_t from, std::size_t end) {
  constexpr std::size_t most = 120;
  from = std::min(from, text.size());
  const std::size_t length = std::min(end, text.size()) - std::min(from, end);
  return one_line(trim(text.substr(from, std::min(length, most))));
}

}  // namespace steelyard::logs

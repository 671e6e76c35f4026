#include "base/printable.h"

#include <cstdint>

namespace steelyard {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of a colour sequence at the start of `text`, 0 when there is none.
std::size_t colour(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

// The code point at the start of `text` and its length; length 0 when the bytes are no UTF-8.
struct Point {
  std::uint32_t code = 0;
  std::size_t length = 0;
};
Point decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  std::uint32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    code = code << 6 | (next & 0x3Fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < least[length] || code > 0x10FFFF || surrogate) return {};
  return {code, length};
}

bool is_obeyed(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7F && code <= 0x9F);
  const bool direction = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return control || direction;
}

// What our own texts hold: lines, tabs and colours.
enum class Ours { kept, replaced };

std::string cleaned(std::string_view text, Ours ours) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = ours == Ours::kept ? colour(text) : 0;
    if (length > 0) {
      out += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    }
    const Point point = decode(text);
    const bool layout = ours == Ours::kept && (point.code == '\n' || point.code == '\t');
    const bool bad = point.length == 0 || (is_obeyed(point.code) && !layout);
    out += bad ? kReplacement : text.substr(0, point.length);
    text.remove_prefix(point.length == 0 ? 1 : point.length);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return cleaned(text, Ours::kept);
}

std::string one_line(std::string_view text) {
  return cleaned(text, Ours::replaced);
}

}  // namespace steelyard

#include "report/wrap.h"

#include "base/base.h"

namespace steelyard::report {

std::string wrapped(std::string_view text, std::size_t first, std::size_t indent) {
  constexpr std::size_t width = 98;
  std::string result;
  std::size_t at = first;
  bool start = true;
  for (const std::string_view word : split(text, ' ')) {
    if (!start && at + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      at = indent;
      start = true;
    }
    if (!start) result += ' ', ++at;
    result += word;
    at += word.size();
    start = false;
  }
  return result;
}

}  // namespace steelyard::report

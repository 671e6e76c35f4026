// A start-up log of any bytes, in pieces of any size: never a crash, never more memory than a line
// and the figures of one start take; and the pieces make no difference.
#include <cstdlib>

#include "logs/logs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steelyard::logs;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto whole = read_log(text);
  // The first byte chooses the size of a piece.
  const std::size_t piece = size == 0 ? 1 : 1 + data[0] % 64;
  Reader reader;
  bool good = true;
  for (std::size_t at = 0; good && at < text.size(); at += piece) {
    good = reader.feed(text.substr(at, piece)).has_value();
  }
  const bool same = (good && reader.finish().has_value()) == whole.has_value();
  if (!same) std::abort();
  return 0;
}

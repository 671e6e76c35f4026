// Bytes that cmake/embed.cmake put into the program.
#pragma once

#include <cstddef>
#include <string_view>

// STEELYARD_EMBEDDED(cards) declares the symbols; embedded_text(begin, end) views them.
#define STEELYARD_EMBEDDED(name)                    \
  extern "C" const char steelyard_##name##_begin[]; \
  extern "C" const char steelyard_##name##_end[]

namespace steelyard {

inline std::string_view embedded_text(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace steelyard

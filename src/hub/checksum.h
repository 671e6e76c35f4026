// A checksum against damage on disk (FNV-1a, 64 bits); it is no protection against intent.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace steelyard::hub {

inline std::string checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

}  // namespace steelyard::hub

// The scratch heap of one device, as ggml's dynamic allocator keeps it: best fit among the holes,
// else at the end; neighbours merge when freed.
#pragma once

#include <cstdint>
#include <vector>

namespace steelyard::memory::llama_cpp {

class Heap {
 public:
  // Offset of `bytes` (rounded up to the alignment); grows the peak when no hole fits.
  std::uint64_t take(std::uint64_t bytes);
  void give(std::uint64_t offset, std::uint64_t bytes);
  std::uint64_t peak() const { return peak_; }

 private:
  struct Hole {
    std::uint64_t offset, bytes;
  };
  static constexpr std::uint64_t alignment = 128;  // CUDA's; the host's 32 differs by bytes only
  static constexpr std::uint64_t endless = std::uint64_t{1} << 62;

  std::vector<Hole> holes_{{0, endless}};  // by offset; the last is the endless one
  std::uint64_t peak_ = 0;
};

}  // namespace steelyard::memory::llama_cpp

#include "memory/engines/llama_cpp_heap.h"

#include <algorithm>

#include "base/base.h"

namespace steelyard::memory::llama_cpp {

std::uint64_t Heap::take(std::uint64_t bytes) {
  // Absurd sizes saturate at a quarter of the endless hole, so that offsets never wrap.
  bytes = std::min(round_up(bytes, alignment), endless / 4);
  std::size_t best = holes_.size() - 1;
  for (std::size_t i = 0; i + 1 < holes_.size(); ++i) {
    if (holes_[i].bytes < bytes) continue;
    if (best == holes_.size() - 1 || holes_[i].bytes <= holes_[best].bytes) best = i;
  }
  if (holes_[best].bytes < bytes) return holes_[best].offset;
  const std::uint64_t offset = holes_[best].offset;
  holes_[best].offset += bytes;
  holes_[best].bytes -= bytes;
  if (holes_[best].bytes == 0 && best + 1 < holes_.size()) {
    holes_.erase(holes_.begin() + static_cast<std::ptrdiff_t>(best));
  }
  peak_ = std::max(peak_, offset + bytes);
  return offset;
}

void Heap::give(std::uint64_t offset, std::uint64_t bytes) {
  bytes = std::min(round_up(bytes, alignment), endless / 4);
  if (bytes == 0) return;
  auto next =
      std::find_if(holes_.begin(), holes_.end(), [&](const Hole& h) { return h.offset > offset; });
  const bool joins_next = next != holes_.end() && offset + bytes == next->offset;
  const bool joins_previous =
      next != holes_.begin() && (next - 1)->offset + (next - 1)->bytes == offset;
  if (joins_previous) {
    (next - 1)->bytes += bytes;
    if (joins_next) {
      (next - 1)->bytes += next->bytes;
      holes_.erase(next);
    }
  } else if (joins_next) {
    next->offset = offset;
    next->bytes += bytes;
  } else {
    holes_.insert(next, {offset, bytes});
  }
}

}  // namespace steelyard::memory::llama_cpp

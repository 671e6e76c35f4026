#include "model/piece_reader.h"

#include <algorithm>

namespace steelyard::model {
namespace {

// Small first, so that a tiny file costs one small read; large later, so that a 7 MB header costs
// few calls.
constexpr std::uint64_t kFirstPiece = 64 * 1024;
constexpr std::uint64_t kPiece = 1024 * 1024;

}  // namespace

bool PieceReader::fill(std::size_t length) {
  if (failed_) return false;
  if (length > remaining()) {
    failed_ = true;
    return false;
  }
  const std::uint64_t start = position();
  const std::uint64_t want =
      std::max<std::uint64_t>(length, start == 0 ? kFirstPiece : std::min(kPiece, remaining()));
  auto piece = files_.read(path_, start, want);
  if (!piece || piece->size() < length) {
    failed_ = true;
    if (!piece) io_error_ = std::move(piece.error()).in_file(path_);
    return false;
  }
  piece_ = std::move(*piece);
  piece_start_ = start;
  at_ = 0;
  return true;
}

bool PieceReader::skip(std::uint64_t length) {
  if (failed_ || length > remaining()) {
    failed_ = true;
    return false;
  }
  const std::uint64_t here = piece_.size() - at_;
  if (length <= here) {
    at_ += static_cast<std::size_t>(length);
    return true;
  }
  piece_start_ = position() + length;
  piece_.clear();
  at_ = 0;
  return true;
}

}  // namespace steelyard::model

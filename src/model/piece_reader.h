// Reads a file front to back in pieces, so that no claimed length decides an allocation.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/base.h"
#include "os/os.h"

namespace steelyard::model {

// A cursor over a little-endian file. The first failed read sticks: later ones fail too, so a
// parser may read a few values and check `ok()` once.
class PieceReader {
 public:
  PieceReader(os::Files& files, std::string path, std::uint64_t size)
      : files_(files), path_(std::move(path)), size_(size) {}

  std::uint64_t position() const { return piece_start_ + at_; }
  std::uint64_t size() const { return size_; }
  std::uint64_t remaining() const { return size_ > position() ? size_ - position() : 0; }
  bool ok() const { return !failed_; }
  // The operating system's error, or "the file ends"; nothing while all went well.
  const std::optional<Error>& io_error() const { return io_error_; }

  // An integer or float of the file's width; T{} after a failure.
  template <typename T>
  T value() {
    T result{};
    const std::string_view raw = bytes(sizeof(T));
    if (raw.size() == sizeof(T)) std::memcpy(&result, raw.data(), sizeof(T));
    return result;
  }
  // `length` bytes, valid until the next call; empty after a failure. `length` must be small: it
  // is the caller that bounds it.
  std::string_view bytes(std::size_t length) {
    if (length <= piece_.size() - at_ || fill(length)) {
      at_ += length;
      return std::string_view(piece_).substr(at_ - length, length);
    }
    return {};
  }
  // Moves on without reading; false (and failed) past the end of the file.
  bool skip(std::uint64_t length);

 private:
  bool fill(std::size_t length);

  os::Files& files_;
  std::string path_;
  std::uint64_t size_;
  std::string piece_;
  std::uint64_t piece_start_ = 0;  // file offset of piece_[0]
  std::size_t at_ = 0;             // cursor within the piece
  bool failed_ = false;
  std::optional<Error> io_error_;
};

}  // namespace steelyard::model

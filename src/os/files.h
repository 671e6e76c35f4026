// The file system as a port: the real one, and a scripted twin that records what was asked.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/base.h"

namespace steelyard::os {

enum class EntryKind { missing, file, folder };

class Files {
 public:
  virtual ~Files() = default;

  virtual EntryKind kind(const std::string& path) = 0;
  // Whether both names lead to one file that exists.
  virtual bool same(const std::string& a, const std::string& b) {
    return a == b && kind(a) != EntryKind::missing;
  }
  // Size of a file in bytes. Errors: not_found, io.
  virtual Result<std::uint64_t> size(const std::string& path) = 0;
  // `length` bytes from `offset`; fewer only at the end of the file. Never allocates more than
  // the file really holds. Errors: not_found, io.
  virtual Result<std::string> read(const std::string& path, std::uint64_t offset,
                                   std::uint64_t length) = 0;
  // Names (not paths) inside a folder, sorted. Errors: not_found, io.
  virtual Result<std::vector<std::string>> list(const std::string& path) = 0;
  // Replaces a file as a whole (temporary file, then rename). Errors: io.
  virtual Status write(const std::string& path, std::string_view content) = 0;
  // Makes a folder and those above it; no error when it is there. Errors: io.
  virtual Status make_folder(const std::string& path) = 0;
};

std::unique_ptr<Files> real_files();

// The twin: files live in memory, every call is recorded, faults are set per path.
class FilesTwin : public Files {
 public:
  std::map<std::string, std::string> files;
  std::map<std::string, Error> faults;  // path -> what read() and write() answer
  std::vector<std::string> calls;       // "read PATH OFFSET LENGTH", "list PATH", ...

  EntryKind kind(const std::string& path) override;
  Result<std::uint64_t> size(const std::string& path) override;
  Result<std::string> read(const std::string& path, std::uint64_t offset,
                           std::uint64_t length) override;
  Result<std::vector<std::string>> list(const std::string& path) override;
  Status write(const std::string& path, std::string_view content) override;
  Status make_folder(const std::string& path) override;
};

// A whole file of at most `limit` bytes; larger is an error of kind too_large.
Result<std::string> read_whole(Files& files, const std::string& path, std::uint64_t limit);

}  // namespace steelyard::os

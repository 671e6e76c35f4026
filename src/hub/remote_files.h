// A repository seen as files: the beginnings that were fetched, and more of them on demand.
#pragma once

#include <map>

#include "hub/answers.h"

namespace steelyard::hub {

// What is held of one file: its first bytes.
struct Beginning {
  std::string bytes;
  std::uint64_t size = 0;  // of the whole file
};

class RemoteFiles : public os::Files {
 public:
  RemoteFiles(os::HttpClient* http, Address address, std::string commit, std::string root)
      : http_(http),
        address_(std::move(address)),
        commit_(std::move(commit)),
        root_(std::move(root)) {}

  std::map<std::string, Beginning> held;  // by path in the repository
  Traffic traffic;

  const std::string& root() const { return root_; }
  // Fetches `length` bytes of each file from where what is held of it ends, all at once.
  Status extend(const std::vector<std::pair<std::string, std::uint64_t>>& wanted,
                const std::vector<std::string>& known_names);
  // One whole answer, counted.
  Result<os::HttpResponse> ask(const std::string& url, std::uint64_t cap,
                               const std::vector<std::string>& known_names);

  os::EntryKind kind(const std::string& path) override;
  Result<std::uint64_t> size(const std::string& path) override;
  Result<std::string> read(const std::string& path, std::uint64_t offset,
                           std::uint64_t length) override;
  Result<std::vector<std::string>> list(const std::string& path) override;
  Status write(const std::string& path, std::string_view content) override;
  Status make_folder(const std::string& path) override;

 private:
  std::string inside(const std::string& path) const;
  Status take(const std::string& file, os::HttpResponse answer, std::uint64_t first);

  os::HttpClient* http_;  // nullptr when the cache is all there is
  Address address_;
  std::string commit_, root_;
};

}  // namespace steelyard::hub

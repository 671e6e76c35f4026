// What was fetched, kept per endpoint, repository, choice and commit: one file each, checked when
// read.
#pragma once

#include <map>

#include "hub/remote_files.h"

namespace steelyard::hub {

struct Kept {
  std::string name, commit, target;  // target: the path to read, below the root; may be empty
  std::vector<std::string> notes;
  std::optional<std::uint64_t> tensor_bytes;
  std::map<std::string, Beginning> files;
};

class Cache {
 public:
  // Folder: XDG_CACHE_HOME/steelyard/hub, else ~/.cache/...; without both nothing is kept.
  Cache(os::Files& disk, const Environment& environment, const Address& address);

  std::optional<Kept> find(const std::string& commit) const;  // nothing when absent or damaged
  std::optional<std::string> commit_of(const std::string& revision) const;  // as last resolved
  void keep(const Kept& kept, const std::string& revision) const;  // a full disk is no error

 private:
  std::string path(const std::string& what) const;

  os::Files& disk_;
  std::string folder_, key_;
};

}  // namespace steelyard::hub

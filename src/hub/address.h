// What "hf:org/name:Q4_K_M@revision" means, and the addresses of both hubs.
#pragma once

#include "hub/hub.h"

namespace steelyard::hub {

struct Address {
  bool model_scope = false;
  std::string endpoint;                                      // without a slash at its end
  std::string repo;                                          // "org/name"
  std::string revision;                                      // "" is the hub's default
  std::string file;                                          // one file of the repository, or ""
  std::string variant;                                       // "Q4_K_M", or ""
  std::vector<std::pair<std::string, std::string>> secrets;  // header fields

  std::string scheme() const { return model_scope ? "ms" : "hf"; }
  std::string asked_revision() const {
    return !revision.empty() ? revision : model_scope ? "master" : "main";
  }
  std::string list_url() const;
  std::string file_url(const std::string& file_name, const std::string& at_revision) const;
};

// A full commit: forty hexadecimal digits. It never changes, so it needs no look-up.
bool is_commit(std::string_view revision);

// Errors: usage, with the accepted forms.
Result<Address> parse_address(os::Files& disk, const Environment& environment,
                              std::string_view model);

}  // namespace steelyard::hub

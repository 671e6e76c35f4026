// The files of a repository, as its hub lists them.
#pragma once

#include "hub/address.h"

namespace steelyard::hub {

struct ListedFile {
  std::string path;
  std::uint64_t size = 0;  // bytes; 0 when not said
};

struct Listing {
  std::string repo;    // as the hub calls it now
  std::string commit;  // for ModelScope, which names none, a digest of the listing
  std::vector<ListedFile> files;

  bool has(std::string_view path) const;
};

// Errors: bad_input when the answer is no listing.
Result<Listing> parse_listing(const std::string& json, const Address& address);

// The GGUF models in it: first parts of split ones, no projectors, matching the variant.
std::vector<std::string> gguf_choices(const Listing& listing, std::string_view variant);
// The shards of the model in safetensors, or its single file.
std::vector<std::string> safetensors_of(const Listing& listing);

}  // namespace steelyard::hub

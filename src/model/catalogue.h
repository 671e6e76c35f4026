// The published configs built into the program: an index, and one config at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"
#include "model/description.h"

namespace steelyard::model {

struct CatalogueEntry {
  std::string name;                   // "Qwen/Qwen3-32B"
  std::vector<std::string> also;      // further published names of the same shape
  std::vector<std::string> recalled;  // fields nobody read in a file; "*" means all
  std::string source;
  std::string_view config;  // JSON text
};

// In order of names, read once. Does not parse any config.
const std::vector<CatalogueEntry>& catalogue_entries();

// The description of one entry, with its source and doubtful fields in the notes.
Result<Model> read_entry(const CatalogueEntry& entry);

}  // namespace steelyard::model

// data/**/*.toml -> descriptions. The same reader serves the build and `--data DIR`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.h"

namespace steelyard::facts {

// [[card]] tables; a card with sizes_gb becomes one variant per size. Errors: bad_input with
// file, table and field ("card[3].bus_bits").
Result<std::vector<Accelerator>> parse_accelerators(std::string_view toml, const std::string& file);
// [[rule]] and [[seen]] tables of usable.toml.
Result<UsableRules> parse_usable(std::string_view toml, const std::string& file);
// [[link]] tables.
Result<std::vector<Link>> parse_links(std::string_view toml, const std::string& file);

// Everything below one data folder.
struct Facts {
  std::vector<Accelerator> accelerators;
  std::vector<Link> links;
  UsableRules usable;
  bool operator==(const Facts&) const = default;

  Catalogue catalogue() &&;
};
// Folders that do not exist are empty. Errors: io, bad_input (also: an id given twice, a capture
// for a card that does not exist).
Result<Facts> read_facts(os::Files& files, const std::string& dir);

// Gives every card its captures and the rule of its family.
void attach_usable(std::vector<Accelerator>& cards, const UsableRules& rules);

}  // namespace steelyard::facts

// The written rules of ARCHITECTURE.md as a check over all sources.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace steelyard::tidy {

// Path relative to the root -> content.
using Tree = std::map<std::string, std::string>;

// One line per broken rule: "src/base/x.h:12: line of 104 columns (limit 100)".
std::vector<std::string> findings(const Tree& tree);

}  // namespace steelyard::tidy

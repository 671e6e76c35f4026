// Connections between cards and machines: bytes per second each way, as sold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/base.h"

namespace steelyard::facts {

enum class LinkScope { node, network };  // inside one machine, or between machines

struct Link {
  std::string key;   // "nvlink4", "pcie4-x16", "infiniband-ndr"
  std::string name;  // "NVLink 4 (18 links)"
  LinkScope scope = LinkScope::node;
  std::vector<std::string> aliases;
  BytesPerSecond per_direction, bidirectional;
  bool switched = false;  // every pair of cards gets the full rate at once
  std::string notes, sources;
  bool operator==(const Link&) const = default;
};

}  // namespace steelyard::facts

// How much of a card's memory an engine can see, and where that figure comes from.
#pragma once

#include <string>
#include <vector>

#include "base/base.h"

namespace steelyard::facts {

// What an engine can see on a card (CUDA's total), with its band and the rule or capture behind it.
struct UsableMemory {
  ByteFigure total;
  std::string basis;
};

// The driver's share where no capture exists: usable = total - fixed_gib - fraction x total.
struct UsableRule {
  std::string family;                          // "nvidia", "amd", "unified", "apple", "other"
  double fixed_gib = 0, fraction = 0;          // typical share
  double low_fixed_gib = 0, low_fraction = 0;  // largest share seen: the low end of the band
  std::string text, sources;
  bool operator==(const UsableRule&) const = default;
};

// Totals that engines printed on one card.
struct UsableSeen {
  bool ecc_flipped = false;
  std::vector<double> gib;  // as printed, current drivers
  std::vector<double> older_gib;
  std::string sources;
  bool operator==(const UsableSeen&) const = default;
};

struct UsableFacts {
  std::vector<UsableSeen> seen;
  UsableRule rule;
  bool operator==(const UsableFacts&) const = default;
};

// data/accelerators/usable.toml as a whole.
struct UsableRules {
  std::vector<UsableRule> rules;
  struct Capture {
    std::vector<std::string> cards;  // ids
    UsableSeen seen;
    bool operator==(const Capture&) const = default;
  };
  std::vector<Capture> captures;
  bool operator==(const UsableRules&) const = default;
};

}  // namespace steelyard::facts

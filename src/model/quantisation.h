// A config's quantization_config as rules, and their application to a derived tensor list.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/config_fields.h"
#include "model/description.h"
#include "model/packing.h"

namespace steelyard::model {

// routed_feed_forward: experts and dense feed-forward, without shared experts.
enum class Scope { all, experts, not_experts, feed_forward, routed_feed_forward };

struct PackingRule {
  Packing packing;
  Scope scope = Scope::all;
  std::vector<std::string> targets;  // module patterns; empty: every quantisable matrix
};

struct Scheme {
  Quantisation info;
  std::vector<PackingRule> rules;   // the first that fits a tensor decides
  std::vector<std::string> ignore;  // module patterns that stay as they are
  std::vector<std::string> notes;
};

// Nothing when the config names no quantisation. An unknown method gives a scheme without rules
// and a note that its bytes are not established.
std::optional<Scheme> read_scheme(const Fields& root, const Fields& text);

// Sets format and bytes of each quantisable tensor that a rule covers; the rest is untouched.
void apply_scheme(Model& model, const Scheme& scheme);

}  // namespace steelyard::model

// The three ways in which quantisation configs name modules: a name or part of one, a glob with
// "*", and "re:" with a regular expression.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace steelyard::model {

// Whether `pattern` names `module` ("model.layers.0.mlp.gate_proj", without ".weight").
// - "re:EXPR": EXPR matches from the start, as Python's re.match
// - with * or ?: a glob over the whole name, or over the name from "layers." on
// - else: its dotted parts stand together in the module's name: "gate" is in "mlp.gate", not in
//   "mlp.gate_proj"
// Costs are bounded; an expression that is too dear does not match.
bool names_module(std::string_view pattern, std::string_view module);

// Many patterns against many modules, with the same answers as names_module for any of them. Names
// without wildcards are looked up by hash; patterns that hold no digit answer alike for all layers
// and are asked once.
class ModulePatterns {
 public:
  explicit ModulePatterns(const std::vector<std::string>& patterns);
  bool name(std::string_view module);

 private:
  bool named_plainly(std::string_view module) const;
  bool named_one_by_one(std::string_view module) const;  // of more parts than any module has
  bool named_alike(std::string_view module);

  std::unordered_set<std::string_view> plain_;  // views into the caller's patterns
  std::array<bool, 256> lengths_{};             // of them
  // Wildcards and expressions with a digit, and what a module must begin with for a match.
  struct Numbered {
    std::string_view pattern, begins, begins_near;
  };
  std::vector<Numbered> numbered_;
  std::vector<std::string_view> alike_;          // those without a digit
  std::unordered_map<std::string, bool> known_;  // module with '#' for each digit -> answer
};

bool glob_matches(std::string_view pattern, std::string_view text);
bool expression_matches(std::string_view expression, std::string_view text);

}  // namespace steelyard::model

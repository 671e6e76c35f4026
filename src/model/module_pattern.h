// The three ways in which quantisation configs name modules: a name or part of one, a glob with
// "*", and "re:" with a regular expression.
#pragma once

#include <string_view>

namespace steelyard::model {

// Whether `pattern` names `module` ("model.layers.0.mlp.gate_proj", without ".weight").
// - "re:EXPR": EXPR matches from the start, as Python's re.match
// - with * or ?: a glob over the whole name, or over the name from "layers." on
// - else: its dotted parts stand together in the module's name: "gate" is in "mlp.gate", not in
//   "mlp.gate_proj"
// Costs are bounded; an expression that is too dear does not match.
bool names_module(std::string_view pattern, std::string_view module);

bool glob_matches(std::string_view pattern, std::string_view text);
bool expression_matches(std::string_view expression, std::string_view text);

}  // namespace steelyard::model

#include <algorithm>

#include "model/module_pattern.h"
#include "model/quantisation.h"

namespace steelyard::model {
namespace {

bool in_scope(Scope scope, Role role) {
  switch (scope) {
    case Scope::all:
      return true;
    case Scope::experts:
      return is_expert(role);
    case Scope::not_experts:
      return !is_expert(role);
    case Scope::feed_forward:
      return is_feed_forward(role);
    case Scope::routed_feed_forward:
      return is_expert(role) || role == Role::ffn_gate || role == Role::ffn_up ||
             role == Role::ffn_down;
  }
  return false;
}

std::string_view module_of_tensor(std::string_view tensor) {
  return tensor.ends_with(".weight") ? tensor.substr(0, tensor.size() - 7) : tensor;
}

}  // namespace

void apply_scheme(Model& model, const Scheme& scheme) {
  model.quantisation = scheme.info;
  model.notes.insert(model.notes.end(), scheme.notes.begin(), scheme.notes.end());
  ModulePatterns ignored(scheme.ignore);
  std::vector<ModulePatterns> targets;
  for (const PackingRule& rule : scheme.rules) targets.emplace_back(rule.targets);
  for (Tensor& tensor : model.tensors) {
    if (!tensor.quantisable) continue;
    const std::string_view module = module_of_tensor(tensor.name);
    const PackingRule* rule = nullptr;
    for (std::size_t i = 0; i < scheme.rules.size() && rule == nullptr; ++i) {
      const PackingRule& one = scheme.rules[i];
      const bool fits =
          in_scope(one.scope, tensor.role) && (one.targets.empty() || targets[i].name(module));
      if (fits) rule = &one;
    }
    if (rule == nullptr || ignored.name(module)) continue;
    tensor.format = rule->packing.format;
    tensor.bytes =
        Bytes(saturating_mul(rule->packing.bytes(tensor.rows, tensor.cols), tensor.count));
  }
}

}  // namespace steelyard::model

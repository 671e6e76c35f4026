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

std::string module_of_tensor(std::string tensor) {
  if (tensor.ends_with(".weight")) tensor.resize(tensor.size() - 7);
  return tensor;
}

}  // namespace

void apply_scheme(Model& model, const Scheme& scheme) {
  model.quantisation = scheme.info;
  model.notes.insert(model.notes.end(), scheme.notes.begin(), scheme.notes.end());
  ModulePatterns ignored(scheme.ignore);
  std::vector<ModulePatterns> targets;
  for (const PackingRule& rule : scheme.rules) targets.emplace_back(rule.targets);
  // Most schemes name no modules: then no name is put together.
  const bool by_name =
      !scheme.ignore.empty() ||
      std::ranges::any_of(scheme.rules, [](const auto& r) { return !r.targets.empty(); });
  for (Tensor& tensor : model.tensors) {
    if (!tensor.quantisable) continue;
    const std::string module = by_name ? module_of_tensor(model.name_of(tensor)) : "";
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

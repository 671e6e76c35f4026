#include "memory/training/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace steelyard::memory {
namespace {

using model::Role;
using model::Tensor;

bool is_down(Role role) {
  return role == Role::ffn_down || role == Role::expert_down || role == Role::shared_down;
}

// The short names that people type: "q", "q_proj", "gate".
struct Target {
  std::string_view name;
  std::array<Role, 3> roles;
};
constexpr auto target_names = std::to_array<Target>({
    {"q", {Role::attention_q, Role::attention_qkv, Role::mla_q_b}},
    {"k", {Role::attention_k, Role::attention_qkv, Role::mla_kv_b}},
    {"v", {Role::attention_v, Role::attention_qkv, Role::mla_kv_b}},
    {"o", {Role::attention_output, Role::attention_output, Role::attention_output}},
    {"qkv", {Role::attention_qkv, Role::attention_qkv, Role::attention_qkv}},
    {"gate", {Role::ffn_gate, Role::expert_gate, Role::shared_gate}},
    {"up", {Role::ffn_up, Role::expert_up, Role::shared_up}},
    {"down", {Role::ffn_down, Role::expert_down, Role::shared_down}},
});

// Roles named by the option, and where it names nothing known, an error that lists the names.
Result<std::vector<Role>> named_roles(std::string_view targets) {
  std::vector<Role> roles;
  for (std::string_view part : split(targets, ',')) {
    std::string name = lower(trim(part));
    if (name.ends_with("_proj")) name.resize(name.size() - 5);
    bool found = false;
    for (const Target& target : target_names) {
      if (target.name != name) continue;
      roles.insert(roles.end(), target.roles.begin(), target.roles.end());
      found = true;
    }
    if (!found) {
      return fail({.kind = ErrorKind::usage,
                   .what = fmt::format("'{}' is no matrix that adapters go to", one_line(part)),
                   .field = "--targets",
                   .try_this = "write all, attention, mlp, or some of q,k,v,o,qkv,gate,up,down"});
    }
  }
  return roles;
}

// Which matrices carry an adapter.
class Targets {
 public:
  static Result<Targets> of(const Training& training) {
    Targets targets;
    if (!trains_adapters(training.method)) return targets;
    const std::string word = lower(trim(training.targets));
    const bool all = word == "all" || word == "all-linear";
    targets.attention_ = all || word == "attention";
    targets.mlp_ = all || word == "mlp";
    if (targets.attention_ || targets.mlp_) return targets;
    auto roles = named_roles(word);
    if (!roles) return std::unexpected(roles.error());
    targets.named_ = std::move(*roles);
    return targets;
  }
  bool has(const Tensor& tensor) const {
    if (std::ranges::find(named_, tensor.role) != named_.end()) return true;
    return tensor.quantisable && (model::is_feed_forward(tensor.role) ? mlp_ : attention_);
  }

 private:
  bool attention_ = false, mlp_ = false;
  std::vector<Role> named_;
};

// Widths of what attention keeps: its inputs q, k, v and its output.
void add_attention(const Tensor& tensor, LayerShape& layer) {
  const double rows = static_cast<double>(tensor.rows), cols = static_cast<double>(tensor.cols);
  switch (tensor.role) {
    case Role::attention_q:
    case Role::mla_q_b:
      layer.query_width += rows;
      break;
    case Role::attention_k:
    case Role::attention_v:
    case Role::mla_kv_b:
      layer.kv_width += rows;
      break;
    case Role::attention_qkv:
    case Role::recurrent_in:
      layer.query_width += rows;
      break;
    case Role::attention_output:
    case Role::recurrent_out:
      layer.attention_width += cols;
      break;
    default:
      break;
  }
}

void add_feed_forward(const Tensor& tensor, const model::FeedForward& shape, LayerShape& layer) {
  if (!is_down(tensor.role)) return;
  double inner = static_cast<double>(tensor.cols);
  if (tensor.role == Role::expert_down) inner *= std::max(1U, shape.experts_per_token);
  layer.inner_width += inner;
}

void add_tensor_to(const Tensor& tensor, const model::Layer& shape, const Targets& targets,
                   const Training& training, double hidden, LayerShape& layer) {
  const double parameters = static_cast<double>(tensor.parameters());
  layer.parameters += parameters;
  layer.weight_bytes += tensor.bytes.as_double();
  if (tensor.role == Role::norm && tensor.cols <= 1 && static_cast<double>(tensor.rows) == hidden) {
    if (tensor.name.ends_with("bias")) {
      layer.upcasting_norms = false;  // LayerNorm has a kernel of its own
    } else {
      layer.norms += 1;
    }
  }
  if (tensor.cols <= 1) return;
  layer.largest_matrix =
      std::max(layer.largest_matrix, static_cast<double>(saturating_mul(tensor.rows, tensor.cols)));
  add_attention(tensor, layer);
  add_feed_forward(tensor, shape.feed_forward, layer);
  if (!targets.has(tensor)) return;
  layer.adapter_parameters += static_cast<double>(training.rank) *
                              static_cast<double>(tensor.rows + tensor.cols) *
                              static_cast<double>(tensor.count);
  if (is_down(tensor.role)) {
    layer.adapts_down = true;
  } else if (hidden > 0) {
    layer.adapted_inputs += static_cast<double>(tensor.cols) / hidden;
  }
}

void add_outer(const Tensor& tensor, bool tied, TrainingShape& shape) {
  const double parameters = static_cast<double>(tensor.parameters());
  const double bytes = tensor.bytes.as_double();
  if (tensor.role == Role::token_embedding) {
    shape.embedding_parameters += parameters;
    shape.embedding_bytes += bytes;
  } else if (tensor.role == Role::output_head) {
    if (tied) return;
    shape.head_parameters += parameters;
    shape.head_bytes += bytes;
  } else {
    shape.outer_parameters += parameters;
    shape.outer_bytes += bytes;
  }
}

}  // namespace

Result<TrainingShape> training_shape(const model::Model& model, const Training& training) {
  auto targets = Targets::of(training);
  if (!targets) return std::unexpected(targets.error());
  TrainingShape shape;
  shape.hidden = static_cast<double>(model.hidden);
  shape.vocabulary = static_cast<double>(model.vocab);
  shape.layers.resize(model.layers.size());
  shape.quantised = !model.quantisation.method.empty();
  for (const Tensor& tensor : model.tensors) {
    if (tensor.layer < 0) {
      add_outer(tensor, model.tied_embeddings, shape);
      continue;
    }
    const auto at = static_cast<std::size_t>(tensor.layer);
    if (at >= shape.layers.size()) continue;  // MTP
    add_tensor_to(tensor, model.layers[at], *targets, training, shape.hidden, shape.layers[at]);
  }
  // Embedding models and the like have no head, and so no logits.
  if (shape.head_parameters == 0 && !model.tied_embeddings) shape.vocabulary = 0;
  double adapters = 0;
  for (std::size_t i = 0; i < shape.layers.size(); ++i) {
    LayerShape& layer = shape.layers[i];
    layer.gated = model.layers[i].feed_forward.gated;
    layer.scores_heads = model.layers[i].attention.query_heads;
    layer.attention_width += layer.query_width + layer.kv_width;
    if (layer.norms == 0) layer.norms = 1;
    adapters += layer.adapter_parameters;
  }
  if (trains_adapters(training.method) && adapters == 0) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("--targets {} names no matrix of {}",
                                     one_line(training.targets), one_line(model.name)),
                 .field = "--targets",
                 .try_this = "write all, attention, mlp, or some of q,k,v,o,qkv,gate,up,down"});
  }
  return shape;
}

}  // namespace steelyard::memory

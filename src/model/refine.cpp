#include "model/refine.h"

#include <set>

#include <algorithm>

namespace steelyard::model {
namespace {

bool is_state(Role role) {
  return role == Role::recurrent_in || role == Role::recurrent_out || role == Role::recurrent_other;
}

// Falcon-H1's blocks are two layers each in the description: the state, then the attention.
bool blocks_are_halved(const Model& model) {
  std::int32_t last = -1;
  bool any_state = false, any_attention = false;
  for (const Tensor& tensor : model.tensors) {
    last = std::max(last, tensor.layer);
    if (tensor.layer == 0) {
      any_state = any_state || is_state(tensor.role);
      any_attention = any_attention || tensor.role == Role::attention_q;
    }
  }
  return any_state && any_attention && last >= 0 &&
         model.layers.size() == 2 * (static_cast<std::size_t>(last) + 1);
}

Layer* layer_at(Model& model, std::int32_t index) {
  if (index < 0) return nullptr;
  const auto i = static_cast<std::size_t>(index);
  if (i < model.layers.size()) return &model.layers[i];
  return i - model.layers.size() < model.mtp_layers.size()
             ? &model.mtp_layers[i - model.layers.size()]
             : nullptr;
}

void fill_experts(FeedForward& ff, const Tensor& t) {
  // Both halves in one matrix show as twice the width: the down projection tells.
  if (t.role == Role::expert_down && t.cols > 1) ff.expert_intermediate = u32(t.cols);
  ff.kind = FeedForwardKind::moe;
  ff.experts = std::max(ff.experts, u32(t.count));
  ff.intermediate = 0;
}

void refine_layer(Layer& layer, const Tensor& t) {
  FeedForward& ff = layer.feed_forward;
  switch (t.role) {
    case Role::expert_gate:
    case Role::expert_up:
    case Role::expert_down:
      fill_experts(ff, t);
      break;
    case Role::shared_down:
      if (t.cols > 1) ff.shared_intermediate = u32(t.cols);
      ff.shared_experts = std::max(ff.shared_experts, 1u);
      break;
    case Role::ffn_down:
      if (t.cols > 1 && ff.kind != FeedForwardKind::moe) {
        ff.kind = FeedForwardKind::dense;
        ff.intermediate = u32(t.cols);
      }
      break;
    default:
      break;
  }
}

}  // namespace

void refine_by_tensors(Model& model) {
  const bool halved = blocks_are_halved(model);
  std::vector<bool> has_experts(model.layers.size() + model.mtp_layers.size(), false);
  bool head = false, embedding = false;
  for (Tensor& tensor : model.tensors) {
    if (halved && tensor.layer >= 0) {
      tensor.layer = 2 * tensor.layer + (is_state(tensor.role) ? 0 : 1);
    }
    head = head || (tensor.role == Role::output_head && tensor.layer < 0);
    if (tensor.role == Role::token_embedding && tensor.layer < 0 && tensor.cols > 1) {
      embedding = true;
      // Gemma's second table holds inputs for each layer; the first is as wide as the model.
      if (model.hidden == 0 || tensor.cols == model.hidden) model.vocab = tensor.rows;
    }
    Layer* layer = layer_at(model, tensor.layer);
    if (layer == nullptr) continue;
    const bool expert = tensor.role == Role::expert_down || tensor.role == Role::expert_up;
    if (expert) has_experts[static_cast<std::size_t>(tensor.layer)] = true;
    // A delta net's projections bear attention's names in GGUF files.
    if (layer->mixer == Mixer::recurrent &&
        (tensor.role == Role::attention_qkv || tensor.role == Role::attention_other) &&
        tensor.cols > 1) {
      tensor.role = Role::recurrent_in;
    }
    refine_layer(*layer, tensor);
  }
  if (embedding) model.tied_embeddings = !head;
  // A layer that was said to have experts and has none stored is dense.
  for (std::size_t i = 0; i < has_experts.size(); ++i) {
    FeedForward& ff = layer_at(model, static_cast<std::int32_t>(i))->feed_forward;
    if (ff.kind != FeedForwardKind::moe || has_experts[i]) continue;
    ff.kind = ff.intermediate > 0 ? FeedForwardKind::dense : FeedForwardKind::none;
    ff.experts = ff.experts_per_token = ff.expert_intermediate = 0;
  }
}

std::size_t layers_seen(const Model& model) {
  std::set<std::int32_t> seen;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.layer >= 0 && tensor.role != Role::vision && tensor.role != Role::audio) {
      seen.insert(tensor.layer);
    }
  }
  return seen.size();
}

}  // namespace steelyard::model

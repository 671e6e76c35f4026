#include "memory/activations.h"

#include <algorithm>

namespace steelyard::memory {
namespace {

// Values per token that live at once inside the widest feed-forward block.
double widest_block(const model::Model& model, const Placement& place) {
  const double hidden = static_cast<double>(model.hidden);
  // Under attention data parallelism a rank computes dense layers for its own requests.
  const double dense_tp = std::max(1U, place.tp / std::max(1U, place.attention_dp));
  double widest = 3 * hidden;
  for (const model::Layer& layer : model.layers) {
    const model::FeedForward& f = layer.feed_forward;
    if (f.kind == model::FeedForwardKind::dense) {
      const double products = f.gated ? 3.0 : 2.0;
      widest = std::max(widest, 3 * hidden + products * f.intermediate / dense_tp);
    } else if (f.kind == model::FeedForwardKind::moe) {
      // Routed copies: the first product (gate and up), its activation, and the second product,
      // which reuses the room of the first.
      const double inner = static_cast<double>(f.expert_intermediate) /
                           std::max(1.0, static_cast<double>(place.tp) / place.ep);
      const double routed = f.experts_per_token * (std::max(2 * inner, hidden) + inner);
      const double shared = 3.0 * f.shared_intermediate / dense_tp;
      widest = std::max(widest, 3 * hidden + std::max(routed, shared));
    }
  }
  return widest;
}

// A sparse indexer scores every token of the step against the whole context, in 32 bit.
Bytes indexer_scores(const model::Model& model, const StepShape& shape) {
  const bool sparse = std::ranges::any_of(
      model.layers, [](const model::Layer& layer) { return layer.attention.indexer_dim > 0; });
  return sparse ? Bytes(saturating_mul(saturating_mul(shape.tokens, shape.context), 4)) : Bytes(0);
}

// Patches of one item are encoded at once, four merged into one token where the model merges.
double positions_of(const model::Encoder& encoder, std::uint64_t item_tokens) {
  if (encoder.frames > 0) return encoder.frames;
  const double merged = std::max(1.0, static_cast<double>(encoder.merge) * encoder.merge);
  double most = std::max(encoder.max_tokens_per_item, encoder.tokens_per_item);
  if (item_tokens > 0) most = std::min(most, static_cast<double>(item_tokens));
  const double across =
      encoder.patch_size > 0 ? static_cast<double>(encoder.image_size / encoder.patch_size) : 0;
  return std::max(most * merged, encoder.max_tokens_per_item > 0 ? 0.0 : across * across);
}

// The input stays alive beside the widest point: the inner products, or, where the projector reads
// several layers, their outputs, the stack of them, and that with the last one behind it.
Bytes encoder_peak(const model::Encoder& encoder, std::uint64_t items, std::uint32_t tp,
                   std::uint64_t item_tokens, double each) {
  const double hidden = encoder.hidden, kept = encoder.kept_layers;
  const double inner = (encoder.gated ? 3.0 : 2.0) * encoder.intermediate / tp;
  const double block = (kept + 3) * hidden + inner;
  const double joined = kept > 0 ? (3 * kept + 2) * hidden : 0;
  const double width = std::max(block, joined) + encoder.input_values;
  return bytes_from(static_cast<double>(items) * positions_of(encoder, item_tokens) * width * each);
}

}  // namespace

std::uint64_t image_tokens(const model::Encoder& encoder, std::uint64_t width,
                           std::uint64_t height) {
  if (encoder.max_tokens_per_item == 0 || encoder.patch_size == 0) return 0;
  const std::uint64_t step = std::uint64_t{encoder.patch_size} * std::max(1U, encoder.merge);
  return std::max<std::uint64_t>(1, saturating_mul(ceil_div(width, step), ceil_div(height, step)));
}

Bytes Activations::peak() const {
  return std::max({forward, sampler, encoder});
}

Activations step_activations(const model::Model& model, const Placement& placement,
                             const StepShape& shape, const ActivationConstants& constants) {
  Activations result;
  const auto tokens = static_cast<double>(shape.tokens);
  const auto each = static_cast<double>(shape.value_bytes);
  result.forward = bytes_from(tokens * each * widest_block(model, placement));
  result.forward += indexer_scores(model, shape);
  const double rows = static_cast<double>(std::min(shape.sequences, shape.tokens));
  const double logits = model.encoder_only ? 0 : rows * static_cast<double>(model.vocab);
  result.sampler = bytes_from(tokens * static_cast<double>(model.hidden) * each +
                              logits * constants.sampler_bytes);
  for (const auto* tower : {&model.vision, &model.audio}) {
    if (!*tower) continue;
    result.encoder = std::max(result.encoder, encoder_peak(**tower, shape.encoder_items,
                                                           placement.tp, shape.item_tokens, each));
  }
  return result;
}

}  // namespace steelyard::memory

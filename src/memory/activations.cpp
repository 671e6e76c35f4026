#include "memory/activations.h"

#include <algorithm>

namespace steelyard::memory {
namespace {

// Values per token that live at once inside the widest feed-forward block.
double widest_block(const model::Model& model, const Placement& place) {
  const double hidden = static_cast<double>(model.hidden);
  double widest = 3 * hidden;
  for (const model::Layer& layer : model.layers) {
    const model::FeedForward& f = layer.feed_forward;
    if (f.kind == model::FeedForwardKind::dense) {
      const double products = f.gated ? 3.0 : 2.0;
      widest = std::max(widest, 3 * hidden + products * f.intermediate / place.tp);
    } else if (f.kind == model::FeedForwardKind::moe) {
      // Routed copies: the first product (gate and up), its activation, and the second product,
      // which reuses the room of the first.
      const double inner = static_cast<double>(f.expert_intermediate) /
                           (place.ep > 1 ? 1.0 : static_cast<double>(place.tp));
      const double routed = f.experts_per_token * (std::max(2 * inner, hidden) + inner);
      const double shared = 3.0 * f.shared_intermediate / place.tp;
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
double positions_of(const model::Encoder& encoder) {
  if (encoder.frames > 0) return encoder.frames;
  const double merged = std::max(1.0, static_cast<double>(encoder.merge) * encoder.merge);
  const double most = std::max(encoder.max_tokens_per_item, encoder.tokens_per_item);
  const double across =
      encoder.patch_size > 0 ? static_cast<double>(encoder.image_size / encoder.patch_size) : 0;
  return std::max(most * merged, encoder.max_tokens_per_item > 0 ? 0.0 : across * across);
}

// The input stays alive beside the widest point: the inner products, or, where the projector reads
// several layers, their outputs, the stack of them, and that with the last one behind it.
Bytes encoder_peak(const model::Encoder& encoder, std::uint64_t items, std::uint32_t tp) {
  const double hidden = encoder.hidden, kept = encoder.kept_layers;
  const double inner = (encoder.gated ? 3.0 : 2.0) * encoder.intermediate / tp;
  const double block = (kept + 3) * hidden + inner;
  const double joined = kept > 0 ? (3 * kept + 2) * hidden : 0;
  const double width = std::max(block, joined) + encoder.input_values;
  return bytes_from(static_cast<double>(items) * positions_of(encoder) * width * 2);
}

}  // namespace

Bytes Activations::peak() const {
  return std::max({forward, sampler, encoder});
}

Activations step_activations(const model::Model& model, const Placement& placement,
                             const StepShape& shape, const ActivationConstants& constants) {
  Activations result;
  const auto tokens = static_cast<double>(shape.tokens);
  result.forward = bytes_from(tokens * 2 * widest_block(model, placement));
  result.forward += indexer_scores(model, shape);
  const double rows = static_cast<double>(std::min(shape.sequences, shape.tokens));
  const double logits = model.encoder_only ? 0 : rows * static_cast<double>(model.vocab);
  result.sampler =
      bytes_from(tokens * static_cast<double>(model.hidden) * 2 + logits * constants.sampler_bytes);
  for (const auto* tower : {&model.vision, &model.audio}) {
    if (!*tower) continue;
    result.encoder =
        std::max(result.encoder, encoder_peak(**tower, shape.encoder_items, placement.tp));
  }
  return result;
}

}  // namespace steelyard::memory

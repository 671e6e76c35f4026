#include "memory/training/activations.h"

#include <algorithm>

namespace steelyard::memory {
namespace {

// In units of one hidden state of the layer's type.
constexpr double per_norm = 2;            // what a norm reads and what it gives
constexpr double upcast_per_norm = 1.75;  // an eager RMSNorm's 32-bit copy of its input
constexpr double gradient_in_flight = 0.5;
constexpr double per_adapted_input = 0.75;  // what an adapter's A reads, in a type of its own
constexpr double after_layers = 4;          // last norm and the head's input
// Products with packed matrices keep their inputs, which frozen 16-bit ones do not: the normed
// input of the feed-forward and attention's output in rows. Source: bitsandbytes, autograd of
// 4-bit.
constexpr double packed_inputs = 2;

// Frameworks whose attention repeats grouped keys and values for every query head.
bool repeats_kv(Framework framework) {
  return framework == Framework::torchtune || framework == Framework::torchtitan;
}

// Kernels by Triton (Liger, Unsloth) keep no copies.
bool upcasts(const LayerShape& layer, const TrainingPlan& plan) {
  return layer.upcasting_norms && !plan.fused_kernels;
}

}  // namespace

LayerActivations layer_activations(const TrainingShape& shape, const LayerShape& layer,
                                   const TrainingPlan& plan) {
  const double tokens = plan.tokens();
  const double b = plan.element;
  double attention = layer.attention_width;
  if (repeats_kv(plan.framework) && layer.kv_width > 0) {
    attention += std::max(0.0, 2 * layer.query_width - layer.kv_width);
  }
  double states = per_norm * layer.norms;
  if (upcasts(layer, plan)) states += upcast_per_norm * layer.norms;
  if (plan.adapters()) states += per_adapted_input * layer.adapted_inputs;
  const bool keeps_product = !plan.adapters() || layer.adapts_down;
  const double saved_inner = (layer.gated ? 3 : 1) + (keeps_product ? 1 : 0);
  // Gate, activation and up, and the gradients of all three; without a gate, two of each. Unsloth's
  // kernels write gradients where the values were. Source: unsloth, kernels (fast_lora, swiglu).
  const bool in_place = plan.framework == Framework::unsloth;
  const double inner_peak = layer.gated && !in_place ? 6 : 4;

  LayerActivations bytes;
  bytes.input = tokens * plan.residual * shape.hidden;
  const double hidden = shape.hidden * plan.residual;
  const double inner = layer.inner_width * b;
  double scores = 0;
  if (!plan.flash_attention) {
    // Softmax in 32 bit and the copy that multiplies the values.
    scores = layer.scores_heads * (4 + b) * static_cast<double>(plan.seq_len);
  }
  bytes.kept = tokens * (attention * b + states * hidden + saved_inner * inner + scores);
  if (shape.quantised && plan.adapters()) {
    bytes.kept += tokens * (packed_inputs * hidden + (keeps_product ? 0 : inner));
  }
  const double products = layer.attention_width * b + 2 * hidden + (layer.gated ? 2 : 1) * inner;
  bytes.half = bytes.input + tokens * (layer.query_width * b + hidden + products / 2);
  bytes.half = std::min(bytes.half, bytes.kept);
  const double running =
      attention * b + (states + gradient_in_flight) * hidden + inner_peak * inner + 1.5 * scores;
  bytes.peak = tokens * running;
  return bytes;
}

double loss_bytes(const TrainingShape& shape, const TrainingPlan& plan) {
  const double tokens = plan.tokens();
  return tokens *
         (plan.logit_bytes * shape.vocabulary + after_layers * shape.hidden * plan.element);
}

}  // namespace steelyard::memory

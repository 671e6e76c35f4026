// The peak of a dummy step, which serving engines reserve beside weights and cache.
#pragma once

#include "memory/placement.h"

namespace steelyard::memory {

// Fitted on logged profile runs, the same for every model and card; `accuracy/` leaves one model
// out and refits. Everything else in the formula is the size of a named tensor.
struct ActivationConstants {
  // Bytes per (sequence, vocabulary entry) of the sampler: 16-bit and 32-bit logits, sorted values,
  // their 64-bit indices, probabilities, their running sum and the masks.
  double sampler_bytes = 38.4;
  double band = 0.25;
};

struct StepShape {
  std::uint64_t tokens = 2048, sequences = 256;
  std::uint64_t context = 0;        // longest sequence; only sparse indexers ask
  std::uint64_t encoder_items = 0;  // images or clips profiled in one step
  std::uint64_t item_tokens = 0;    // of one image whose size was given; 0: the largest there is
  std::uint64_t value_bytes = 2;    // 4 where the engine computes in 32 bit
};

struct Activations {
  Bytes forward, sampler, encoder;
  Bytes peak() const;
};

// Tokens of an image of so many pixels, where the model takes images at their own size; else 0.
std::uint64_t image_tokens(const model::Encoder& encoder, std::uint64_t width,
                           std::uint64_t height);

// forward = T x 2 B x (3 hidden + 3 intermediate / tp), for experts the routed copies instead;
// sampler = T x hidden x 2 B + S x vocabulary x sampler_bytes; the peak is the larger of them.
Activations step_activations(const model::Model& model, const Placement& placement,
                             const StepShape& shape, const ActivationConstants& constants = {});

}  // namespace steelyard::memory

// Figures of layers that contradict each other, whatever file they came from.
#pragma once

#include "model/description.h"

namespace steelyard::model {

// What the figures are called where they were read: a config's fields or GGUF's keys.
struct LayerWords {
  std::string query_heads, kv_heads, head_dim, experts, experts_per_token;
};
LayerWords config_words();
LayerWords gguf_words(const std::string& architecture);

// Errors: bad_input naming the first layer whose attention has no heads, more key than query heads
// or a number of key heads that does not divide them, heads of no width, or a router that picks
// more experts than there are.
Status check_layers(const Model& model, const LayerWords& words);

}  // namespace steelyard::model

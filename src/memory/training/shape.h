// What training needs to know of a model: widths of what each layer keeps for its backward pass,
// and how many parameters lie where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/memory.h"
#include "memory/training.h"

namespace steelyard::memory {

// One decoder layer. Widths are elements per token.
struct LayerShape {
  double parameters = 0;    // all of them
  double weight_bytes = 0;  // as stored
  double adapter_parameters = 0;
  double attention_width = 0;  // what attention saves: queries, keys, values, output
  double query_width = 0, kv_width = 0;
  double inner_width = 0;   // feed-forward, summed over the experts that a token visits
  double routed_width = 0;  // of it, what goes through experts that run one after the other
  double expert_share = 0;  // of the routed width, what one of them sees at once
  double visited = 0;       // experts that a token visits
  bool gated = true;
  double norms = 0;             // norms over the residual stream
  bool upcasting_norms = true;  // RMSNorm in eager mode works in 32 bit
  double adapted_inputs = 0;    // target matrices whose input an adapter keeps, in units of hidden
  bool adapts_down = false;     // ... and the one behind the feed-forward's inner width
  double scores_heads = 0;      // query heads, for attention without flash kernels
  double largest_matrix = 0;    // elements

  bool operator==(const LayerShape&) const = default;
};

struct TrainingShape {
  std::vector<LayerShape> layers;
  double hidden = 0, vocabulary = 0;
  double embedding_parameters = 0, head_parameters = 0;  // tied: the head has none of its own
  double outer_parameters = 0;                           // towers, projectors, last norm
  double embedding_bytes = 0, head_bytes = 0, outer_bytes = 0;  // as stored
  double outer_adapter_parameters = 0;
  bool quantised = false;
};

// `targets`: all, attention, mlp, or names with commas. MTP layers are left out: frameworks do not
// train them. Errors: usage, when no target names a matrix of the model.
Result<TrainingShape> training_shape(const model::Model& model, const Training& training);

}  // namespace steelyard::memory

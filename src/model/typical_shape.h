// A model known only by its size: a stated shape as published models of that size have it.
#pragma once

#include <optional>
#include <string_view>

#include "base/base.h"
#include "model/description.h"

namespace steelyard::model {

struct ModelSize {
  double parameters = 0;
  double active = 0;  // 0: dense
};

// "7b", "8.03B", "30b-a3b", "350m", "1.6t". Nothing when the text is not a size.
std::optional<ModelSize> parse_size(std::string_view text);

// Depth and width between those of published decoders of neighbouring sizes, the feed-forward
// width solved for the parameters asked. Every piece is in the notes. Errors: usage (outside
// 0.1b..3000b, or more active than total).
Result<Model> typical_model(const ModelSize& size);

}  // namespace steelyard::model

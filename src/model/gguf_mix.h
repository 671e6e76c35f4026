// Weights as a GGUF type or mix ("q8_0", "q4_k_m"): which tensor gets which type.
#pragma once

#include <string_view>

#include "base/base.h"
#include "model/description.h"

namespace steelyard::model {

// The same model with its tensors in a GGUF type or mix, any case. Errors: usage when the name is
// not one.
Result<Model> with_gguf_weights(const Model& model, std::string_view name);

}  // namespace steelyard::model

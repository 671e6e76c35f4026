// Tensors correct what a config or metadata said, or left unsaid, about the layers.
#pragma once

#include "model/description.h"

namespace steelyard::model {

// Layer numbers become those of `layers` (MTP layers follow); the vocabulary, tied embeddings,
// dense or experts per layer and missing widths come from the shapes. For models read from a
// header, after all tensors are there.
void refine_by_tensors(Model& model);

// Layers that some tensor outside the towers belongs to, by the numbers in the file.
std::size_t layers_seen(const Model& model);

}  // namespace steelyard::model

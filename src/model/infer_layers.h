// Layers of a checkpoint without a config: as far as names and shapes tell.
#pragma once

#include "model/description.h"

namespace steelyard::model {

// Sets hidden size, vocabulary, dtype and, where the shapes decide it, the layers. The number of
// heads follows from norms of single heads only; without them `layers` stays empty and
// not_established says which figures are missing.
void infer_layers(Model& model);

}  // namespace steelyard::model

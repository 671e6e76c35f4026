// One layer's attention, state and feed-forward part out of GGUF metadata.
#pragma once

#include <cstddef>

#include "model/description.h"
#include "model/gguf_architectures.h"
#include "model/gguf_metadata.h"

namespace steelyard::model {

Layer gguf_layer(const GgufMetadata& metadata, const GgufArchitecture& arch, std::size_t index);
// The state of one recurrent layer; the same in all of them.
Recurrent gguf_recurrent(const GgufMetadata& metadata, const GgufArchitecture& arch);
FeedForward gguf_feed_forward(const GgufMetadata& metadata, const GgufArchitecture& arch,
                              std::size_t index);

}  // namespace steelyard::model

// GGUF metadata -> the layers of a model. Works without a tensor table too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/description.h"
#include "model/gguf_metadata.h"

namespace steelyard::model {

// Layers, sizes and name from the metadata; no tensors. An architecture whose attention the
// metadata do not tell leaves `layers` empty and says so in not_established.
// Errors: missing_field (general.architecture), too_large.
Result<Model> layers_from_gguf_metadata(const GgufMetadata& metadata);

// The same with its tensors derived from the layers, in f16 with f32 vectors, as llama.cpp's
// converter names and shapes them. For descriptions that come without a file: give the result to
// with_gguf_weights for another type.
Result<Model> from_gguf_metadata(const GgufMetadata& metadata);

// What llama.cpp prints about a model when it loads. 0 means "not in the log".
struct GgufLogFigures {
  std::string architecture;
  std::uint64_t layers = 0, embedding = 0, heads = 0, kv_heads = 0;
  std::uint64_t key_width = 0, value_width = 0;  // n_embd_k_gqa, n_embd_v_gqa
  std::uint64_t feed_forward = 0, vocab = 0, experts = 0, experts_used = 0, window = 0;
  std::uint64_t parameters = 0;  // "model params": settles what the other figures leave open
};
GgufMetadata gguf_metadata_of(const GgufLogFigures& figures);

// from_gguf_metadata for a log. With the parameter count it also settles whether the output matrix
// is stored apart from the embedding, and how wide one expert is; both with a note.
Result<Model> from_gguf_log(const GgufLogFigures& figures);

}  // namespace steelyard::model

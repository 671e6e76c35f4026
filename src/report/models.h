// The catalogue of models as text and as JSON. Pure: descriptions in, text out.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/model.h"

namespace steelyard::report {

// Bytes one sequence's cache grows by in 1000 tokens with 16-bit keys and values, as long as no
// window is full. Nothing for models without a cache or with layers that are not established.
std::optional<Bytes> cache_per_thousand_tokens(const model::Model& model);

// One line per model, at most 100 columns.
std::string models_table(std::span<const model::Model> models);
// Everything about one model: layers by kind, weights by role, what was assumed, source.
std::string model_in_full(const model::Model& model);

// The document steelyard.models/1 (data/schemas/steelyard.models.1.json).
std::string models_json(std::span<const model::Model> models);
// One row per model, base units.
std::string models_csv(std::span<const model::Model> models);

}  // namespace steelyard::report

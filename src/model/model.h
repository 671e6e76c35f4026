// Front header: bytes of a config, header or name in, one description out.
#pragma once

#include <string>
#include <string_view>

#include "base/base.h"
#include "model/description.h"
#include "model/pipelines.h"
#include "os/os.h"

namespace steelyard::model {

// A longer config.json is none.
inline constexpr std::uint64_t kConfigBytes = std::uint64_t{16} << 20;

// Reads a MODEL argument: a folder, a config.json (judged by content), .safetensors, its index,
// .gguf (also split), a catalogue name, or a size such as "7b" or "30b-a3b".
// Errors: not_found with the nearest names; bad_input with file, field and byte.
Result<Model> read_model(os::Files& files, std::string_view argument);

// The single readers, also for tests and fuzzing. `name` is only used in errors and in the answer.
Result<Model> read_config(std::string_view json, const std::string& name);
Result<Model> read_safetensors(os::Files& files, const std::string& path);
Result<Model> read_gguf(os::Files& files, const std::string& path);

// The catalogue of published configs.
std::vector<std::string> catalogue_names();
Result<Model> catalogue_model_at(std::size_t index);   // of catalogue_names()
Result<Model> catalogue_model(std::string_view name);  // loose spelling; not_found gives nearest

// The same model with its weights stored in another format: "bf16", "fp8", "awq", "q4_k_m" ...
// Embeddings, norms, routers keep what that scheme leaves alone. Errors: usage (unknown format).
Result<Model> with_weights(const Model& model, std::string_view format);

}  // namespace steelyard::model

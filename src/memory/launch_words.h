// What an engine is told to load.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "memory/memory.h"

namespace steelyard::memory {

// The model as a shell word, and the flag that makes the engine quantise while it loads, where
// `online` has one for the format asked for. A format that must already be in the files names the
// build wanted instead: 'AWQ build of Qwen/Qwen3-8B'.
std::string model_words(
    const model::Model& model,
    std::initializer_list<std::pair<std::string_view, std::string_view>> online);

// A compute type as PyTorch's engines spell it: "half", "bfloat16", "float32"; empty for none.
std::string_view torch_type(std::string_view dtype);

// What follows the line of an engine that does not start its replicas itself; empty for one.
std::string replicas_remark(std::uint32_t replicas);

// The type behind a model's cache word in the flags of vLLM and its kin; empty: the default.
std::string cache_word(const model::Model& model, const Workload& workload);

}  // namespace steelyard::memory

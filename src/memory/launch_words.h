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

}  // namespace steelyard::memory

// llama.cpp's answer, also for Ollama, which runs the same library with settings of its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "memory/engines/engine.h"

namespace steelyard::memory::llama_cpp {

// Terms per card, buffers as the log prints them, capacity, assumptions. Errors: usage,
// missing_field.
Result<Answer> answer(const model::Model& model, const Request& request);

ByteFigure bytes_per_token(const model::Model& model, const Request& request);

// "llama-server -m MODEL.gguf -c 32768 ...": the flags that make the engine do what was summed.
std::string command_line(const model::Model& model, const Request& request);

// What a chat needs, not the model's whole length that newer builds start from.
DefaultContext default_context(const model::Model& model, const Request& request);

// With --offload cpu, a dense model's layers that do not fit stay on the host: the request with the
// number that fits. Others come back as they are.
Request with_fitting_layers(const model::Model& model, Request request);

std::span<const std::string_view> weight_formats();
std::span<const std::string_view> cache_formats();

}  // namespace steelyard::memory::llama_cpp

// Ollama: llama.cpp's library with Ollama's own defaults.
#include <fmt/format.h>

#include "memory/engines/engine.h"
#include "memory/engines/llama_cpp.h"

namespace steelyard::memory {

namespace {

// Ollama asks for its context per request slot: 2048 tokens before 0.6.?, 4096 since; one slot
// unless OLLAMA_NUM_PARALLEL says more (before 0.9 it picked 4 when they fitted). Flash attention
// is off unless OLLAMA_FLASH_ATTENTION=1 or, from 0.12, where the model is known to gain.
struct OllamaDefaults {
  std::uint64_t context = 4096;
  bool flash = true;
};

OllamaDefaults defaults_of(const std::optional<Version>& version) {
  if (!version) return {};
  const auto since = [&](std::uint32_t major, std::uint32_t minor, std::uint32_t patch) {
    return version->parts >= std::array<std::uint32_t, 3>{major, minor, patch};
  };
  return {.context = since(0, 6, 7) ? 4096U : 2048U, .flash = since(0, 12, 4)};
}

// The same request in llama.cpp's terms.
Request translated(const Request& request) {
  Request out = request;
  out.engine.kind = EngineKind::llama_cpp;
  out.engine.version.reset();
  const auto defaults = defaults_of(request.engine.version);
  Workload& w = out.workload;
  if (!w.concurrency) w.concurrency = 1;
  if (!w.context && !w.ctx_size && !w.input && !w.output) w.context = defaults.context;
  if (w.flash_attention == Toggle::automatic && !defaults.flash) w.flash_attention = Toggle::off;
  return out;
}

std::string launch(const model::Model& model, const Request& request, const Answer&) {
  const Request r = translated(request);
  const Workload& w = r.workload;
  std::string line = fmt::format("OLLAMA_NUM_PARALLEL={}", *w.concurrency);
  if (w.context) line += fmt::format(" OLLAMA_CONTEXT_LENGTH={}", *w.context);
  if (!w.kv_k.empty()) line += " OLLAMA_KV_CACHE_TYPE=" + w.kv_k;
  if (w.flash_attention != Toggle::automatic) {
    line += fmt::format(" OLLAMA_FLASH_ATTENTION={}", w.flash_attention == Toggle::on ? 1 : 0);
  }
  return line + " ollama serve   # then: ollama run " +
         (model.name.empty() ? std::string("MODEL") : lower(model.name));
}

}  // namespace

EngineRules ollama_rules() {
  return {.kind = EngineKind::ollama,
          .name = "ollama",
          .spellings = "",
          .size =
              [](const model::Model& model, const Request& request) {
                auto answer = llama_cpp::answer(model, translated(request));
                if (answer) {
                  answer->assumptions.push_back({"ollama",
                                                 "llama.cpp's rules with its defaults; it keeps "
                                                 "layers on the host rather than fail",
                                                 Origin::assumed});
                }
                return answer;
              },
          .kv_bytes_per_token =
              [](const model::Model& model, const Request& request) {
                return llama_cpp::bytes_per_token(model, translated(request));
              },
          .launch = launch,
          .weight_formats = llama_cpp::weight_formats(),
          .kv_formats = llama_cpp::cache_formats(),
          .cards_by_tensor_parallel = false};
}

}  // namespace steelyard::memory

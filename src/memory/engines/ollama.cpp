// Ollama: llama.cpp's library with Ollama's own defaults.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "memory/asked.h"
#include "memory/engines/engine.h"
#include "memory/engines/llama_cpp.h"

namespace steelyard::memory {

namespace {

// Ollama's context is per request slot: 2048 tokens before 0.6.7, 4096 until 0.15.5, since then by
// the memory of all cards (docs/context-length.mdx; its thresholds leave a GiB for what a card of
// 24 or 48 GiB does not show).
DefaultContext ollama_context(const model::Model& model, const Request& request) {
  const auto& version = request.engine.version;
  if (!since(version, 0, 6, 7)) return {2048, "this version's default"};
  if (!since(version, 0, 15, 5) || !request.card) return {4096, "its default on a small card"};
  const CardMemory& card = *request.card;
  const double all = card.usable.value.as_gib() * card.count;
  const std::uint64_t tier = all >= 47 ? 262144 : all >= 23 ? 32768 : 4096;
  const std::uint64_t tokens = model.max_context > 0 ? std::min(tier, model.max_context) : tier;
  return {tokens, "its default for so much card memory"};
}

// Ollama builds llama.cpp into itself, weeks to months behind it: logs of 2025 before 0.12 have no
// row indices among the inputs (560.00 and 24.01 MiB for Llama 3 8B at 8192 cells).
std::optional<Version> vendored_build(const std::optional<Version>& ollama) {
  if (since(ollama, 0, 12)) return std::nullopt;  // the newest rules
  return Version{.parts = {5950, 0, 0}, .text = "b5950"};
}

// The same request in llama.cpp's terms. One slot unless OLLAMA_NUM_PARALLEL says more (before 0.9
// it picked 4 when they fitted). Flash attention is off unless OLLAMA_FLASH_ATTENTION=1 or, from
// 0.12.4, where the model is known to gain.
Request translated(const Request& request) {
  Request out = request;
  out.engine.kind = EngineKind::llama_cpp;
  out.engine.version = vendored_build(request.engine.version);
  Workload& w = out.workload;
  if (!w.concurrency) w.concurrency = 1;
  if (w.flash_attention == Toggle::automatic && !since(request.engine.version, 0, 12, 4)) {
    w.flash_attention = Toggle::off;
  }
  return out;
}

std::string launch(const model::Model& model, const Request& request, const Answer&) {
  const Request r = llama_cpp::with_fitting_layers(model, translated(request));
  const Workload& w = r.workload;
  const std::uint64_t slots = *w.concurrency;
  std::string line = fmt::format("OLLAMA_NUM_PARALLEL={}", slots);
  const std::uint64_t context =
      w.ctx_size ? *w.ctx_size / std::max<std::uint64_t>(1, slots) : w.context.value_or(0);
  if (context > 0) line += fmt::format(" OLLAMA_CONTEXT_LENGTH={}", context);
  if (!w.kv_k.empty()) line += " OLLAMA_KV_CACHE_TYPE=" + w.kv_k;
  if (w.flash_attention != Toggle::automatic) {
    line += fmt::format(" OLLAMA_FLASH_ATTENTION={}", w.flash_attention == Toggle::on ? 1 : 0);
  }
  // Its library has names of its own, which no config tells.
  const bool own = model.name.find('/') == std::string::npos && !model.name.empty();
  line += " ollama serve   # then: ollama run " +
          (own ? shell_word(model.name) : shell_word("the Ollama name of " + model.name));
  if (w.gpu_layers) line += fmt::format(", in it: /set parameter num_gpu {}", *w.gpu_layers);
  if (w.ubatch) line += fmt::format(", in it: /set parameter num_batch {}", *w.ubatch);
  if (request.placement.dp > 1) {
    line += fmt::format("; one such server on each of {} groups of cards", request.placement.dp);
  }
  return line;
}

}  // namespace

EngineRules ollama_rules() {
  return {.kind = EngineKind::ollama,
          .name = "ollama",
          .spellings = "",
          .newest = "0.15.5",
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
          .default_context = ollama_context,
          .weight_formats = llama_cpp::weight_formats(),
          .kv_formats = llama_cpp::cache_formats(),
          .cards_by_tensor_parallel = false};
}

}  // namespace steelyard::memory

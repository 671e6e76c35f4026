// Engine by platform, and the compute capability or chip that an engine needs.
#include "memory/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "memory/engines/engine.h"

namespace steelyard::memory {
namespace {

// runs: by the engine itself. plugin: by a package of its own, whose memory rules nobody here
// knows. unlisted: its makers name no support, the card's maker may have a fork. no: not at all.
enum class Way { runs, plugin, unlisted, no };

struct Row {
  EngineKind engine;
  Platform platform;
  Way way;
  std::string_view by = "";  // the plugin
};

using enum Platform;
using enum EngineKind;

// vLLM: docs.vllm.ai, Installation (0.14, 0.26: CUDA, ROCm, Intel XPU, Apple by vllm-metal; Gaudi,
// TPU, Neuron, Ascend and the rest by hardware plugins). SGLang: docs.sglang.io, Hardware Platforms
// (NVIDIA, AMD, Ascend, CPU, Jetson, TPU by sglang-jax, XPU). TensorRT-LLM: its Supported Hardware
// page names NVIDIA alone. llama.cpp: table of backends in its README (Metal, SYCL, MUSA, CUDA,
// HIP, CANN, Vulkan). Ollama: docs/gpu.mdx (CUDA, ROCm, Metal, Vulkan). transformers: whatever
// PyTorch has a device for; names of the plugins of torch recalled, not read.
constexpr auto rows = std::to_array<Row>({
    {vllm, cuda, Way::runs},
    {vllm, rocm, Way::runs},
    {vllm, intel_gpu, Way::runs},
    {vllm, apple, Way::plugin, "vllm-metal"},
    {vllm, gaudi, Way::plugin, "vllm-gaudi"},
    {vllm, tpu, Way::plugin, "tpu-inference"},
    {vllm, trainium, Way::plugin, "vllm-neuron"},
    {vllm, ascend, Way::plugin, "vllm-ascend"},
    {vllm, kunlunxin, Way::plugin, "vllm-kunlun"},
    {vllm, metax, Way::plugin, "vllm-metax"},
    {vllm, cambricon, Way::unlisted},
    {vllm, moore_threads, Way::unlisted},
    {vllm, iluvatar, Way::unlisted},
    {vllm, hygon, Way::unlisted},
    {sglang, cuda, Way::runs},
    {sglang, rocm, Way::runs},
    {sglang, intel_gpu, Way::runs},
    {sglang, ascend, Way::runs},
    {sglang, tpu, Way::plugin, "sglang-jax"},
    {sglang, kunlunxin, Way::unlisted},
    {sglang, metax, Way::unlisted},
    {sglang, moore_threads, Way::unlisted},
    {sglang, hygon, Way::unlisted},
    {tensorrt_llm, cuda, Way::runs},
    {EngineKind::llama_cpp, cuda, Way::runs},
    {EngineKind::llama_cpp, rocm, Way::runs},
    {EngineKind::llama_cpp, apple, Way::runs},
    {EngineKind::llama_cpp, intel_gpu, Way::runs},
    {EngineKind::llama_cpp, ascend, Way::runs},
    {EngineKind::llama_cpp, moore_threads, Way::runs},
    {EngineKind::llama_cpp, hygon, Way::unlisted},
    {EngineKind::llama_cpp, metax, Way::unlisted},
    {EngineKind::llama_cpp, iluvatar, Way::unlisted},
    {ollama, cuda, Way::runs},
    {ollama, rocm, Way::runs},
    {ollama, apple, Way::runs},
    {ollama, intel_gpu, Way::runs},
    {transformers, cuda, Way::runs},
    {transformers, rocm, Way::runs},
    {transformers, apple, Way::runs},
    {transformers, intel_gpu, Way::runs},
    {transformers, ascend, Way::plugin, "torch_npu"},
    {transformers, gaudi, Way::plugin, "optimum-habana"},
    {transformers, tpu, Way::plugin, "torch_xla"},
    {transformers, trainium, Way::plugin, "optimum-neuron"},
    {transformers, moore_threads, Way::plugin, "torch_musa"},
    {transformers, cambricon, Way::plugin, "torch_mlu"},
    {transformers, kunlunxin, Way::unlisted},
    {transformers, metax, Way::unlisted},
    {transformers, iluvatar, Way::unlisted},
    {transformers, hygon, Way::unlisted},
});

Row row_of(EngineKind engine, Platform platform) {
  for (const Row& row : rows) {
    if (row.engine == engine && row.platform == platform) return row;
  }
  return {engine, platform, Way::no};
}

// The least compute capability from a version of an engine on; the last row that holds, wins.
struct Least {
  EngineKind engine;
  std::array<std::uint32_t, 3> since;
  double capability;
};
// vLLM: docs of 0.3.3 to 0.14 say 7.0, those of 0.21 say 7.5 (PyTorch 2.11 has no kernels for
// Volta, pytorch#172352). SGLang: sm75 and above, given up with 0.5 (sglang#6006, #24224).
// TensorRT-LLM: the support matrix of 0.18.2 begins with SM80; 7.0 for what came before is
// recalled. llama.cpp and Ollama: 5.0 (docs/gpu.mdx of Ollama).
constexpr auto least = std::to_array<Least>({
    {vllm, {0, 0, 0}, 7.0},
    {vllm, {0, 21, 0}, 7.5},
    {sglang, {0, 0, 0}, 7.5},
    {sglang, {0, 5, 0}, 8.0},
    {tensorrt_llm, {0, 0, 0}, 7.0},
    {tensorrt_llm, {0, 18, 0}, 8.0},
    {EngineKind::llama_cpp, {0, 0, 0}, 5.0},
    {ollama, {0, 0, 0}, 5.0},
});

bool holds(const Engine& engine, const Least& row) {
  return row.engine == engine.kind && (!engine.version || engine.version->parts >= row.since);
}

// What vLLM's and SGLang's wheels for ROCm are built for (docs.vllm.ai 0.14, Installation, GPU;
// docs.sglang.io names the MI300 family).
constexpr std::string_view vllm_gfx[] = {"gfx90a",  "gfx942",  "gfx950",  "gfx1100", "gfx1101",
                                         "gfx1200", "gfx1201", "gfx1150", "gfx1151"};
constexpr std::string_view sglang_gfx[] = {"gfx942", "gfx950"};

void heed_chip(const Engine& engine, const CardMemory& card, Support& support) {
  if (platform_of(card) != rocm || card.compute_capability.empty()) return;
  const auto unbuilt = [&](std::span<const std::string_view> built) {
    if (std::ranges::find(built, card.compute_capability) != built.end()) return;
    support.notes.push_back(fmt::format("{} is not built for {} ({}): it must be compiled for it",
                                        engine_name(engine.kind), card.name,
                                        card.compute_capability));
  };
  if (engine.kind == vllm) unbuilt(vllm_gfx);
  if (engine.kind == sglang) unbuilt(sglang_gfx);
}

std::string too_old(const Engine& engine, const CardMemory& card) {
  const auto capability = capability_of(card);
  if (platform_of(card) != cuda || !capability) return {};
  double need = 0, before = 0;
  std::uint32_t until = 0;
  for (const Least& row : least) {
    if (row.engine != engine.kind) continue;
    if (holds(engine, row)) {
      before = need;
      need = row.capability;
      until = row.since[1];
    }
  }
  if (*capability >= need) return {};
  const bool older_ran = before > 0 && *capability >= before;
  return fmt::format("{} does not run on the {}: it needs compute capability {:.1f}, this is {}{}",
                     engine_name(engine.kind), card.name, need, card.compute_capability,
                     older_ran ? fmt::format("; versions before 0.{} did", until) : "");
}

}  // namespace

Platform platform_of(const CardMemory& card) {
  struct Maker {
    std::string_view vendor;
    Platform platform;
  };
  static constexpr Maker makers[] = {{"NVIDIA", cuda},
                                     {"AMD", rocm},
                                     {"Apple", apple},
                                     {"Google", tpu},
                                     {"AWS", trainium},
                                     {"Huawei", ascend},
                                     {"Moore Threads", moore_threads},
                                     {"Cambricon", cambricon},
                                     {"Kunlunxin", kunlunxin},
                                     {"MetaX", metax},
                                     {"Iluvatar", iluvatar},
                                     {"Hygon", hygon}};
  if (card.vendor == "Intel") {
    return contains_icase(card.architecture, "gaudi") ? gaudi : intel_gpu;
  }
  for (const Maker& maker : makers) {
    if (card.vendor == maker.vendor) return maker.platform;
  }
  return card.vendor.empty() && capability_of(card) ? cuda : unknown;
}

std::optional<double> capability_of(const CardMemory& card) {
  const std::string& text = card.compute_capability;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::string refusal_of(const Engine& engine, const CardMemory& card) {
  const Platform platform = platform_of(card);
  if (platform == unknown) return {};
  if (row_of(engine.kind, platform).way == Way::no) {
    return fmt::format("{} does not run on the {} ({})", engine_name(engine.kind), card.name,
                       card.vendor.empty() ? "another maker" : card.vendor);
  }
  return too_old(engine, card);
}

Support support_of(const model::Model& model, const Request& request) {
  Support support{.refusal = block_refusal(model, request)};
  if (!request.card || !support.refusal.empty()) return support;
  const CardMemory& card = *request.card;
  support.refusal = refusal_of(request.engine, card);
  const Platform platform = platform_of(card);
  if (!support.refusal.empty() || platform == unknown) return support;
  const Row row = row_of(request.engine.kind, platform);
  const std::string_view name = engine_name(request.engine.kind);
  if (row.way == Way::plugin) {
    support.notes.push_back(fmt::format(
        "{} runs on the {} by {}: whether that has this model, and what it keeps beside weights "
        "and cache, is not known here",
        name, card.name, row.by));
  } else if (row.way == Way::unlisted) {
    support.notes.push_back(fmt::format(
        "{} names no support for the {}: {} may have a build of its own, whose rules are not known "
        "here",
        name, card.name, card.vendor));
  }
  heed_chip(request.engine, card, support);
  heed_format(model, request, support);
  return support;
}

}  // namespace steelyard::memory

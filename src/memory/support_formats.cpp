// Weight format by engine and chip: native, by kernels that unpack, or not at all.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "memory/engines/engine.h"
#include "memory/support.h"

namespace steelyard::memory {
namespace {

using enum EngineKind;

// On NVIDIA: from `native` on by the units or kernels meant for it, from `fallback` on otherwise,
// below not at all. `since` is the first version of the engine for which the row holds.
struct OnNvidia {
  EngineKind engine;
  std::string_view format;
  std::array<std::uint32_t, 3> since;
  double native, fallback;
  std::string_view how;  // of the fallback
};
constexpr std::string_view marlin =
    "unpacked to 16 bits for each product (Marlin), which saves memory and bandwidth but no "
    "arithmetic";
constexpr std::string_view slow = "run by older kernels, which are slow at large batches";

// vLLM: docs.vllm.ai, Quantization, Supported Hardware, of 0.9.2, 0.15.1 (no Marlin on Turing) and
// the newest (Marlin for all but MXFP4 on Turing); AWQ and MXFP4 by get_min_capability of
// quantization/awq.py (75) and mxfp4.py (80, vllm#23203); FP8 by Marlin: vllm#5975; NVFP4 by
// Marlin: vllm#31085 and the support for it since 0.8.5, recalled. SGLang: the same kernels from
// 8.0 on; NVFP4 below 10.0 recalled as refused. TensorRT-LLM: numerical precision table (FP8 from
// Ada, FP4 from Blackwell, MXFP4 from Hopper). transformers: its fine-grained FP8 and MXFP4 are
// unpacked for good below 8.9 and 7.5 (transformers#39940), which is another sum.
constexpr auto nvidia = std::to_array<OnNvidia>({
    {vllm, "awq", {0, 0, 0}, 8.0, 7.5, slow},
    {vllm, "awq", {0, 16, 0}, 7.5, 7.5, slow},
    {vllm, "gptq", {0, 0, 0}, 8.0, 7.0, slow},
    {vllm, "gptq", {0, 16, 0}, 7.5, 7.0, slow},
    {vllm, "int4", {0, 0, 0}, 8.0, 8.0, slow},
    {vllm, "int4", {0, 16, 0}, 7.5, 7.5, slow},
    {vllm, "int8", {0, 0, 0}, 7.5, 7.5, slow},
    {vllm, "fp8", {0, 0, 0}, 8.9, 8.0, marlin},
    {vllm, "fp8", {0, 16, 0}, 8.9, 7.5, marlin},
    {vllm, "nvfp4", {0, 0, 0}, 10.0, 10.0, marlin},
    {vllm, "nvfp4", {0, 8, 5}, 10.0, 8.0, marlin},
    {vllm, "nvfp4", {0, 16, 0}, 10.0, 7.5, marlin},
    {vllm, "mxfp4", {0, 0, 0}, 9.0, 8.0, marlin},
    {vllm, "bnb", {0, 0, 0}, 7.0, 7.0, slow},
    {sglang, "awq", {0, 0, 0}, 8.0, 7.5, slow},
    {sglang, "gptq", {0, 0, 0}, 8.0, 7.5, slow},
    {sglang, "int4", {0, 0, 0}, 8.0, 8.0, slow},
    {sglang, "int8", {0, 0, 0}, 7.5, 7.5, slow},
    {sglang, "fp8", {0, 0, 0}, 8.9, 8.0, marlin},
    {sglang, "nvfp4", {0, 0, 0}, 10.0, 10.0, marlin},
    {sglang, "mxfp4", {0, 0, 0}, 9.0, 8.0, marlin},
    {tensorrt_llm, "awq", {0, 0, 0}, 8.0, 8.0, slow},
    {tensorrt_llm, "gptq", {0, 0, 0}, 8.0, 8.0, slow},
    {tensorrt_llm, "fp8", {0, 0, 0}, 8.9, 8.9, marlin},
    {tensorrt_llm, "nvfp4", {0, 0, 0}, 10.0, 10.0, marlin},
    {tensorrt_llm, "mxfp4", {0, 0, 0}, 9.0, 9.0, marlin},
    {transformers, "fp8", {0, 0, 0}, 8.9, 8.9, marlin},
    {transformers, "mxfp4", {0, 0, 0}, 7.5, 7.5, marlin},
});

const OnNvidia* row_of(const Engine& engine, std::string_view method) {
  const OnNvidia* found = nullptr;
  for (const OnNvidia& row : nvidia) {
    const bool holds = !engine.version || engine.version->parts >= row.since;
    if (row.engine == engine.kind && method.starts_with(row.format) && holds) found = &row;
  }
  return found;
}

// Formats that keep the bytes of the file on NVIDIA: what the kernels read is what was stored.
// Marlin and the fused expert kernels lay out weights anew: scales are permuted and spread, zero
// points and group indices dropped or added. Gained and lost parts are at most the scales
// themselves (a 16-bit scale and zero point per 128 of 4 bits: 4 %).
bool laid_out_anew(const Engine& engine, const OnNvidia& row, double capability) {
  if (engine.kind != vllm && engine.kind != sglang) return false;
  const std::string_view f = row.format;
  if (f == "awq" || f == "gptq" || f == "int4" || f == "mxfp4" || f == "nvfp4") return true;
  return f == "fp8" && capability < row.native;
}

std::string_view units_word(std::string_view format) {
  return format == "fp8" ? "FP8 units" : format == "nvfp4" || format == "mxfp4" ? "FP4 units" : "";
}

void heed_nvidia(const model::Model& model, const Request& request, double capability,
                 Support& support) {
  const std::string& method = model.quantisation.method;
  const OnNvidia* row = row_of(request.engine, method);
  if (row == nullptr) return;
  const CardMemory& card = *request.card;
  if (capability < row->fallback) {
    support.refusal = fmt::format(
        "{} has no kernels for {} weights on the {}: they need compute capability {:.1f}, this is "
        "{}",
        engine_name(request.engine.kind), method, card.name, row->fallback,
        card.compute_capability);
    return;
  }
  const std::string_view units = units_word(row->format);
  if (row->format == "mxfp4" && capability < 10.0) {
    support.notes.push_back(
        fmt::format("the {} has no FP4 units: mxfp4 weights are {}", card.name, marlin));
  } else if (capability < row->native) {
    support.notes.push_back(
        units.empty() ? fmt::format("{} weights are {} on the {}", method, row->how, card.name)
                      : fmt::format("the {} has no {}: {} weights are {}", card.name, units, method,
                                    row->how));
  }
  if (laid_out_anew(request.engine, *row, capability)) {
    support.weights_low = 0.97;
    support.weights_high = 1.05;
  }
}

// AMD (docs.vllm.ai, Quantization; FP8 and FP4 units by AMD's precision support tables): what the
// tables leave out runs by Triton kernels or not at all.
void heed_amd(const model::Model& model, const Request& request, Support& support) {
  const std::string& method = model.quantisation.method;
  const CardMemory& card = *request.card;
  const std::string& chip = card.compute_capability;
  if (method.empty() || chip.empty()) return;
  static constexpr std::string_view fp8_chips[] = {"gfx942", "gfx950", "gfx1200", "gfx1201"};
  const bool fp8_units = std::ranges::find(fp8_chips, chip) != std::end(fp8_chips);
  const std::string_view name = engine_name(request.engine.kind);
  if (method.starts_with("fp8") && !fp8_units) {
    support.refusal = fmt::format("{} has no FP8 kernels for the {} ({})", name, card.name, chip);
  } else if (method.starts_with("mxfp4") && chip != "gfx950") {
    support.notes.push_back(fmt::format(
        "the {} has no FP4 units: mxfp4 weights are unpacked for each product", card.name));
    support.weights_high = 1.05;
  } else if (method.starts_with("awq") || method.starts_with("gptq") || method.starts_with("bnb") ||
             method.starts_with("nvfp4")) {
    support.notes.push_back(
        fmt::format("{} does not list {} weights for AMD: they run by Triton kernels, if at all",
                    name, method));
    support.weights_low = 0.97;
    support.weights_high = 1.05;
  }
}

void heed_gguf(const model::Model& model, const Request& request, Support& support) {
  if (model.quantisation.method != "gguf") return;
  const std::string_view name = engine_name(request.engine.kind);
  if (request.engine.kind == tensorrt_llm) {
    support.refusal = fmt::format("{} does not read GGUF", name);
  } else if (request.engine.kind == transformers) {
    support.refusal = fmt::format(
        "{} unpacks GGUF weights when it loads them: give --weights bf16 for that sum", name);
  } else if (request.engine.kind == vllm || request.engine.kind == sglang) {
    support.notes.push_back(
        fmt::format("GGUF is experimental in {}: kernels are slow, not every type is there", name));
  }
}

// bfloat16 needs compute capability 8.0 in vLLM (vllm#946, #1157) and in SGLang's old versions.
void heed_type(const model::Model& model, const Request& request, double capability,
               Support& support) {
  const EngineKind kind = request.engine.kind;
  if (capability >= 8.0 || (kind != vllm && kind != sglang)) return;
  const std::string& asked = request.workload.dtype;
  if (asked == "bf16") {
    support.refusal =
        fmt::format("bfloat16 needs compute capability 8.0 in {}, the {} has {}: give --dtype fp16",
                    engine_name(kind), request.card->name, request.card->compute_capability);
  } else if (asked.empty() && model.dtype.name == "bf16") {
    support.needs_half = true;
    support.notes.push_back(
        fmt::format("the {} has no bfloat16: {} must run the model as float16 (--dtype half)",
                    request.card->name, engine_name(kind)));
  }
}

}  // namespace

void heed_format(const model::Model& model, const Request& request, Support& support) {
  const bool ggml = request.engine.kind == EngineKind::llama_cpp || request.engine.kind == ollama;
  if (ggml) return;  // GGUF runs on every backend
  heed_gguf(model, request, support);
  const Platform platform = platform_of(*request.card);
  if (platform == Platform::rocm) heed_amd(model, request, support);
  const auto capability = capability_of(*request.card);
  if (platform != Platform::cuda || !capability || !support.refusal.empty()) return;
  heed_nvidia(model, request, *capability, support);
  if (support.refusal.empty()) heed_type(model, request, *capability, support);
}

}  // namespace steelyard::memory

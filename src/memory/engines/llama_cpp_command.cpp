// The command line of llama-server, and the formats it can be told.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "memory/asked.h"
#include "memory/engines/llama_cpp.h"
#include "memory/engines/llama_cpp_evaluate.h"
#include "memory/launch_words.h"

namespace steelyard::memory::llama_cpp {

namespace {

std::string model_file(const model::Model& model) {
  if (model.reading == model::Reading::gguf && !model.source.empty()) return model.source;
  const std::string_view name = model.name.empty() ? std::string_view("MODEL") : model.name;
  const std::string_view last = name.substr(name.rfind('/') + 1);
  return fmt::format("{}{}{}.gguf", last, model.stored_as.empty() ? "" : "-", model.stored_as);
}

}  // namespace

std::string command_line(const model::Model& model, const Request& asked) {
  const Request request = with_fitting_layers(model, asked);
  const auto settings = settings_of(model, request.workload, build_of(request.engine.version));
  if (!settings) return "";
  const Workload& w = request.workload;
  std::string line =
      fmt::format("llama-server -m {} -c {}", shell_word(model_file(model)), settings->context);
  line +=
      fmt::format(" -ngl {}", w.gpu_layers ? *w.gpu_layers
                                           : static_cast<std::int64_t>(model.layers.size()) + 1);
  if (w.concurrency) line += fmt::format(" -np {}", *w.concurrency);
  if (settings->micro_batch != 512) {
    line += fmt::format(" -ub {}", settings->micro_batch);
    if (settings->micro_batch > 2048) line += fmt::format(" -b {}", settings->micro_batch);
  }
  if (settings->keys.name != "f16") line += fmt::format(" -ctk {}", settings->keys.name);
  if (settings->values.name != "f16") line += fmt::format(" -ctv {}", settings->values.name);
  const bool words = !request.engine.version || request.engine.version->parts[0] >= 6325;
  if (w.flash_attention == Toggle::on) line += words ? " -fa on" : " -fa";
  if (w.flash_attention == Toggle::off && words) line += " -fa off";
  if (request.placement.tp > 1) line += " -sm row";
  if (w.offload == "cpu" && has_experts(model)) line += " --cpu-moe";
  if (request.draft) line += " -md " + shell_word(model_file(*request.draft));
  if (w.images.value_or(0) > 0) line += " --mmproj MMPROJ.gguf";
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(w.adapters, 8); ++i) {
    line += fmt::format(" --lora ADAPTER{}.gguf", i + 1);
  }
  if (w.adapters > 8) line += " ...";
  if (request.placement.nodes > 1) line += " --rpc HOST:50052,...";
  if (w.cuda_graphs == Toggle::off) line = "GGML_CUDA_DISABLE_GRAPHS=1 " + line;
  return line + replicas_remark(request.placement.dp);
}

std::span<const std::string_view> weight_formats() {
  static constexpr std::array<std::string_view, 8> list = {"bf16",   "q8_0",   "q6_k",   "q5_k_m",
                                                           "q4_k_m", "iq4_xs", "q3_k_m", "q2_k"};
  return list;
}

std::span<const std::string_view> cache_formats() {
  static constexpr std::array<std::string_view, 3> list = {"f16", "q8_0", "q4_0"};
  return list;
}

}  // namespace steelyard::memory::llama_cpp

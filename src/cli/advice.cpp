#include "cli/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace steelyard::cli {
namespace {

using memory::EngineKind;

// Engines as bits, to say in a table which of them an option means something to.
constexpr unsigned bit(EngineKind kind) {
  return 1U << static_cast<unsigned>(kind);
}
constexpr unsigned vllm = bit(EngineKind::vllm), sglang = bit(EngineKind::sglang),
                   tensorrt = bit(EngineKind::tensorrt_llm), llama = bit(EngineKind::llama_cpp),
                   ollama = bit(EngineKind::ollama), transformers = bit(EngineKind::transformers);
constexpr unsigned ggml = llama | ollama, serving = vllm | sglang | tensorrt;

// An option given to an engine without a counterpart changes neither sum nor line, and that is
// said. Options that are not listed mean something to all.
struct Owned {
  std::string_view option;
  unsigned engines;
};
constexpr auto owned = std::to_array<Owned>({{"--ctx-size", ggml},
                                             {"--ubatch", ggml},
                                             {"--gpu-layers", ggml},
                                             {"--flash-attention", ggml},
                                             {"--offload", ggml},
                                             {"--dtype", serving | transformers},
                                             {"--memory-utilization", serving},
                                             {"--max-batched-tokens", serving},
                                             {"--max-num-seqs", serving},
                                             {"--cuda-graphs", serving | llama},
                                             {"--images", vllm | ggml},
                                             {"--adapters", serving | llama | transformers},
                                             {"--rank", serving | llama | transformers},
                                             {"--draft", vllm | sglang | ggml},
                                             {"--mtp", vllm | sglang | ggml},
                                             {"--ep", serving},
                                             {"--cp", vllm | tensorrt},
                                             {"--dcp", vllm | sglang},
                                             {"--attention-dp", serving},
                                             {"--nodes", serving | llama},
                                             {"--gpu-bandwidth", 0},
                                             {"--gpu-bf16", 0},
                                             {"--interconnect", 0}});

// What a training run has no use for.
constexpr auto serving_only = std::to_array<std::string_view>({"--engine",
                                                               "--kv",
                                                               "--concurrency",
                                                               "--ctx-size",
                                                               "--input",
                                                               "--output",
                                                               "--dtype",
                                                               "--memory-utilization",
                                                               "--max-batched-tokens",
                                                               "--max-num-seqs",
                                                               "--ubatch",
                                                               "--cuda-graphs",
                                                               "--gpu-layers",
                                                               "--images",
                                                               "--adapters",
                                                               "--draft",
                                                               "--mtp",
                                                               "--attention-dp",
                                                               "--dcp",
                                                               "--gpu-bandwidth",
                                                               "--gpu-bf16",
                                                               "--interconnect"});

void add_without_effect_in_training(const Arguments& arguments, memory::Answer& answer) {
  for (const std::string_view option : serving_only) {
    if (!arguments.has(option)) continue;
    answer.warnings.push_back(fmt::format("{} changes nothing in the sum of training", option));
  }
  if (memory::trains_adapters(answer.training->method)) return;
  for (const std::string_view option : {"--rank", "--targets"}) {
    if (!arguments.has(option)) continue;
    answer.warnings.push_back(fmt::format("{} changes nothing: --mode {} trains no adapters",
                                          option, word_of(answer.training->method)));
  }
}

void add_without_effect(const Arguments& arguments, const model::Model& model,
                        memory::Answer& answer) {
  for (const Owned& one : owned) {
    if (!arguments.has(one.option) || (one.engines & bit(answer.engine.kind)) != 0) continue;
    answer.warnings.push_back(
        one.engines == 0
            ? fmt::format("{} changes nothing here: it is a speed, not memory", one.option)
            : fmt::format("{} changes nothing in the sum for {}, which has no such setting",
                          one.option, engine_name(answer.engine.kind)));
  }
  const auto vain = [&](std::string_view option, bool useful, std::string_view why) {
    if (!arguments.has(option) || useful) return;
    answer.warnings.push_back(fmt::format("{} changes nothing: {}", option, why));
  };
  vain("--mtp", !model.mtp_layers.empty(), "the model has no prediction layers of its own");
  vain("--images", model.vision.has_value(), "the model has no vision tower");
  vain("--rank", arguments.has("--adapters"), "no --adapters are asked for");
  vain("--offload", lower(arguments.value("--offload")) == "cpu",
       "only cpu is a place that layers or experts can be moved to");
  const bool sized = arguments.value("--images").find('@') != std::string::npos;
  const bool free_size = model.vision && model.vision->max_tokens_per_item > 0;
  if (sized && model.vision && !free_size) {
    answer.warnings.push_back("the size of --images changes nothing: the model scales every image");
  }
}

// A board of two dies is two devices: counting boards would promise twice the memory.
void add_devices(report::SizeCase& one) {
  if (one.card == nullptr || one.card->devices == 1 || !one.answer.card) return;
  one.answer.warnings.push_back(fmt::format(
      "the system shows one {} as {} devices and an engine process sees one of {}; the count here "
      "is of devices, so a whole card is --gpu \"{}:{}\"",
      one.card->name, one.card->devices, format_bytes(one.answer.card->usable.value),
      one.card->name, one.card->devices));
}

}  // namespace

void add_advice(const Arguments& arguments, const model::Model& model, report::SizeCase& one) {
  if (one.answer.training) {
    add_without_effect_in_training(arguments, one.answer);
  } else {
    add_without_effect(arguments, model, one.answer);
  }
  add_devices(one);
}

}  // namespace steelyard::cli

#include "cli/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace steelyard::cli {
namespace {

using memory::EngineKind;

// Options that only one kind of engine has; given to another they change nothing, and that is said.
struct Owned {
  std::string_view option;
  bool llama_cpp;  // llama.cpp and Ollama; else the serving engines
};
constexpr auto owned = std::to_array<Owned>({{"--ctx-size", true},
                                             {"--ubatch", true},
                                             {"--gpu-layers", true},
                                             {"--flash-attention", true},
                                             {"--offload", true},
                                             {"--memory-utilization", false},
                                             {"--max-batched-tokens", false},
                                             {"--max-num-seqs", false},
                                             {"--dcp", false},
                                             {"--attention-dp", false}});

void add_without_effect(const Arguments& arguments, const model::Model& model,
                        memory::Answer& answer) {
  const bool ggml =
      answer.engine.kind == EngineKind::llama_cpp || answer.engine.kind == EngineKind::ollama;
  for (const Owned& one : owned) {
    if (!arguments.has(one.option) || one.llama_cpp == ggml) continue;
    answer.warnings.push_back(fmt::format("{} changes nothing in the sum for {}", one.option,
                                          engine_name(answer.engine.kind)));
  }
  if (arguments.has("--mtp") && model.mtp_layers.empty()) {
    answer.warnings.push_back(
        "--mtp changes nothing: the model has no prediction layers of its own");
  }
  if (arguments.has("--images") && !model.vision) {
    answer.warnings.push_back("--images changes nothing: the model has no vision tower");
  }
}

// A format the card has no units for still saves memory, but not time.
void add_without_units(const model::Model& model, const report::SizeCase& one,
                       memory::Answer& answer) {
  if (one.card == nullptr) return;
  const std::string& method = model.quantisation.method;
  std::string_view rate;
  if (contains_icase(method, "fp8")) rate = "fp8";
  if (contains_icase(method, "fp4")) rate = "fp4";
  if (rate.empty() || facts::has_units(*one.card, rate) != std::optional<bool>(false)) return;
  answer.warnings.push_back(fmt::format(
      "the {} has no {} units: {} weights are unpacked to 16 bits for each product, which saves "
      "memory and bandwidth but no arithmetic",
      one.card->name, rate == "fp8" ? "FP8" : "FP4", method));
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
  add_without_effect(arguments, model, one.answer);
  add_without_units(model, one, one.answer);
  add_devices(one);
}

}  // namespace steelyard::cli

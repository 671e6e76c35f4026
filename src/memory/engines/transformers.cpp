// transformers: generate() with its dynamic cache; the whole prompt is one step.
#include <fmt/format.h>

#include "memory/asked.h"
#include "memory/engines/assumed.h"
#include "memory/engines/engine.h"
#include "memory/launch_words.h"

namespace steelyard::memory {
namespace {

constexpr std::string_view transformers_weights[] = {"int8", "nf4"};

Result<Answer> size_transformers(const model::Model& model, const Request& request) {
  AssumedRules rules;
  rules.step_tokens = 0;
  rules.runtime_gib = 0.9;
  return size_assumed(model, request, rules);
}

std::string transformers_launch(const model::Model& model, const Request& request, const Answer&) {
  std::string line =
      "transformers serve " + model_words(model, {{"nf4", "--quantization bnb-4bit"},
                                                  {"int8", "--quantization bnb-8bit"},
                                                  {"bnb-int8", "--quantization bnb-8bit"}});
  if (!request.workload.dtype.empty()) {
    const std::string_view type = torch_type(request.workload.dtype);
    line += fmt::format(" --dtype {}", type == "half" ? "float16" : type);
  }
  if (request.placement.tp > 1) {
    line = fmt::format("torchrun --nproc-per-node {} ", request.placement.tp) + line;
  }
  return line + replicas_remark(request.placement.dp);
}

}  // namespace

EngineRules transformers_rules() {
  return {.kind = EngineKind::transformers,
          .name = "transformers",
          .spellings = "hf huggingface",
          .newest = "",
          .size = size_transformers,
          .kv_bytes_per_token = assumed_per_token,
          .launch = transformers_launch,
          .weight_formats = transformers_weights,
          .kv_formats = {},
          .cards_by_tensor_parallel = true};
}

}  // namespace steelyard::memory

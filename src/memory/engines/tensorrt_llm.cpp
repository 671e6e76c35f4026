// TensorRT-LLM: the cache takes 0.9 of what is free after weights and step buffers.
#include <fmt/format.h>

#include "memory/asked.h"
#include "memory/engines/assumed.h"
#include "memory/engines/engine.h"
#include "memory/launch_words.h"

namespace steelyard::memory {
namespace {

constexpr std::string_view weight_formats[] = {"fp8", "awq"};
constexpr std::string_view kv_formats[] = {"fp8"};

Result<Answer> size_tensorrt(const model::Model& model, const Request& request) {
  AssumedRules rules;
  rules.share = request.workload.memory_utilization.value_or(0.9);
  rules.step_tokens = request.workload.max_batched_tokens.value_or(8192);
  rules.runtime_gib = 1.2;
  return size_assumed(model, request, rules);
}

std::string tensorrt_launch(const model::Model& model, const Request& request, const Answer&) {
  const Placement& p = request.placement;
  std::vector<Assumption> ignored;
  const Asked asked = asked_of(model, request, ignored);
  std::string line = "trtllm-serve " + model_words(model, {});
  if (p.tp > 1) line += fmt::format(" --tp_size {}", p.tp);
  if (p.pp > 1) line += fmt::format(" --pp_size {}", p.pp);
  if (p.ep > 1) line += fmt::format(" --ep_size {}", p.ep);
  line += fmt::format(" --max_seq_len {} --max_batch_size {}", asked.context, asked.concurrency);
  if (request.workload.memory_utilization) {
    line += fmt::format(" --kv_cache_free_gpu_memory_fraction {:g}",
                        *request.workload.memory_utilization);
  }
  return line;
}

}  // namespace

EngineRules tensorrt_llm_rules() {
  return {.kind = EngineKind::tensorrt_llm,
          .name = "tensorrt-llm",
          .spellings = "trtllm trt-llm tensorrt_llm tensorrtllm",
          .size = size_tensorrt,
          .kv_bytes_per_token = assumed_per_token,
          .launch = tensorrt_launch,
          .weight_formats = weight_formats,
          .kv_formats = kv_formats,
          .cards_by_tensor_parallel = true};
}

}  // namespace steelyard::memory

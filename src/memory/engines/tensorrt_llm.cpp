// TensorRT-LLM: the cache takes 0.9 of what is free after weights and step buffers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "memory/asked.h"
#include "memory/engines/assumed.h"
#include "memory/engines/engine.h"
#include "memory/kv_layout.h"
#include "memory/launch_words.h"

namespace steelyard::memory {
namespace {

constexpr std::string_view tensorrt_weights[] = {"fp8", "awq"};
constexpr std::string_view tensorrt_caches[] = {"fp8"};

Result<Answer> size_tensorrt(const model::Model& model, const Request& request) {
  AssumedRules rules;
  rules.share = request.workload.memory_utilization.value_or(0.9);
  rules.step_tokens = request.workload.max_batched_tokens.value_or(8192);
  rules.admits = request.workload.max_num_seqs;
  rules.runtime_gib = request.workload.cuda_graphs == Toggle::off ? 0.8 : 1.2;
  return size_assumed(model, request, rules);
}

// What has no flag of its own stands in a file of options; its lines follow as a remark.
std::string options_of(const model::Model& model, const Request& request) {
  const Workload& w = request.workload;
  std::vector<std::string> lines;
  const auto add = [&](std::string line) { lines.push_back(std::move(line)); };
  if (request.placement.attention_dp > 1) add("enable_attention_dp: true");
  if (request.placement.cp > 1) {
    add(fmt::format("context_parallel_size: {}", request.placement.cp));
  }
  if (!w.dtype.empty()) {
    const std::string_view type = torch_type(w.dtype);
    add(fmt::format("dtype: {}", type == "half" ? "float16" : type));
  }
  const auto cache = facts::find_format(kv_format_name(w.kv_k, model));
  if (cache && (cache->name == "nvfp4" || cache->bits_per_element() == 8)) {
    const bool integers = cache->name == "i8";
    add(fmt::format("kv_cache_config: {{dtype: {}}}", integers                 ? "int8"
                                                      : cache->name == "nvfp4" ? "nvfp4"
                                                                               : "fp8"));
  }
  if (w.cuda_graphs == Toggle::off) add("cuda_graph_config: null");
  if (w.adapters > 0) {
    add(fmt::format("lora_config: {{max_loras: {}, max_lora_rank: {}}}", w.adapters,
                    w.adapter_rank));
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

std::string tensorrt_launch(const model::Model& model, const Request& request, const Answer&) {
  const Placement& p = request.placement;
  const Workload& w = request.workload;
  const Asked asked = asked_of(request);
  std::string line =
      p.nodes > 1 ? fmt::format("mpirun -n {} trtllm-llmapi-launch ", p.tp * p.pp) : std::string();
  line += "trtllm-serve " + model_words(model, {});
  if (p.tp > 1) line += fmt::format(" --tp_size {}", p.tp);
  if (p.pp > 1) line += fmt::format(" --pp_size {}", p.pp);
  if (p.ep > 1) line += fmt::format(" --ep_size {}", p.ep);
  line += fmt::format(" --max_seq_len {} --max_batch_size {}", asked.context,
                      w.max_num_seqs.value_or(asked.concurrency));
  if (w.max_batched_tokens) line += fmt::format(" --max_num_tokens {}", *w.max_batched_tokens);
  if (w.memory_utilization) {
    line += fmt::format(" --kv_cache_free_gpu_memory_fraction {:g}", *w.memory_utilization);
  }
  const std::string options = options_of(model, request);
  if (options.empty()) return line + replicas_remark(p.dp);
  line += " --extra_llm_api_options OPTIONS.yml   # OPTIONS.yml: " + options;
  return p.dp > 1 ? line + fmt::format("; one such server on each of {} groups of cards", p.dp)
                  : line;
}

}  // namespace

EngineRules tensorrt_llm_rules() {
  return {.kind = EngineKind::tensorrt_llm,
          .name = "tensorrt-llm",
          .spellings = "trtllm trt-llm tensorrt_llm tensorrtllm",
          .newest = "",
          .size = size_tensorrt,
          .kv_bytes_per_token = assumed_per_token,
          .launch = tensorrt_launch,
          .weight_formats = tensorrt_weights,
          .kv_formats = tensorrt_caches,
          .cards_by_tensor_parallel = true};
}

}  // namespace steelyard::memory

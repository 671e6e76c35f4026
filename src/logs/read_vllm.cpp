// vLLM, both engines: what its workers and its core print from the first line to "startup
// complete".
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "logs/starts.h"

namespace steelyard::logs {
namespace {

struct VllmRow {
  std::string_view before;
  Term term;
};
// The words that stand before an amount.
constexpr auto amounts = std::to_array<VllmRow>({
    {"Model loading took ", Term::weights},
    {"Loading model weights took ", Term::weights},
    {"model weights take ", Term::weights},
    {"non_torch_memory takes ", Term::non_torch},
    {"non_torch_memory=", Term::non_torch},
    {"PyTorch activation peak memory takes ", Term::activations},
    {"the rest of the memory reserved for KV Cache is ", Term::kv_pool},
    {"Available KV cache memory: ", Term::kv_pool},
    {" kv_cache_size=", Term::kv_pool},
    {"Estimated CUDA graph memory: ", Term::graphs_estimate},
    {"total_gpu_memory (", Term::card_total},
    {"total_gpu_memory=", Term::card_total},
});

struct VllmKey {
  std::string_view key;
  Setting setting;
};
// Later lines win, and the engine prints what it resolved last: "max_seq_len" after what was asked.
constexpr auto keys = std::to_array<VllmKey>({
    {"model_tag", Setting::model},
    {"model", Setting::model},
    {"dtype", Setting::dtype},
    {"quantization", Setting::quantization},
    {"max_model_len", Setting::context},
    {"max_seq_len", Setting::context},
    {"kv_cache_dtype", Setting::kv_format},
    {"gpu_memory_utilization", Setting::utilization},
    {"max_num_batched_tokens", Setting::batched_tokens},
    {"max_num_seqs", Setting::sequences},
    {"tensor_parallel_size", Setting::tp},
    {"pipeline_parallel_size", Setting::pp},
    {"data_parallel_size", Setting::dp},
    {"decode_context_parallel_size", Setting::dcp},
    {"enable_expert_parallel", Setting::expert_parallel},
    {"enforce_eager", Setting::eager},
    {"block_size", Setting::block_size},
    {"kv_cache_memory_bytes", Setting::fixed_pool},
    {"num_gpu_blocks_override", Setting::fixed_pool},
    {"speculative_model", Setting::speculative},
    {"speculative_config", Setting::speculative},
    {"cpu_offload_gb", Setting::host_offload},
});

constexpr auto option_lines = std::to_array<std::string_view>(
    {"LLM engine (v", "non-default args:", "args: Namespace(", "Namespace(", "vllm serve ",
     "vllm.entrypoints.", "Chunked prefill is enabled", "memory profiling is enabled (default",
     "EngineArgs("});

bool says_options(const Line& line) {
  return std::ranges::any_of(option_lines, [&](std::string_view part) { return line.has(part); });
}

void read_options(const Line& line, Starts& starts) {
  // "speculative_config=SpeculativeConfig(method='mtp', ..., num_spec_tokens=3)": its own layers.
  const std::size_t spec = line.text.find("speculative_config");
  if (spec != std::string_view::npos) {
    const std::string_view rest = line.text.substr(spec);
    std::string tokens = value_of(rest, "num_speculative_tokens");
    if (tokens.empty()) tokens = value_of(rest, "num_spec_tokens");
    const bool own = value_of(rest, "method").find("mtp") != std::string::npos;
    if (own) starts.set(line, Setting::draft_tokens, tokens);
  }
  for (const VllmKey& one : keys) {
    std::string value = value_of(line.text, one.key);
    // "auto" and 0 say nothing that the engine's default does not.
    const bool empty = value == "0" || (value == "False" && one.setting != Setting::eager) ||
                       (one.setting == Setting::dtype && value == "auto");
    if (empty) continue;
    if (value.starts_with("torch.")) value.erase(0, 6);
    starts.set(line, one.setting, std::move(value));
  }
}

std::string version_behind(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = text.substr(at + before.size());
  return one_line(rest.substr(0, std::min<std::size_t>(rest.find_first_of(" ),"), 64)));
}

constexpr auto vllm_failures = std::to_array<std::string_view>(
    {"CUDA out of memory", "HIP out of memory", "OutOfMemoryError",
     "No available memory for the cache blocks", "larger than the available KV cache memory",
     "larger than the maximum number of tokens that can be stored in KV cache",
     "is less than desired GPU memory utilization", "Engine core initialization failed"});

// "Free memory on device (12.1/23.6 GiB) on startup": what was free, and CUDA's total.
Status read_free(const Line& line, const std::string& where, Starts& starts) {
  constexpr std::string_view before = "Free memory on device ";
  const std::size_t at = line.text.find(before);
  if (at == std::string_view::npos) return {};
  const std::size_t open = line.text.find('(', at + before.size());
  const auto free = open == std::string_view::npos ? std::nullopt : number_at(line.text, open + 1);
  if (!free || free->end >= line.text.size() || line.text[free->end] != '/') return {};
  const auto total = number_at(line.text, free->end + 1);
  const auto unit = total ? unit_at(line.text, total->end) : std::nullopt;
  if (!unit || free->value > 1e6 || total->value > 1e6) return {};
  const std::string words = quoted(line.text, at, total->end + 5);
  for (const auto& [term, number] :
       {std::pair(Term::card_free, *free), {Term::card_total, *total}}) {
    auto put = starts.put(line,
                          {.term = term,
                           .where = where,
                           .bytes = bytes_from(number.value * *unit),
                           .rounding = bytes_from(number.rounding * *unit),
                           .words = words},
                          true);
    if (!put) return put;
  }
  if (auto read = starts.add(line, Term::graphs, where, "memory, and "); !read) return read;
  if (auto read = starts.add(line, Term::non_torch, where, "for peak activation, "); !read) {
    return read;
  }
  return starts.add(line, Term::activations, where, "GiB for weight, ");
}

Status read_counts(const Line& line, const std::string& where, Starts& starts) {
  constexpr auto rows = std::to_array<std::pair<std::string_view, Counted>>({
      {"GPU KV cache size: ", Counted::pool_tokens},
      {"# GPU blocks: ", Counted::gpu_blocks},
      {"# CUDA blocks: ", Counted::gpu_blocks},
      {"# cuda blocks: ", Counted::gpu_blocks},
      {"# rocm blocks: ", Counted::gpu_blocks},
      {"tokens per request: ", Counted::concurrency},
      {"Maximum concurrency for ", Counted::concurrency_length},
  });
  for (const auto& [before, what] : rows) {
    if (!line.has(before)) continue;
    if (auto read = starts.count(line, what, where, before); !read) return read;
  }
  return {};
}

// "... can use total_gpu_memory (23.55GiB) x gpu_memory_utilization (0.90) = 21.19GiB"
Status read_budget(const Line& line, const std::string& where, Starts& starts) {
  if (const auto share = number_after(line.text, "gpu_memory_utilization (")) {
    const std::size_t at = line.text.find("gpu_memory_utilization (") + 24;
    starts.set(line, Setting::utilization, std::string(line.text.substr(at, share->end - at)));
    starts.now().v0 = true;  // the second engine never says it so
    return starts.add(line, Term::budget, where, ") = ", true, "total_gpu_memory");
  }
  if (const auto share = number_after(line.text, "Desired GPU memory utilization is (")) {
    const std::size_t at = line.text.find("utilization is (") + 16;
    starts.set(line, Setting::utilization, std::string(line.text.substr(at, share->end - at)));
  }
  return {};
}

}  // namespace

Status read_vllm(const Line& line, Starts& starts) {
  const std::string where = rank_of(line.text);
  if (line.has("vLLM API server version ")) {
    // One API server prints it, or several of one start: a new one has figures before it.
    const bool fresh = !starts.now().amounts.empty() || starts.is_ready() || !starts.any();
    if (fresh) starts.begin(line);
    starts.version(line, version_behind(line.text, "vLLM API server version "));
  }
  // Later servers print no such line; their arguments come first.
  if (line.has("non-default args:") && starts.is_ready()) starts.begin(line);
  if (line.has("LLM engine (v") && line.has("Initializing a")) {
    if (!starts.any() || starts.is_ready() || complete(starts.now())) {
      // Engines of data parallel begin at their own pace, under names of their own.
      if (!where.starts_with("DP") || where == "DP0" || starts.is_ready()) starts.begin(line);
    }
    starts.version(line, version_behind(line.text, "LLM engine (v"));
    starts.now().v0 = !line.has("Initializing a V1 ");
  }
  if (starts.is_ready()) return {};
  if (says_options(line)) read_options(line, starts);
  if (const auto length = number_after(line.text, "Using max model len ")) {
    starts.set(line, Setting::context, fmt::format("{:.0f}", std::min(length->value, 1e15)));
  }
  for (const VllmRow& row : amounts) {
    if (!line.has(row.before)) continue;
    if (auto read = starts.add(line, row.term, where, row.before); !read) return read;
  }
  if (line.has("Graph capturing finished in ")) {
    if (auto read = starts.add(line, Term::graphs, where, ", took ", true, "Graph capturing");
        !read)
      return read;
  }
  if (auto read = read_free(line, where, starts); !read) return read;
  if (auto read = read_budget(line, where, starts); !read) return read;
  if (auto read = read_counts(line, where, starts); !read) return read;
  if (std::ranges::any_of(vllm_failures, [&](std::string_view part) { return line.has(part); })) {
    starts.failure(line);
  }
  // What follows are requests, which may quote anything.
  const bool serves = line.has("Application startup complete");
  if (serves || (line.has("Starting vLLM API server") && complete(starts.now()))) starts.ready();
  return {};
}

}  // namespace steelyard::logs

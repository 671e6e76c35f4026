#include "memory/asked.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "memory/kv_layout.h"

namespace steelyard::memory {
namespace {

constexpr std::uint64_t default_context = 8192;

std::uint64_t context_of(const model::Model& model, const Workload& w,
                         std::vector<Assumption>& assumptions) {
  if (w.context) return std::max<std::uint64_t>(1, *w.context);
  if (w.input && w.output) {
    const std::uint64_t sum = saturating_add(*w.input, *w.output);
    assumptions.push_back(
        {"context", fmt::format("{} tokens: input and output", sum), Origin::exact});
    return std::max<std::uint64_t>(1, sum);
  }
  const std::uint64_t most = model.max_context > 0 ? model.max_context : default_context;
  const std::uint64_t context = std::min(most, default_context);
  assumptions.push_back(
      {"context", fmt::format("{} tokens per sequence", context), Origin::assumed});
  return context;
}

}  // namespace

Asked asked_of(const model::Model& model, const Request& request,
               std::vector<Assumption>& assumptions) {
  Asked asked;
  asked.context = context_of(model, request.workload, assumptions);
  if (request.workload.concurrency) {
    asked.concurrency = std::max<std::uint64_t>(1, *request.workload.concurrency);
  } else {
    assumptions.push_back({"concurrency", "1 sequence", Origin::assumed});
  }
  return asked;
}

std::uint64_t largest_that(std::uint64_t limit, const std::function<bool(std::uint64_t)>& fits) {
  std::uint64_t low = 0, high = limit;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

Status check_kv(const model::Model& model, const Workload& workload) {
  for (const std::string* word : {&workload.kv_k, &workload.kv_v}) {
    const bool of_gguf = lower(*word).starts_with("q") || lower(*word).starts_with("iq");
    if (!of_gguf && kv_element_bytes(*word, model) > 0) continue;
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("{} is no KV cache format of this engine", *word),
                 .field = "--kv",
                 .try_this = "bf16, fp16, fp8"});
  }
  if (!workload.kv_v.empty() &&
      kv_element_bytes(workload.kv_k, model) != kv_element_bytes(workload.kv_v, model)) {
    return fail(
        {.kind = ErrorKind::usage,
         .what = fmt::format("keys in {} and values in {}: only llama.cpp stores them apart",
                             workload.kv_k, workload.kv_v),
         .field = "--kv",
         .try_this = "give one format, or --engine llama.cpp"});
  }
  return {};
}

std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '/' || c == '-' || c == '_' || c == '.' || c == ':';
  });
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void assume_version(const Request& request, std::string_view newest,
                    std::vector<Assumption>& assumptions) {
  if (request.engine.version) return;
  assumptions.push_back(
      {"engine version", fmt::format("the rules of {}", newest), Origin::assumed});
}

}  // namespace steelyard::memory

#include "memory/asked.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "memory/engines/engine.h"
#include "memory/kv_layout.h"
#include "memory/placement.h"

namespace steelyard::memory {
namespace {

constexpr std::uint64_t default_context = 8192;

std::unexpected<Error> contradiction(std::string what, std::string field, std::string try_this) {
  return fail({.kind = ErrorKind::usage,
               .what = std::move(what),
               .field = std::move(field),
               .try_this = std::move(try_this)});
}

// 16 bit and FP8 everywhere; 8-bit integers and NVFP4 in TensorRT-LLM, 32 bit in transformers.
bool caches(EngineKind kind, std::string_view word) {
  const auto format = facts::find_format(word);
  if (!format) return false;
  const std::string_view name = format->name;
  if (name == "bf16" || name == "f16" || name.starts_with("f8_")) return true;
  if (kind == EngineKind::tensorrt_llm) return name == "int8" || name == "i8" || name == "nvfp4";
  return kind == EngineKind::transformers && name == "f32";
}

bool is_ggml(EngineKind kind) {
  return kind == EngineKind::llama_cpp || kind == EngineKind::ollama;
}

// Tokens of one request, 0 when neither length was given.
std::uint64_t request_tokens(const Workload& w) {
  return saturating_add(w.input.value_or(0), w.output.value_or(0));
}

// Lengths that cannot hold at once are refused, not chosen from.
Status check_lengths(const Workload& w, bool ggml) {
  const std::uint64_t tokens = request_tokens(w);
  if (w.context && tokens > *w.context) {
    return contradiction(fmt::format("requests of {} tokens do not fit a context of {}",
                                     with_commas(tokens), with_commas(*w.context)),
                         "--context", "raise --context, or give --input and --output alone");
  }
  if (!ggml || !w.ctx_size) return {};
  const std::uint64_t each = std::max(w.context.value_or(0), tokens);
  const std::uint64_t all = saturating_mul(each, w.concurrency.value_or(1));
  if (all > *w.ctx_size) {
    return contradiction(
        fmt::format("{} tokens for each of {} sequences do not fit --ctx-size {}",
                    with_commas(each), w.concurrency.value_or(1), with_commas(*w.ctx_size)),
        "--ctx-size", fmt::format("--ctx-size is the total over all slots: {} or more", all));
  }
  return {};
}

std::string parts_of(const Workload& w) {
  return w.input && w.output ? "input and output"
         : w.input           ? "the input alone"
                             : "the output alone";
}

void resolve_context(const model::Model& model, const EngineRules& rules, Request& request,
                     std::vector<Assumption>& assumptions) {
  Workload& w = request.workload;
  const bool total = is_ggml(rules.kind) && w.ctx_size;
  const std::uint64_t tokens = request_tokens(w);
  if (tokens > 0 && (w.context || total)) {
    assumptions.push_back({"requests",
                           fmt::format("{} tokens ({}), within the context asked for",
                                       with_commas(tokens), parts_of(w)),
                           Origin::exact});
  } else if (tokens > 0) {
    w.context = tokens;
    assumptions.push_back(
        {"context", fmt::format("{} tokens: {}", tokens, parts_of(w)), Origin::exact});
  }
  if (w.context && total) {
    assumptions.push_back(
        {"context",
         fmt::format("{} tokens of each sequence, within --ctx-size", with_commas(*w.context)),
         Origin::exact});
  }
  if (!w.context && !total) {
    const DefaultContext chosen = rules.default_context != nullptr
                                      ? rules.default_context(model, request)
                                      : DefaultContext{usual_context(model), ""};
    w.context = chosen.tokens;
    assumptions.push_back({"context",
                           fmt::format("{} tokens per sequence{}", with_commas(chosen.tokens),
                                       chosen.why.empty() ? "" : "; " + chosen.why),
                           Origin::assumed});
  }
  if (w.context) w.context = std::max<std::uint64_t>(1, *w.context);
}

void resolve_concurrency(const EngineRules& rules, Request& request,
                         std::vector<Assumption>& assumptions) {
  Workload& w = request.workload;
  const std::uint64_t replicas =
      saturating_mul(request.placement.dp, request.placement.attention_dp);
  if (!w.concurrency) {
    if (rules.kind == EngineKind::llama_cpp) return;  // has a default of its own
    assumptions.push_back({"concurrency", "1 sequence", Origin::assumed});
    w.concurrency = 1;
    return;
  }
  const std::uint64_t all = std::max<std::uint64_t>(1, *w.concurrency);
  w.concurrency = ceil_div(all, std::max<std::uint64_t>(1, replicas));
  if (replicas > 1) {
    assumptions.push_back(
        {"concurrency",
         fmt::format("{} sequences over {} replicas: {} on each", all, replicas, *w.concurrency),
         Origin::exact});
  }
}

}  // namespace

std::uint64_t usual_context(const model::Model& model) {
  return model.max_context > 0 ? std::min(model.max_context, default_context) : default_context;
}

Asked asked_of(const Request& request) {
  return {.context = std::max<std::uint64_t>(1, request.workload.context.value_or(default_context)),
          .concurrency = std::max<std::uint64_t>(1, request.workload.concurrency.value_or(1))};
}

Result<Request> resolved(const model::Model& model, const Request& request,
                         std::vector<Assumption>& assumptions) {
  const EngineRules& rules = rules_of(request.engine.kind);
  Request out = request;
  if (auto lengths = check_lengths(request.workload, is_ggml(rules.kind)); !lengths) {
    return std::unexpected(lengths.error());
  }
  resolve_context(model, rules, out, assumptions);
  resolve_concurrency(rules, out, assumptions);
  if (rules.cards_by_tensor_parallel) out.placement = spread(out.placement);
  return out;
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

Status check_kv(const model::Model& model, const Request& request) {
  const Workload& workload = request.workload;
  for (const std::string* word : {&workload.kv_k, &workload.kv_v}) {
    if (word->empty() || lower(*word) == "auto" || caches(request.engine.kind, *word)) continue;
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
  for (const char c : one_line(text))
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void say_version(const Request& request, std::vector<Assumption>& assumptions,
                 std::vector<std::string>& warnings) {
  const EngineRules& rules = rules_of(request.engine.kind);
  const auto& version = request.engine.version;
  if (rules.newest.empty()) {
    if (version) {
      warnings.push_back(
          fmt::format("the version changes nothing: one set of rules is known for {}", rules.name));
    }
    return;
  }
  if (!version) {
    assumptions.push_back(
        {"engine version", fmt::format("the rules of {}", rules.newest), Origin::assumed});
    return;
  }
  const auto newest = parse_version(rules.newest);
  if (!newest || version->parts <= newest->parts) return;
  warnings.push_back(fmt::format("{} {} is newer than the rules known here: those of {} are used",
                                 rules.name, version->text, rules.newest));
}

}  // namespace steelyard::memory

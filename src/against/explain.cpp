// Why a figure is off: only what the log itself shows.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "against/parts.h"

namespace steelyard::against {
namespace {

using logs::Setting;
using logs::Term;

// Options that move a figure: a conflict in one of them is the first thing to name.
struct Moves {
  std::string_view row;
  std::string_view options;
};
constexpr auto moved_by = std::to_array<Moves>({
    {"weights", "--weights --dtype --tp --pp --ep --dp"},
    {"activations", "--max-batched-tokens --max-num-seqs --tp --dtype"},
    {"activations_and_runtime",
     "--max-batched-tokens --max-num-seqs --tp --dtype --memory-utilization --cuda-graphs"},
    {"runtime", "--tp --pp"},
    {"budget", "--memory-utilization --gpu"},
    {"cuda_graphs", "--max-num-seqs --pp --cuda-graphs"},
    {"kv_pool",
     "--memory-utilization --weights --dtype --tp --pp --max-batched-tokens --cuda-graphs"},
    {"pool_tokens", "--kv --tp --pp --dcp"},
    {"concurrency", "--kv --tp --pp --dcp"},
    {"model_buffer", "--weights --gpu-layers --pp --tp"},
    {"kv_buffer", "--kv --ctx-size --concurrency --gpu-layers --pp --tp"},
    {"recurrent_buffer", "--concurrency --gpu-layers"},
    {"compute_buffer", "--ubatch --flash-attention --ctx-size --concurrency --kv --gpu-layers"},
    {"output_buffer", "--concurrency"},
});

std::string by_conflict(const Row& row, const Comparison& out) {
  const auto moves = std::ranges::find(moved_by, row.name, &Moves::row);
  if (moves == moved_by.end()) return "";
  for (const Conflict& one : out.conflicts) {
    for (const std::string_view option : split(moves->options, ' ')) {
      if (option == one.option) {
        return fmt::format("{} {} was given, the log says {} (line {})", one.option, one.given,
                           one.logged, one.line);
      }
    }
  }
  return "";
}

std::string last_part(std::string_view name) {
  const std::string_view plain = trim(name);
  const std::size_t slash = plain.find_last_of("/\\");
  return name_key(slash == std::string_view::npos ? plain : plain.substr(slash + 1));
}

// An engine's name of a weight format as the model's own config would say it.
std::string method_key(std::string_view logged) {
  constexpr auto same = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"bitsandbytes", "bnb"}, {"modelopt_fp4", "nvfp4"}, {"modelopt", "fp8"}});
  for (const auto& [name, method] : same) {
    if (logged == name) return name_key(method);
  }
  return name_key(logged);
}

// What the log names that the prediction does not have.
std::string by_setting(const Row& row, const Start& start) {
  const logs::StartupLog& log = start.log;
  const bool weights = row.name == "weights" || row.name == "model_buffer";
  if (weights) {
    const logs::Option* format = log.option(Setting::quantization);
    const std::string& method = start.model.quantisation.method;
    if (format != nullptr && method.empty()) {
      return fmt::format("the log loads weights as {} (line {}), unquantised ones were weighed",
                         format->value, format->line);
    }
    const bool gguf = method == "gguf";
    const std::string logged = format == nullptr ? "" : method_key(format->value);
    const std::string ours = name_key(method);
    if (format != nullptr && !gguf && logged.find(ours) == std::string::npos &&
        ours.find(logged) == std::string::npos) {
      return fmt::format("the log loads weights as {} (line {}), {} was weighed", format->value,
                         format->line, method);
    }
  }
  if (const logs::Option* moved = log.option(Setting::host_offload);
      moved != nullptr && (weights || row.name == "kv_pool" || row.name == "compute_buffer")) {
    return fmt::format("the log moves weights to the host (line {}), which is not in the sum",
                       moved->line);
  }
  if (const logs::Option* draft = log.option(Setting::speculative);
      draft != nullptr && !start.request.draft && start.request.workload.mtp == 0) {
    return fmt::format("the log speculates ({}, line {}): give --draft or --mtp to weigh that too",
                       draft->value.substr(0, 60), draft->line);
  }
  return "";
}

// Another model than the one that was weighed: only where the weights say so too.
std::string by_model(const Start& start, const Comparison& out) {
  const bool weights_off = std::ranges::any_of(out.rows, [](const Row& row) {
    return row.standing == Standing::off && (row.name == "weights" || row.name == "model_buffer");
  });
  const logs::Option* model = start.log.option(Setting::model);
  const std::string ours = last_part(start.model.name);
  const std::string theirs = model == nullptr ? "" : last_part(model->value);
  // A file's name says more than the model's: format, a part's number.
  if (!weights_off || theirs.empty() || ours.empty() || theirs.find(ours) != std::string::npos) {
    return "";
  }
  return fmt::format("the log loads \"{}\" (line {}), {} was weighed", model->value, model->line,
                     start.model.name);
}

// The pool is what the others leave: whose difference it is.
std::string by_parts(const Row& row, const Start& start, const Comparison& out) {
  if (row.name != "kv_pool" || !row.predicted) return "";
  if (const logs::Option* given = start.log.option(Setting::fixed_pool)) {
    return fmt::format("the pool was given ({}, line {}), not what was left", given->value,
                       given->line);
  }
  const logs::Amount* free = start.log.amount(Term::card_free);
  const logs::Amount* total = start.log.amount(Term::card_total);
  if (free != nullptr && total != nullptr && total->bytes > free->bytes) {
    const Bytes taken = total->bytes - free->bytes;
    if (taken > gib(1) && taken.as_double() > 0.5 * std::abs(row.logged - *row.predicted)) {
      return fmt::format("{} of {} were taken when it started (line {}): give --memory-in-use",
                         format_bytes(taken), format_bytes(total->bytes), free->line);
    }
  }
  std::string parts;
  double sum = 0;
  for (const Row& other : out.rows) {
    const bool part = other.name == "weights" || other.name == "activations" ||
                      other.name == "runtime" || other.name == "activations_and_runtime" ||
                      other.name == "budget" || other.name == "cuda_graphs";
    if (!part || !other.predicted || other.standing == Standing::open) continue;
    const double difference = other.logged - *other.predicted;
    sum += other.name == "budget" ? difference : -difference;
    if (std::abs(difference) < mib(64).as_double()) continue;
    std::string name = other.name;
    std::ranges::replace(name, '_', ' ');
    parts += fmt::format("{}{} {}{}", parts.empty() ? "" : ", ", name, difference < 0 ? "-" : "+",
                         format_bytes(bytes_from(std::abs(difference))));
  }
  const double own = row.logged - *row.predicted;
  if (parts.empty() || std::abs(sum - own) > 0.25 * std::abs(own)) return "";
  return "what the others leave of it: " + parts;
}

// The log's own bytes per token, tried against the formats a cache can have.
std::string by_cache_format(const Row& row, const Start& start, const Comparison& out) {
  if (row.name != "pool_tokens" || !out.room.pool || !row.predicted) return "";
  for (const std::string_view format : {"fp8", "bf16", "fp32"}) {
    memory::Request request = start.request;
    request.workload.kv_k = request.workload.kv_v = std::string(format);
    const Start tried{.model = start.model, .request = request, .log = start.log};
    const auto answer = with_pool(tried, {.bytes = *out.room.pool});
    if (!answer || !answer->capacity.kv_tokens_printed) continue;
    const double tokens = *answer->capacity.kv_tokens_printed;
    if (std::abs(tokens / *row.predicted - 1) < 0.05 || std::abs(tokens / row.logged - 1) > 0.02) {
      continue;
    }
    return fmt::format("its own figures, {} for {} tokens, are those of a {} cache (--kv {})",
                       format_bytes(*out.room.pool),
                       with_commas(static_cast<std::uint64_t>(row.logged)), format, format);
  }
  return "";
}

// llama.cpp cuts layers by the free memory of each card; equal cards are predicted.
std::string by_split(const Row& row, const Comparison& out) {
  if (row.name != "model_buffer" && row.name != "kv_buffer") return "";
  double logged = 0, predicted = 0;
  std::size_t cards = 0;
  for (const Row& other : out.rows) {
    if (other.name != row.name || !other.predicted) continue;
    logged += other.logged;
    predicted += *other.predicted;
    ++cards;
  }
  if (cards < 2 || predicted <= 0 || std::abs(logged / predicted - 1) > 0.01) return "";
  return "the layers are divided otherwise over the devices; the sum agrees";
}

}  // namespace

void explain(const Start& start, Comparison& out) {
  const auto tokens = std::ranges::find(out.rows, "pool_tokens", &Row::name);
  const bool tokens_off = tokens != out.rows.end() && tokens->standing == Standing::off;
  for (Row& row : out.rows) {
    if (row.standing != Standing::off) continue;
    for (std::string why :
         {by_conflict(row, out), by_setting(row, start), by_parts(row, start, out),
          by_cache_format(row, start, out), by_split(row, out), by_model(start, out)}) {
      if (why.empty()) continue;
      row.why = std::move(why);
      break;
    }
    if (row.why.empty() && tokens_off && row.name == "concurrency") {
      row.why = "follows from the pool's tokens";
    }
    if (row.why.empty()) row.why = "unexplained: nothing in the log shows why";
    // Not a cause, but what a cause could hide in.
    const bool step = row.name == "activations" || row.name == "activations_and_runtime";
    if (step && !start.request.workload.max_batched_tokens && row.why.starts_with("unexplained")) {
      row.why += "; it does not say how many tokens a step takes (--max-batched-tokens)";
    }
  }
}

}  // namespace steelyard::against

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "held_out.h"
#include "serving_row.h"

namespace steelyard::accuracy {
namespace {

struct Row {
  const CsvTable& table;
  std::size_t at;
  NamedModel model;
  std::optional<memory::CardMemory> card;
  memory::Request request;
  bool placed = false;     // tensor parallel size is known
  bool versioned = false;  // so are the engine's defaults

  const std::string& cell(std::string_view column) const { return table.cell(at, column); }
  std::optional<double> number(std::string_view column) const { return number_of(cell(column)); }
};

// "dcp2 mtp3" in the column for other parallel sizes.
std::uint64_t tagged(std::string_view text, std::string_view tag) {
  const std::size_t at = text.find(tag);
  if (at == std::string_view::npos) return 0;
  std::string_view digits = text.substr(at + tag.size());
  std::size_t used = 0;
  while (used < digits.size() && digits[used] >= '0' && digits[used] <= '9') ++used;
  return count_of(digits.substr(0, used)).value_or(0);
}

Row read_row(const CsvTable& table, std::size_t at) {
  Row row{.table = table, .at = at};
  row.model = named_model(row.cell("model"), row.cell("quantization"));
  row.card = named_card(row.cell("gpu"), row.number("total_gpu_mem_gib"));
  memory::Request& request = row.request;
  request.engine = {.kind = memory::EngineKind::vllm,
                    .version = memory::parse_version(row.cell("engine_version"))};
  // Only V0 prints what beside the weights the profile found; V1 was there since 0.8.
  const bool breakdown = row.number("non_torch_gib") && row.number("activation_peak_gib");
  request.engine.v0 = breakdown && request.engine.version &&
                      request.engine.version->parts < std::array<std::uint32_t, 3>{0, 10, 0};
  row.versioned = request.engine.version.has_value();
  const auto tp = count_of(row.cell("tp"));
  const std::string& other = row.cell("dp_ep");
  row.placed = tp.has_value() && (other.empty() || other.starts_with("dcp"));
  request.placement.tp = static_cast<std::uint32_t>(tp.value_or(1));
  request.placement.pp = static_cast<std::uint32_t>(count_of(row.cell("pp")).value_or(1));
  request.placement.dcp =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(1, tagged(other, "dcp")));
  memory::Workload& w = request.workload;
  w.mtp = tagged(other, "mtp");
  const auto length = count_of(row.cell("concurrency_len_tokens"));
  w.context = length ? length : count_of(row.cell("max_model_len"));
  w.concurrency = 1;
  w.kv_k = row.cell("kv_cache_dtype");
  w.memory_utilization = row.number("gpu_memory_utilization");
  w.max_batched_tokens = count_of(row.cell("max_num_batched_tokens"));
  w.max_num_seqs = count_of(row.cell("max_num_seqs"));
  if (row.cell("enforce_eager") == "True") w.cuda_graphs = memory::Toggle::off;
  if (!w.context && row.model.model && row.model.model->max_context > 0) {
    w.context = row.model.model->max_context;
  }
  request.card = row.card;
  return row;
}

Scored start(const Row& row, std::string table, std::string metric, std::optional<double> target) {
  Scored one{.row = row.cell("model"),
             .table = std::move(table),
             .metric = std::move(metric),
             .group = row.model.model ? row.model.model->name : row.cell("model")};
  one.quality = static_cast<int>(count_of(row.cell("quality")).value_or(3));
  one.target = target;
  one.holds_target = target && *target > 0;
  one.holds_inputs = row.model.named && row.placed;
  if (!row.model.model) {
    one.reason = row.model.reason;
    one.holds_inputs = false;
  }
  if (row.model.model && !row.placed) one.reason = "the row does not say how it was placed";
  if (const std::string why = excluded(row.cell("source")); !why.empty()) {
    one.holds_inputs = false;
    one.reason = why;
  }
  return one;
}

void need(Scored& one, bool there, const char* what) {
  if (there || !one.holds_inputs) return;
  one.holds_inputs = false;
  one.reason = std::string("the row does not hold ") + what;
}

void answer_with(Scored& one, const Row& row, const memory::Request& request,
                 const std::function<std::optional<double>(const memory::Answer&)>& figure) {
  if (!one.holds_inputs || !one.holds_target || !row.model.model) return;
  const auto answer = memory::size(*row.model.model, request);
  if (!answer) {
    one.reason = answer.error().what;
    return;
  }
  one.predicted = figure(*answer);
  if (!one.predicted) one.reason = answer->capacity.reason;
}

double term_gib(const memory::Answer& answer, std::string_view name) {
  double sum = 0;
  for (const memory::Term& term : answer.ranks.front().terms) {
    if (term.name == name) sum += term.bytes.value.as_gib();
  }
  return sum;
}

std::optional<double> printed(const memory::Answer& answer) {
  const auto tokens = answer.capacity.kv_tokens_printed;
  return tokens && *tokens > 0 ? tokens : std::nullopt;
}

// Tokens as printed, or blocks x 16, or what the concurrency line says.
std::optional<double> logged_tokens(const Row& row) {
  if (auto tokens = row.number("kv_tokens")) return tokens;
  if (auto blocks = row.number("gpu_blocks")) return *blocks * 16;
  return std::nullopt;
}

Scored weights(const Row& row) {
  const bool plain =
      row.model.model && row.model.format.empty() && row.model.model->quantisation.method.empty();
  Scored one = start(row, plain ? "vllm weights, bf16" : "vllm weights, quantised", "GiB per card",
                     row.number("weights_gib_per_gpu"));
  answer_with(one, row, row.request, [](const memory::Answer& answer) {
    return std::optional(term_gib(answer, "weights"));
  });
  return one;
}

Scored tokens_of_pool(const Row& row) {
  Scored one = start(row, "vllm KV tokens from the pool", "tokens", logged_tokens(row));
  const auto pool = row.number("kv_cache_mem_gib_per_gpu");
  need(one, pool && *pool > 0, "the pool's bytes");
  if (row.model.model && mixed_layers(*row.model.model)) {
    need(one, row.versioned, "the engine version, which decides what is printed for mixed layers");
  }
  memory::Request request = row.request;
  if (pool && *pool > 0) request.workload.kv_cache_memory = gib(*pool);
  answer_with(one, row, request, printed);
  return one;
}

Scored concurrency_of_pool(const Row& row) {
  Scored one =
      start(row, "vllm concurrency from the pool", "sequences", row.number("max_concurrency_x"));
  const auto pool = row.number("kv_cache_mem_gib_per_gpu");
  need(one, pool && *pool > 0, "the pool's bytes");
  need(one, row.number("concurrency_len_tokens").has_value(), "the length");
  if (row.model.model && mixed_layers(*row.model.model)) {
    need(one, row.versioned, "the engine version");
  }
  memory::Request request = row.request;
  if (pool && *pool > 0) request.workload.kv_cache_memory = gib(*pool);
  // The log tells what the pool has room for, whatever the scheduler admits of it.
  const double length = row.number("concurrency_len_tokens").value_or(1);
  answer_with(one, row, request, [length](const memory::Answer& answer) {
    const auto& tokens = answer.capacity.kv_tokens;
    return tokens ? std::optional(*tokens / length) : std::nullopt;
  });
  return one;
}

Scored tokens_end_to_end(const Row& row) {
  Scored one = start(row, "vllm KV tokens, end to end", "tokens", logged_tokens(row));
  need(one, row.card.has_value(), "the card's memory");
  need(one, row.versioned || row.number("gpu_memory_utilization"), "utilisation or version");
  need(one, row.versioned || row.number("max_num_batched_tokens"), "step size or version");
  answer_with(one, row, row.request, printed);
  return one;
}

Scored pool_end_to_end(const Row& row) {
  Scored one =
      start(row, "vllm pool, end to end", "GiB per card", row.number("kv_cache_mem_gib_per_gpu"));
  need(one, row.card.has_value(), "the card's memory");
  need(one, row.versioned || row.number("gpu_memory_utilization"), "utilisation or version");
  need(one, row.versioned || row.number("max_num_batched_tokens"), "step size or version");
  answer_with(one, row, row.request, [](const memory::Answer& answer) {
    return std::optional(answer.capacity.kv_bytes.value.as_gib());
  });
  return one;
}

StepRow activations(const Row& row) {
  StepRow step{
      .one = start(row, "vllm activation peak", "GiB per card", row.number("activation_peak_gib"))};
  Scored& one = step.one;
  need(one, row.versioned || row.number("max_num_batched_tokens"), "step size or version");
  if (!one.holds_inputs || !one.holds_target) return step;
  const auto answer = memory::size(*row.model.model, row.request);
  if (!answer) {
    one.reason = answer.error().what;
    return step;
  }
  step.kept_gib = term_gib(*answer, "activations");
  step.logits_gib = term_gib(*answer, "logits");
  one.predicted = step.kept_gib + step.logits_gib;
  return step;
}

Scored non_torch(const Row& row) {
  Scored one =
      start(row, "vllm runtime beside tensors", "GiB per card", row.number("non_torch_gib"));
  answer_with(one, row, row.request, [](const memory::Answer& answer) {
    return std::optional(term_gib(answer, "runtime") + term_gib(answer, "communication"));
  });
  return one;
}

}  // namespace

std::vector<Scored> score_vllm(const CsvTable& rows) {
  std::vector<Scored> scored;
  std::vector<StepRow> steps;
  for (std::size_t at = 0; at < rows.rows.size(); ++at) {
    const Row row = read_row(rows, at);
    for (const auto score : {weights, tokens_of_pool, concurrency_of_pool, tokens_end_to_end,
                             pool_end_to_end, non_torch}) {
      Scored one = score(row);
      if (one.holds_target) scored.push_back(std::move(one));
    }
    StepRow step = activations(row);
    if (step.one.holds_target) steps.push_back(std::move(step));
  }
  for (const StepRow& step : steps) scored.push_back(step.one);
  const std::vector<Scored> left_out = hold_out_sampler(steps);
  scored.insert(scored.end(), left_out.begin(), left_out.end());
  return scored;
}

}  // namespace steelyard::accuracy

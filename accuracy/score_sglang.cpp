#include <fmt/format.h>

#include "serving_row.h"

namespace steelyard::accuracy {
namespace {

struct Row {
  const CsvTable& table;
  std::size_t at;
  NamedModel model;
  memory::Request request;
  bool placed = false;

  const std::string& cell(std::string_view column) const { return table.cell(at, column); }
  std::optional<double> number(std::string_view column) const { return number_of(cell(column)); }
};

bool is_yes(const std::string& cell) {
  return cell == "True" || cell == "yes";
}

Row read_row(const CsvTable& table, std::size_t at) {
  Row row{.table = table, .at = at};
  row.model = named_model(row.cell("model"), row.cell("quantization"));
  memory::Request& request = row.request;
  request.engine.kind = memory::EngineKind::sglang;
  const auto tp = count_of(row.cell("tp"));
  row.placed =
      tp.has_value() && !is_yes(row.cell("dp")) && !is_yes(row.cell("enable_dp_attention"));
  request.placement.tp = static_cast<std::uint32_t>(tp.value_or(1));
  memory::Workload& w = request.workload;
  w.context = count_of(row.cell("context_length"));
  if (!w.context) w.context = 8192;  // no figure scored here depends on it
  w.concurrency = 1;
  w.kv_k = row.cell("kv_cache_dtype");
  w.memory_utilization = row.number("mem_fraction_static");
  w.max_batched_tokens = count_of(row.cell("chunked_prefill_size"));
  if (const auto before = row.number("avail_before_load_gib")) {
    w.free_before_load = gib(*before);
    request.card =
        memory::CardMemory{.name = row.cell("gpu"), .usable = ByteFigure::exact(gib(*before))};
  }
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

Scored weights(const Row& row) {
  const bool plain =
      row.model.model && row.model.format.empty() && row.model.model->quantisation.method.empty();
  Scored one = start(row, plain ? "sglang weights, bf16" : "sglang weights, quantised",
                     "GiB per card", row.number("weights_gib_per_gpu"));
  if (!one.holds_inputs || !one.holds_target || !row.model.model) return one;
  const auto answer = memory::size(*row.model.model, row.request);
  if (!answer) {
    one.reason = answer.error().what;
  } else {
    one.predicted = answer->ranks.front().terms.front().bytes.value.as_gib();
  }
  return one;
}

std::optional<double> logged_pool(const Row& row) {
  if (const auto both = row.number("kv_size_gib")) return both;
  const auto k = row.number("k_size_gib"), v = row.number("v_size_gib");
  // Latent attention has one buffer, which the log names twice.
  const bool latent = row.model.model && !row.model.model->layers.empty() &&
                      row.model.model->layers.front().mixer == model::Mixer::mla;
  if (latent) return k;
  return k && v ? std::optional(*k + *v) : std::nullopt;
}

Scored tokens_of_pool(const Row& row) {
  Scored one = start(row, "sglang KV tokens from the pool", "tokens", row.number("kv_tokens"));
  const auto pool = logged_pool(row);
  need(one, pool.has_value(), "the pool's bytes");
  if (!one.holds_inputs || !one.holds_target || !row.model.model) return one;
  const double each = memory::kv_bytes_per_token(*row.model.model, row.request).value.as_double();
  if (each > 0) {
    one.predicted = gib(*pool).as_double() / each;
  } else {
    one.reason = "the model keeps no growing cache";
  }
  return one;
}

// The log leaves (1 - fraction) of what was free; far more than that means the pool was capped by
// an option (max-total-tokens) that the row does not hold.
bool pool_was_capped(const Row& row) {
  const auto before = row.number("avail_before_load_gib");
  const auto after = row.number("avail_after_pool_gib");
  const auto fraction = row.number("mem_fraction_static");
  return before && after && fraction && *after > (1 - *fraction) * *before + 0.1 * *before;
}

Scored tokens_end_to_end(const Row& row) {
  Scored one = start(row, "sglang KV tokens, end to end", "tokens", row.number("kv_tokens"));
  need(one, row.number("avail_before_load_gib").has_value(), "the free memory before loading");
  need(one, row.number("mem_fraction_static").has_value(), "mem_fraction_static");
  need(one, !pool_was_capped(row), "the option that capped its pool");
  if (!one.holds_inputs || !one.holds_target || !row.model.model) return one;
  const auto answer = memory::size(*row.model.model, row.request);
  if (!answer) {
    one.reason = answer.error().what;
  } else {
    one.predicted = answer->capacity.kv_tokens_printed;
    one.reason = answer->capacity.reason;
  }
  return one;
}

}  // namespace

std::vector<Scored> score_sglang(const CsvTable& rows) {
  std::vector<Scored> scored;
  for (std::size_t at = 0; at < rows.rows.size(); ++at) {
    const Row row = read_row(rows, at);
    for (const auto score : {weights, tokens_of_pool, tokens_end_to_end}) {
      Scored one = score(row);
      if (one.holds_target) scored.push_back(std::move(one));
    }
  }
  return scored;
}

}  // namespace steelyard::accuracy

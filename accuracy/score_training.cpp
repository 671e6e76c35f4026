#include <fmt/format.h>

#include "training_row.h"

namespace steelyard::accuracy {
namespace {

using memory::TrainingMethod;
using memory::TrainingPrecision;

Scored start(const CsvTable& table, std::size_t at, const TrainingRow& row) {
  Scored one{.row = fmt::format("{} {}", table.cell(at, "model"), table.cell(at, "method")),
             .metric = "GiB per card",
             .group = row.model.model ? row.model.model->name : table.cell(at, "model")};
  one.quality = static_cast<int>(count_of(table.cell(at, "quality")).value_or(3));
  one.holds_inputs = row.model.named && row.missing.empty();
  one.reason = row.missing;
  if (!row.model.model) {
    one.holds_inputs = false;
    one.reason = row.model.reason;
  }
  return one;
}

bool adapters(const TrainingRow& row) {
  return memory::trains_adapters(row.request.training->method);
}

// The three groups that users ask about apart.
std::string_view group_of(const TrainingRow& row, bool torch_peak) {
  const memory::Training& run = *row.request.training;
  if (!adapters(row) && run.precision == TrainingPrecision::pure_bf16 && torch_peak) {
    return "training, full in pure bf16, torch peak";
  }
  if (adapters(row) && run.recompute.value_or(memory::Recompute::full) == memory::Recompute::full) {
    return "training, LoRA and QLoRA, recomputed";
  }
  return "training, all other";
}

std::optional<double> figure_of(const memory::Rank& rank, TrainingMetric metric) {
  switch (metric) {
    case TrainingMetric::allocated:
      return rank.total.value.as_gib();
    case TrainingMetric::reserved:
      return rank.reserved->value.as_gib();
    case TrainingMetric::process:
      return rank.process->value.as_gib();
    default:
      return std::nullopt;
  }
}

std::string_view metric_word(TrainingMetric metric) {
  return metric == TrainingMetric::allocated  ? "peak"
         : metric == TrainingMetric::reserved ? "reserved"
                                              : "process";
}

// One figure of the row, in its group's table and in that of its framework and method.
void add_figure(const TrainingRow& row, Scored one, TrainingMetric metric,
                std::optional<double> target, const Result<memory::Answer>* answer, bool grouped,
                std::vector<Scored>& scored) {
  one.target = target;
  one.holds_target = target && *target > 0;
  if (!one.holds_target) return;
  if (one.holds_inputs && answer != nullptr) {
    if (*answer) {
      one.predicted = figure_of((*answer)->binding(), metric);
    } else {
      one.reason = answer->error().what;
    }
  }
  if (grouped) {
    one.table = group_of(row, metric == TrainingMetric::allocated);
    scored.push_back(one);
  }
  one.table = fmt::format("training {}, {}, {}", metric_word(metric),
                          word_of(row.request.training->framework.value()),
                          word_of(row.request.training->method));
  scored.push_back(std::move(one));
}

void add_bracket(const CsvTable& table, std::size_t at, const TrainingRow& row, Scored one,
                 std::vector<Scored>& scored) {
  one.bracket = true;
  one.table = "training";
  one.holds_target = true;
  one.target = row.ran ? 0 : 1;
  memory::Request request = row.request;
  // "24 GB card": no more of it is known than its size.
  if (!request.card) {
    if (const auto size =
            number_of(table.cell(at, "gpu").substr(0, table.cell(at, "gpu").find(' ')))) {
      request.card = memory::CardMemory{.name = table.cell(at, "gpu"),
                                        .usable = ByteFigure::exact(gib(*size))};
    }
  }
  if (one.holds_inputs && request.card) {
    if (const auto answer = memory::size(*row.model.model, request)) {
      one.predicted = answer->verdict == memory::Verdict::does_not_fit ? 1.0
                      : answer->verdict == memory::Verdict::tight      ? 0.5
                                                                       : 0.0;
      one.reason = answer->reason;
    }
  }
  scored.push_back(std::move(one));
}

}  // namespace

std::vector<Scored> score_training(const CsvTable& rows) {
  std::vector<Scored> scored;
  for (std::size_t at = 0; at < rows.rows.size(); ++at) {
    const auto row = training_row(rows, at);
    if (!row || row->metric == TrainingMetric::claim) continue;
    if (row->status == "OOM or not run")
      continue;  // an empty cell, of which the source says no more
    const Scored one = start(rows, at, *row);
    const bool bracket = row->metric == TrainingMetric::fits || !row->ran;
    if (bracket) {
      add_bracket(rows, at, *row, one, scored);
      continue;
    }
    std::optional<Result<memory::Answer>> answer;
    if (one.holds_inputs) answer = memory::size(*row->model.model, row->request);
    const Result<memory::Answer>* given = answer ? &*answer : nullptr;
    if (row->allocated) {
      add_figure(*row, one, TrainingMetric::allocated, row->allocated, given, true, scored);
    }
    add_figure(*row, one, row->metric, row->gib, given, !row->allocated, scored);
  }
  return scored;
}

}  // namespace steelyard::accuracy

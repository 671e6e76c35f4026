// A row of logged training memory as the question that a user would have asked.
#pragma once

#include <optional>
#include <string>

#include "serving_row.h"

namespace steelyard::accuracy {

enum class TrainingMetric {
  allocated,  // the allocator's peak
  reserved,   // what it keeps
  process,    // nvidia-smi, or a process's memory by other means
  fits,       // only that the run fits a card of that size
  claim,      // an estimate or a documented minimum: nothing measured
};

struct TrainingRow {
  NamedModel model;
  memory::Request request;
  TrainingMetric metric = TrainingMetric::claim;
  std::optional<double> gib;        // per card, of the metric
  std::optional<double> allocated;  // torch's peak, where the note has it beside another metric
  bool ran = true;
  std::string status;
  std::string missing;  // what the row lacks or what is not counted here; empty: nothing
};

// Rows of full fine-tuning, pre-training, LoRA and QLoRA; nothing for all other methods.
std::optional<TrainingRow> training_row(const CsvTable& table, std::size_t at);

}  // namespace steelyard::accuracy

// Scores the predictions against figures that others measured. Not part of the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/base.h"

namespace steelyard::accuracy {

// One figure of one row: what was logged, what steelyard says, or why it says nothing.
struct Scored {
  std::string row;     // the model as the row names it, for people only
  std::string table;   // "vllm kv tokens": one line of docs/accuracy.md per table and quality
  std::string metric;  // unit and meaning of both figures: "tokens", "GiB per card"
  std::string group;   // model or source: what is left out together
  int quality = 3;     // 1 = all settings known, 2 = one inferred, 3 = weak
  bool holds_target = false;  // the row has the measured figure
  bool holds_inputs = false;  // the row has what the prediction needs
  std::optional<double> predicted, target;
  std::string reason;  // why there is no prediction, or why the row is left out
  // A fit / out-of-memory bracket: target 1 = it ran out of memory, 0 = it ran; predicted 1 =
  // called does_not_fit, 0.5 = tight, 0 = fits. Counted in a table of their own.
  bool bracket = false;
};

std::vector<Scored> score_vllm(const CsvTable& rows);
std::vector<Scored> score_sglang(const CsvTable& rows);
std::vector<Scored> score_llamacpp(const CsvTable& rows);
std::vector<Scored> score_training(const CsvTable& rows);

// The figures of one line of the document. Errors are |predicted - target| / target, in percent.
struct Line {
  std::string table, metric;
  bool quality_1_only = false;
  std::size_t rows = 0;       // rows that hold the target
  std::size_t usable = 0;     // ... and the inputs
  std::size_t predicted = 0;  // ... and were answered
  double median = 0, p90 = 0, worst = 0, bias = 0;
  double within_half = 0, within_2 = 0, within_10 = 0;  // shares of `predicted`

  double coverage() const {
    return usable == 0 ? 0 : static_cast<double>(predicted) / static_cast<double>(usable);
  }
};
// Two lines per table: quality 1 alone, and all qualities.
std::vector<Line> tabulate(const std::vector<Scored>& scored);
double error_percent(const Scored& one);

std::string document(const std::vector<Line>& lines, const std::vector<Scored>& scored);

// The figures kept beside the document, and what has grown worse against them (empty: nothing).
std::string record(const std::vector<Line>& lines);
Result<std::vector<std::string>> compare(const std::vector<Line>& lines,
                                         const std::string& recorded);

}  // namespace steelyard::accuracy

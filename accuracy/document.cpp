// docs/accuracy.md, written from the figures alone.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "accuracy.h"

namespace steelyard::accuracy {
namespace {

std::string one_line(const Line& line) {
  return fmt::format(
      "| {} | {} | {} | {} | {} | {:.0f} % | {:.2f} | {:.2f} | {:.2f} | {:+.2f} | "
      "{:.0f} % | {:.0f} % | {:.0f} % |\n",
      line.table, line.quality_1_only ? "1" : "all", line.rows, line.usable, line.predicted,
      100 * line.coverage(), line.median, line.p90, line.worst, line.bias, 100 * line.within_half,
      100 * line.within_2, 100 * line.within_10);
}

std::string brackets(const std::vector<Scored>& scored) {
  struct Count {
    std::size_t oom = 0, oom_fits = 0, oom_tight = 0, ran = 0, ran_no = 0, silent = 0;
  };
  std::map<std::string, Count> tables;
  for (const Scored& one : scored) {
    if (!one.bracket || !one.holds_target) continue;
    Count& count = tables[one.table];
    if (!one.predicted) {
      ++count.silent;
    } else if (*one.target == 1) {
      ++count.oom;
      count.oom_fits += *one.predicted == 0 ? 1 : 0;
      count.oom_tight += *one.predicted == 0.5 ? 1 : 0;
    } else {
      ++count.ran;
      count.ran_no += *one.predicted == 1 ? 1 : 0;
    }
  }
  if (tables.empty()) return {};
  std::string text =
      "\n## Ran or ran out of memory\n\n"
      "| table | ran out | of these called `fits` | called `tight` | ran | of these called "
      "`does_not_fit` | no answer |\n|---|---:|---:|---:|---:|---:|---:|\n";
  for (const auto& [name, count] : tables) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", name, count.oom, count.oom_fits,
                        count.oom_tight, count.ran, count.ran_no, count.silent);
  }
  return text;
}

std::string worst_rows(const std::vector<Scored>& scored) {
  std::map<std::string, std::vector<const Scored*>> tables;
  for (const Scored& one : scored) {
    if (one.predicted && one.holds_target && !one.bracket) tables[one.table].push_back(&one);
  }
  std::string text =
      "\n## The furthest misses\n\nThree per table, beyond 2 %: where the mechanism is not "
      "complete, or the row is not.\n\n| table | row | quality | predicted | measured | error % "
      "|\n|---|---|---:|---:|---:|---:|\n";
  for (auto& [name, rows] : tables) {
    std::ranges::stable_sort(rows, [](const Scored* a, const Scored* b) {
      return error_percent(*a) > error_percent(*b);
    });
    for (std::size_t i = 0; i < std::min<std::size_t>(3, rows.size()); ++i) {
      if (error_percent(*rows[i]) < 2) break;
      text += fmt::format("| {} | {} | {} | {:.6g} | {:.6g} | {:.2f} |\n", name, rows[i]->row,
                          rows[i]->quality, *rows[i]->predicted, *rows[i]->target,
                          error_percent(*rows[i]));
    }
  }
  return text;
}

std::string silent_rows(const std::vector<Scored>& scored) {
  std::map<std::string, std::map<std::string, std::size_t>> reasons;
  for (const Scored& one : scored) {
    if (one.holds_target && !one.predicted) ++reasons[one.table][one.reason];
  }
  std::string text =
      "\n## Rows without a prediction\n\n| table | rows | reason |\n|---|---:|---|\n";
  for (const auto& [table, list] : reasons) {
    for (const auto& [reason, count] : list) {
      text += fmt::format("| {} | {} | {} |\n", table, count, reason);
    }
  }
  return text;
}

}  // namespace

std::string document(const std::vector<Line>& lines, const std::vector<Scored>& scored) {
  std::string text =
      "# How near the predictions are\n\nWritten by `steelyard_accuracy`; do not edit. The rows "
      "are figures that other people logged (`accuracy/rows/`, each with its source). Errors are "
      "|predicted - measured| / measured in percent. `usable` rows hold the measured figure and "
      "what the prediction needs; coverage is answered / usable. Quality 1: all settings are in "
      "the row.\n\n"
      "| table | quality | rows | usable | answered | coverage | median | p90 | worst | bias | "
      "within 0.5 % | within 2 % | within 10 % |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const Line& line : lines) text += one_line(line);
  text +=
      "\nTraining: `peak` is what PyTorch's allocator held at most, `reserved` what it kept, "
      "`process` what nvidia-smi showed. The constants of layers, loss and fragments were chosen "
      "on "
      "the rows of fms-acceleration (framework transformers), those of FSDP2 units on the rows of "
      "torchtitan. No constant was fitted on the rows of LitGPT, PEFT, Qwen, torchtune and "
      "Unsloth: "
      "what their residuals showed was looked up in the sources of the kernels and counted. "
      "Expert-parallel rows and padded rows of unequal samples (refs_orca gives the mean length) "
      "are "
      "where most of the large errors stand.\n";
  return text + brackets(scored) + worst_rows(scored) + silent_rows(scored);
}

}  // namespace steelyard::accuracy

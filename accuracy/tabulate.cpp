#include <algorithm>
#include <cmath>
#include <map>

#include "accuracy.h"

namespace steelyard::accuracy {
namespace {

// Nearest-rank percentile of sorted values.
double percentile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const double last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(share * last))];
}

double median_of(const std::vector<double>& sorted) {
  if (sorted.empty()) return 0;
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

double share_within(const std::vector<double>& sorted, double limit) {
  if (sorted.empty()) return 0;
  const auto end = std::upper_bound(sorted.begin(), sorted.end(), limit);
  return static_cast<double>(end - sorted.begin()) / static_cast<double>(sorted.size());
}

Line line_of(const std::vector<const Scored*>& rows, bool quality_1_only) {
  Line line;
  line.quality_1_only = quality_1_only;
  std::vector<double> errors, signed_errors;
  for (const Scored* one : rows) {
    if (quality_1_only && one->quality != 1) continue;
    line.table = one->table;
    line.metric = one->metric;
    ++line.rows;
    if (!one->holds_inputs) continue;
    ++line.usable;
    if (!one->predicted) continue;
    ++line.predicted;
    errors.push_back(error_percent(*one));
    signed_errors.push_back(100 * (*one->predicted / *one->target - 1));
  }
  std::ranges::sort(errors);
  std::ranges::sort(signed_errors);
  line.median = median_of(errors);
  line.p90 = percentile(errors, 0.9);
  line.worst = errors.empty() ? 0 : errors.back();
  line.bias = median_of(signed_errors);
  line.within_half = share_within(errors, 0.5);
  line.within_2 = share_within(errors, 2);
  line.within_10 = share_within(errors, 10);
  return line;
}

}  // namespace

double error_percent(const Scored& one) {
  if (!one.predicted || !one.target || *one.target == 0) return 0;
  return 100 * std::abs(*one.predicted / *one.target - 1);
}

std::vector<Line> tabulate(const std::vector<Scored>& scored) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<const Scored*>> tables;
  for (const Scored& one : scored) {
    if (!one.holds_target || one.bracket) continue;
    auto& rows = tables[one.table];
    if (rows.empty()) order.push_back(one.table);
    rows.push_back(&one);
  }
  std::vector<Line> lines;
  for (const std::string& name : order) {
    for (const bool first : {true, false}) {
      Line line = line_of(tables[name], first);
      if (line.rows > 0) lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace steelyard::accuracy

// The figures kept beside docs/accuracy.md: a change may not make a table worse.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "accuracy.h"

namespace steelyard::accuracy {
namespace {

std::string key_of(const Line& line) {
  return line.table + (line.quality_1_only ? ", quality 1" : ", all");
}

double rounded(double value) {
  return static_cast<double>(static_cast<std::int64_t>(value * 1000 + 0.5)) / 1000;
}

}  // namespace

std::string record(const std::vector<Line>& lines) {
  auto all = nlohmann::ordered_json::object();
  for (const Line& line : lines) {
    all[key_of(line)] = {{"answered", line.predicted},
                         {"median_percent", rounded(line.median)},
                         {"p90_percent", rounded(line.p90)}};
  }
  return all.dump(1) + "\n";
}

Result<std::vector<std::string>> compare(const std::vector<Line>& lines,
                                         const std::string& recorded) {
  const auto before = nlohmann::json::parse(recorded, nullptr, false);
  if (!before.is_object()) {
    return fail({.kind = ErrorKind::bad_input, .what = "the recorded figures are not JSON"});
  }
  std::vector<std::string> worse;
  std::size_t seen = 0;
  for (const Line& line : lines) {
    const auto old = before.find(key_of(line));
    if (old == before.end()) continue;
    ++seen;
    const auto note = [&](const char* what, double now, double then) {
      worse.push_back(fmt::format("{}: {} was {:g}, is {:g}", key_of(line), what, then, now));
    };
    const double median = old->value("median_percent", 0.0);
    const double p90 = old->value("p90_percent", 0.0);
    const auto answered = old->value("answered", std::size_t{0});
    if (line.median > median + 0.002) note("median error in %", line.median, median);
    if (line.p90 > p90 + 0.002) note("p90 error in %", line.p90, p90);
    if (line.predicted < answered) {
      note("answered rows", static_cast<double>(line.predicted), static_cast<double>(answered));
    }
  }
  if (seen < before.size()) worse.push_back("a recorded table is gone");
  return worse;
}

}  // namespace steelyard::accuracy

// steelyard_accuracy [--rows DIR] [--out FILE] [--record FILE] [--check] [--list TABLE]
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "accuracy.h"
#include "os/os.h"

namespace steelyard::accuracy {
namespace {

struct Options {
  std::string rows = STEELYARD_SOURCE_DIR "/accuracy/rows";
  std::string out, recorded = STEELYARD_SOURCE_DIR "/accuracy/recorded.json";
  std::string list;  // prints every row of the tables whose name holds this text
  bool check = false, write_record = false;
};

struct Source {
  const char* file;
  std::vector<Scored> (*score)(const CsvTable&);
};
constexpr Source sources[] = {{"memory-vllm.csv", score_vllm},
                              {"memory-sglang.csv", score_sglang},
                              {"memory-llamacpp.csv", score_llamacpp},
                              {"memory-training.csv", score_training}};

Result<std::vector<Scored>> score_all(os::Files& files, const Options& options) {
  std::vector<Scored> scored;
  bool any = false;
  for (const Source& source : sources) {
    const std::string path = options.rows + "/" + source.file;
    if (files.kind(path) != os::EntryKind::file) continue;
    any = true;
    auto text = os::read_whole(files, path, 64 << 20);
    if (!text) return fail(std::move(text.error()));
    auto table = parse_csv(*text);
    if (!table) return fail(std::move(table.error()).in_file(path));
    const auto part = source.score(*table);
    scored.insert(scored.end(), part.begin(), part.end());
  }
  if (!any) return fail({.kind = ErrorKind::not_found, .what = "no rows", .file = options.rows});
  return scored;
}

void list_rows(const std::vector<Scored>& scored, const std::string& wanted) {
  for (const Scored& one : scored) {
    if (!one.holds_target || one.table.find(wanted) == std::string::npos) continue;
    fmt::print("{:44.44} q{} {:36.36} {:>14.6g} {:>14} {:>8} {}\n", one.row, one.quality, one.table,
               one.target.value_or(0), one.predicted ? fmt::format("{:.6g}", *one.predicted) : "-",
               one.predicted && *one.target != 0
                   ? fmt::format("{:+.2f}%", 100 * (*one.predicted / *one.target - 1))
                   : "",
               one.reason);
  }
}

int run(const Options& options) {
  const auto files = os::real_files();
  const auto scored = score_all(*files, options);
  if (!scored) {
    fmt::print(stderr, "{}\n", describe(scored.error()));
    return 2;
  }
  const std::vector<Line> lines = tabulate(*scored);
  const std::string text = document(lines, *scored);
  if (!options.list.empty()) {
    list_rows(*scored, options.list);
  } else if (options.out.empty()) {
    fmt::print("{}", text);
  } else if (auto written = files->write(options.out, text); !written) {
    fmt::print(stderr, "{}\n", describe(written.error()));
    return 2;
  }
  if (options.write_record) {
    if (auto written = files->write(options.recorded, record(lines)); !written) return 2;
  }
  if (!options.check) return 0;
  const auto recorded = os::read_whole(*files, options.recorded, 1 << 20);
  if (!recorded) {
    fmt::print(stderr, "{}\n", describe(recorded.error()));
    return 2;
  }
  const auto worse = compare(lines, *recorded);
  if (!worse) {
    fmt::print(stderr, "{}\n", describe(worse.error()));
    return 2;
  }
  for (const std::string& one : *worse) fmt::print(stderr, "worse: {}\n", one);
  return worse->empty() ? 0 : 1;
}

}  // namespace
}  // namespace steelyard::accuracy

int main(int argc, char** argv) {
  steelyard::accuracy::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (word == "--rows") {
      options.rows = value();
    } else if (word == "--out") {
      options.out = value();
    } else if (word == "--recorded") {
      options.recorded = value();
    } else if (word == "--list") {
      options.list = value();
    } else if (word == "--record") {
      options.write_record = true;
    } else if (word == "--check") {
      options.check = true;
    } else {
      fmt::print(stderr,
                 "steelyard_accuracy [--rows DIR] [--out FILE] [--list TABLE] [--record] [--check] "
                 "[--recorded FILE]\n");
      return 2;
    }
  }
  return steelyard::accuracy::run(options);
}

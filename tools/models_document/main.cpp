// models_document [--check] ROOT: docs/models.md out of data/models/, or whether it still agrees.
#include <fmt/format.h>

#include <cstdio>

#include "base/csv.h"
#include "document.h"

namespace {

using namespace steelyard;
using namespace steelyard::models_document;

// Rows that must be found faulty: a check that passes everything is none.
int false_rows_that_pass(const std::vector<Comparison>& rows) {
  int passing = 0;
  for (const Comparison& row : rows) {
    if (!row.published.exact || row.ours != row.published.parameters) continue;
    Comparison off = row;
    off.published.parameters *= 1.02;
    Entry entry = *row.entry;
    entry.by_count = {"torch_dtype"};
    Comparison unrelated = row;
    unrelated.entry = &entry;
    passing += faults_of(off).empty() ? 1 : 0;
    passing += faults_of(unrelated).empty() ? 1 : 0;
    break;
  }
  return passing;
}

int run(const std::string& root, bool check) {
  const auto files = os::real_files();
  const auto refuse = [](const Error& error) {
    fmt::print(stderr, "{}\n", describe(error));
    return 2;
  };
  const auto entries = read_entries(*files, root);
  if (!entries) return refuse(entries.error());
  const auto rows = compare(*files, root, *entries);
  if (!rows) return refuse(rows.error());
  int faults = false_rows_that_pass(*rows);
  if (faults > 0) fmt::print(stderr, "a false row passes\n");
  for (const Comparison& row : *rows) {
    for (const std::string& fault : faults_of(row)) {
      ++faults;
      fmt::print(stderr, "{}: {}\n", row.entry->name, fault);
    }
  }
  const auto absent_text =
      os::read_whole(*files, root + "/data/models/absent.csv", std::uint64_t{1} << 20);
  if (!absent_text) return refuse(absent_text.error());
  const auto absent = parse_csv(*absent_text);
  if (!absent) return refuse(absent.error());
  const std::string path = root + "/docs/models.md", text = document(*entries, *rows, absent->rows);
  if (!check) {
    if (const auto written = files->write(path, text); !written) return refuse(written.error());
  } else if (const auto stored = os::read_whole(*files, path, std::uint64_t{1} << 22);
             !stored || *stored != text) {
    ++faults;
    fmt::print(stderr,
               "docs/models.md is not what data/models/ gives: run tools/models_document\n");
  }
  fmt::print("{} models, {} published counts, {} faults\n", entries->size(), rows->size(), faults);
  return faults == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !check) {
    std::fputs("usage: models_document [--check] ROOT\n", stderr);
    return 2;
  }
  return run(argv[argc - 1], check);
}

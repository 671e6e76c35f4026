// claims_document [--check] ROOT: docs/claims.md out of data/claims/, or whether it still agrees.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <set>

#include "statement.h"

namespace {

using steelyard::claims_document::Statement;

std::string shown(std::string word) {
  for (char& c : word) {
    if (c == '_') c = ' ';
  }
  return word;
}

std::string document(const std::vector<Statement>& statements) {
  std::size_t checks = 0, adverts = 0;
  for (const Statement& s : statements) {
    checks += s.checks.size();
    adverts += s.advert.empty() ? 0 : 1;
  }
  std::string text = fmt::format(
      "# Claims that circulate\n\nWritten by `tools/claims_document` from `data/claims/`; do not "
      "edit. {} statements of adverts and articles, {} figures recomputed from the catalogue, {} "
      "read by `gpus --claim`.\n\n| about | said | verdict | right | behind it |\n"
      "|---|---|---|---|---|\n",
      statements.size(), checks, adverts);
  for (const Statement& s : statements) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", s.about, s.claim, shown(s.verdict), s.right,
                        fmt::join(s.sources, "; "));
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace steelyard;
  const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !check) {
    std::fputs("usage: claims_document [--check] ROOT\n", stderr);
    return 2;
  }
  const std::string root = argv[argc - 1];
  const auto files = os::real_files();
  const auto catalogue = facts::Catalogue::embedded();
  const auto statements =
      claims_document::read_statements(*files, root + "/data/claims/claims.toml");
  if (!catalogue || !statements) {
    fmt::print(stderr, "{}\n", describe(catalogue ? statements.error() : catalogue.error()));
    return 2;
  }
  int faults = 0;
  std::set<std::string> ids;
  for (const Statement& s : *statements) {
    if (!ids.insert(s.id).second) ++faults, fmt::print(stderr, "{}: twice\n", s.id);
    for (const std::string& fault : claims_document::faults_of(s, *catalogue)) {
      ++faults;
      fmt::print(stderr, "{}: {}\n", s.id, fault);
    }
  }
  for (const char* bad :
       {"GeForce RTX 4090:fp16_fp32acc = 330", "1 + 1 = 3", "No Card:fp32 = 1", "1 + 1"}) {
    if (!claims_document::fault_of_check(bad, *catalogue).empty()) continue;
    ++faults;
    fmt::print(stderr, "the false check \"{}\" passes\n", bad);
  }
  const std::string path = root + "/docs/claims.md", text = document(*statements);
  if (check) {
    const auto stored = os::read_whole(*files, path, std::uint64_t{1} << 22);
    if (!stored || *stored != text) {
      ++faults;
      fmt::print(stderr,
                 "docs/claims.md is not what data/claims/ gives: run tools/claims_document\n");
    }
  } else if (const auto written = files->write(path, text); !written) {
    fmt::print(stderr, "{}\n", describe(written.error()));
    return 2;
  }
  fmt::print("{} claims, {} faults\n", statements->size(), faults);
  return faults == 0 ? 0 : 1;
}

// Build step: pack_facts DATA_DIR OUTPUT reads data/**/*.toml and writes the bytes that are
// embedded in the program. Exits 1 and names file, table and field when the data is wrong.
#include <cstdio>

#include "facts/pack.h"

int main(int argc, char** argv) {
  using namespace steelyard;
  if (argc != 3) {
    std::fputs("usage: pack_facts DATA_DIR OUTPUT\n", stderr);
    return 2;
  }
  const auto files = os::real_files();
  const auto facts = facts::read_facts(*files, argv[1]);
  if (!facts) {
    std::fprintf(stderr, "%s\n", describe(facts.error()).c_str());
    return 1;
  }
  const auto written = files->write(argv[2], facts::write_pack(*facts));
  if (!written) {
    std::fprintf(stderr, "%s\n", describe(written.error()).c_str());
    return 1;
  }
  return 0;
}

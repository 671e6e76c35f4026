// steelyard_tidy ROOT: prints every broken rule; exit 1 when there is one.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tidy.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path root = argc > 1 ? argv[1] : ".";
  steelyard::tidy::Tree tree;
  for (const char* top : {"src", "tests", "tools", "accuracy", "docs", "README.md",
                          "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"}) {
    if (!fs::exists(root / top)) continue;
    const auto add = [&](const fs::path& file) {
      std::ostringstream content;
      content << std::ifstream(file, std::ios::binary).rdbuf();
      tree[fs::relative(file, root).generic_string()] = content.str();
    };
    if (!fs::is_directory(root / top)) {
      add(root / top);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (entry.is_regular_file()) add(entry.path());
    }
  }
  const auto found = steelyard::tidy::findings(tree);
  for (const std::string& line : found) std::printf("%s\n", line.c_str());
  std::printf("%zu files read, %zu rules broken\n", tree.size(), found.size());
  return tree.size() < 20 || !found.empty() ? 1 : 0;
}

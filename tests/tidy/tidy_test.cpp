#include "tidy.h"

#include <gtest/gtest.h>

namespace steelyard::tidy {
namespace {

Tree clean() {
  return {{"src/base/base.h", "#pragma once\n"},
          {"src/base/README.md", "# base\n"},
          {"src/memory/memory.h", "#include \"base/base.h\"\n"},
          {"src/memory/README.md", "# memory\n"},
          {"src/memory/CMakeLists.txt", "room_sources(size.cpp)\n"},
          {"src/memory/size.cpp", "#include \"memory/memory.h\"\n"}};
}

TEST(Tidy, PassesACleanTree) {
  for (const std::string& line : findings(clean())) ADD_FAILURE() << line;
}

// Each rule with an input that must break it.
TEST(Tidy, FindsEachBrokenRule) {
  struct Case {
    std::string path, content, want;
  };
  std::string long_function = "int f() {\n";
  for (int i = 0; i < 100; ++i) long_function += "  x();\n";
  long_function += "}\n";
  const Case cases[] = {
      {"src/base/base.h", "#include \"memory/memory.h\"\n", "never up"},
      {"src/memory/size.cpp", "#include \"probe/probe.h\"\n", "do not know each other"},
      {"src/report/report.h", "#include \"memory/weights.h\"\n", "only memory/memory.h"},
      {"src/memory/size.cpp", std::string(101, 'x') + "\n", "101 columns"},
      {"src/memory/size.cpp", std::string(700, '\n'), "701 lines"},
      {"src/memory/size.cpp", long_function, "function of"},
      {"src/memory/size.cpp", "void f() { std::cout << 1; }\n", "belongs to cli/"},
      {"src/memory/size.cpp", "// TODO later\n", "leftover marker"},
      {"src/memory/other.cpp", "\n", "dead file"},
      {"docs/two.md", "# one\n# two\n", "2 titles"},
      {"src/memory/README.md", "no title\n", "0 titles"},
      {"src/pick/smallest.cpp", "\n", "missing in its room"},
  };
  for (const Case& c : cases) {
    Tree tree = clean();
    tree[c.path] = c.content;
    std::string all;
    for (const std::string& line : findings(tree)) all += line + "\n";
    EXPECT_NE(all.find(c.want), std::string::npos) << c.path << " wants '" << c.want << "' in\n"
                                                   << all;
  }
}

}  // namespace
}  // namespace steelyard::tidy

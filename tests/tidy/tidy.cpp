#include "tidy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "base/base.h"

namespace steelyard::tidy {
namespace {

constexpr std::size_t most_columns = 100;
constexpr std::size_t most_lines = 600;
constexpr std::size_t most_function_lines = 80;

struct Room {
  std::string_view name;
  int floor;
  char side;  // 'c' calculates, 'm' measures: floor 3 has a bar between them
};
constexpr auto rooms = std::to_array<Room>({{"base", 0, ' '},
                                            {"os", 1, ' '},
                                            {"facts", 2, ' '},
                                            {"offers", 2, ' '},
                                            {"model", 2, ' '},
                                            {"hub", 2, ' '},
                                            {"logs", 2, ' '},
                                            {"memory", 3, 'c'},
                                            {"speed", 3, 'c'},
                                            {"simulate", 3, 'c'},
                                            {"cost", 3, 'c'},
                                            {"probe", 3, 'm'},
                                            {"measure", 3, 'm'},
                                            {"loadtest", 3, 'm'},
                                            {"check", 4, ' '},
                                            {"diagnose", 4, ' '},
                                            {"claims", 4, ' '},
                                            {"pick", 4, ' '},
                                            {"against", 4, ' '},
                                            {"calibrate", 4, ' '},
                                            {"report", 5, ' '},
                                            {"cli", 6, ' '},
                                            {"web", 6, ' '}});

const Room* room_of(std::string_view path) {
  if (!path.starts_with("src/")) return nullptr;
  const std::string_view rest = path.substr(4);
  const auto found = std::ranges::find(rooms, rest.substr(0, rest.find('/')), &Room::name);
  return found == rooms.end() ? nullptr : &*found;
}

bool is_test(std::string_view path) {
  return path.ends_with("_test.cpp");
}

// Words that only cli/ and main.cpp may use: printing, leaving, the clock, the environment.
constexpr auto world_words = std::to_array<std::string_view>(
    {"std::cout", "std::cerr", "fmt::print(", "std::printf(", "std::exit(", "std::abort(",
     "std::getenv(", "::getenv(", "system_clock::now", "steady_clock::now", "std::time("});

// A rule's exceptions, by file, each with its reason.
struct Exception {
  std::string_view path, rule, reason;
};
constexpr auto exceptions = std::to_array<Exception>({
    {"tests/tidy/tidy.cpp", "word", "names the forbidden words"},
    {"tests/tidy/tidy_test.cpp", "word", "names the forbidden words"},
    {"src/os/http_beast.cpp", "world", "a real adapter: a request's deadline is wall time"},
});

bool excepted(std::string_view path, std::string_view rule) {
  return std::ranges::any_of(exceptions,
                             [&](const Exception& e) { return e.path == path && e.rule == rule; });
}

void check_include(const std::string& path, std::size_t number, std::string_view line,
                   std::vector<std::string>& out) {
  const Room* from = room_of(path);
  if (from == nullptr || !line.starts_with("#include \"")) return;
  const std::string_view target = line.substr(10, line.find('"', 10) - 10);
  const auto to = std::ranges::find(rooms, target.substr(0, target.find('/')), &Room::name);
  if (to == rooms.end() || to->name == from->name) return;
  const auto report = [&](std::string_view why) {
    out.push_back(fmt::format("{}:{}: {} includes {}: {}", path, number, from->name, target, why));
  };
  if (to->floor > from->floor) report("includes point down, never up");
  if (to->floor == 3 && from->floor == 3 && to->side != from->side) {
    report("calculation and measurement do not know each other");
  }
  const std::string front = fmt::format("{0}/{0}.h", to->name);
  // base/ is the language the other rooms speak: each of its headers may be named.
  if (target != front && to->name != "base" && !is_test(path)) {
    report(fmt::format("other rooms include only {}", front));
  }
}

bool is_code(std::string_view path) {
  return path.ends_with(".cpp") || path.ends_with(".h");
}

void check_lines(const std::string& path, const std::string& content,
                 std::vector<std::string>& out) {
  std::size_t number = 0;
  std::size_t function_begin = 0;
  const Room* room = room_of(path);
  const bool may_touch_world = room == nullptr || room->floor == 6 || is_test(path);
  const auto lines = split(content, '\n');
  for (const std::string_view line : lines) {
    ++number;
    check_include(path, number, line, out);
    // Columns, not bytes: continuation bytes of UTF-8 do not count.
    const auto columns = static_cast<std::size_t>(
        std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
    if (columns > most_columns && !excepted(path, "columns")) {
      out.push_back(
          fmt::format("{}:{}: line of {} columns (limit {})", path, number, columns, most_columns));
    }
    for (const std::string_view word : world_words) {
      if (!may_touch_world && line.find(word) != std::string_view::npos &&
          !excepted(path, "world")) {
        out.push_back(fmt::format("{}:{}: {} belongs to cli/ and main.cpp", path, number, word));
      }
    }
    for (const std::string_view marker : {"TO"
                                          "DO",
                                          "FIX"
                                          "ME",
                                          "XX"
                                          "X",
                                          "HA"
                                          "CK"}) {
      if (line.find(marker) != std::string_view::npos && !excepted(path, "word")) {
        out.push_back(fmt::format("{}:{}: leftover marker {}", path, number, marker));
      }
    }
    // clang-format puts a function's first line and its closing brace in column 0.
    if (!line.empty() && line[0] != ' ' && line[0] != '}' && line[0] != '#' && line[0] != '/') {
      function_begin = number;
    }
    if (line == "}" && number - function_begin > most_function_lines &&
        !excepted(path, "function")) {
      out.push_back(fmt::format("{}:{}: function of {} lines (limit {})", path, function_begin,
                                number - function_begin, most_function_lines));
    }
  }
  if (lines.size() > most_lines + 1 && !excepted(path, "lines")) {
    out.push_back(fmt::format("{}: {} lines (limit {})", path, lines.size(), most_lines));
  }
}

void check_listed(const Tree& tree, const std::string& path, std::vector<std::string>& out) {
  const std::size_t slash = path.rfind('/');
  std::string folder = path.substr(0, slash);
  // The list may stand in the folder itself or, for a room's sub-folder, in the room.
  for (; folder.find('/') != std::string::npos || folder == "accuracy";
       folder = folder.substr(0, folder.rfind('/'))) {
    const auto list = tree.find(folder + "/CMakeLists.txt");
    if (list != tree.end()) {
      const std::string name = path.substr(folder.size() + 1);
      const std::string stem = name.substr(name.rfind('/') + 1, name.size() - name.rfind('/') - 5);
      const bool fuzz = list->second.find("fuzz_target(" + stem) != std::string::npos;
      if (list->second.find(name) == std::string::npos && !fuzz) {
        out.push_back(fmt::format("{}: dead file, not in {}/CMakeLists.txt", path, folder));
      }
      return;
    }
    if (folder.find('/') == std::string::npos) return;
  }
}

void check_rooms(const Tree& tree, std::vector<std::string>& out) {
  for (const Room& room : rooms) {
    const std::string folder = fmt::format("src/{}/", room.name);
    const auto first = tree.lower_bound(folder);
    if (first == tree.end() || !first->first.starts_with(folder)) continue;  // not built yet
    for (const std::string& want :
         {folder + "README.md", fmt::format("{}{}.h", folder, room.name)}) {
      if (!tree.contains(want)) out.push_back(fmt::format("{}: missing in its room", want));
    }
  }
}

void check_document(const std::string& path, const std::string& content,
                    std::vector<std::string>& out) {
  std::size_t titles = 0;
  bool fenced = false;
  for (const std::string_view line : split(content, '\n')) {
    if (line.starts_with("```")) fenced = !fenced;
    if (!fenced && line.starts_with("# ")) ++titles;
  }
  if (titles != 1) out.push_back(fmt::format("{}: {} titles, one is wanted", path, titles));
}

}  // namespace

std::vector<std::string> findings(const Tree& tree) {
  std::vector<std::string> out;
  for (const auto& [path, content] : tree) {
    if (is_code(path)) {
      check_lines(path, content, out);
      if (path.ends_with(".cpp") && path != "src/main.cpp") check_listed(tree, path, out);
    }
    if (path.ends_with(".md")) check_document(path, content, out);
  }
  check_rooms(tree, out);
  return out;
}

}  // namespace steelyard::tidy

// Finds the verb, parses its words, runs it.
#include "cli/cli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/output.h"

namespace steelyard::cli {
namespace {

int unknown_verb(const std::string& verb, World& world) {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return refuse({.kind = ErrorKind::usage,
                 .what = fmt::format("steelyard has no command '{}'", verb),
                 .try_this = fmt::format("did you mean {}? `steelyard help` lists all",
                                         fmt::join(nearest(verb, names, 3), ", "))},
                world);
}

std::string list_text() {
  std::string text = "steelyard VERB [options]\n\n";
  for (const Command& command : commands()) {
    text += fmt::format("  {:<12} {}\n", command.name, command.summary);
  }
  text += fmt::format(
      "\nLater work: {}.\n`steelyard help VERB` explains one; `help metrics` the "
      "words.\n",
      fmt::join(later_commands(), ", "));
  return text;
}

Error later(std::string_view verb) {
  return {.kind = ErrorKind::unsupported,
          .what = fmt::format("'{}' is later work: this version does not have it", verb),
          .try_this = "`steelyard help` lists what is there"};
}

const Command* find(std::string_view verb) {
  const auto found = std::ranges::find(commands(), verb, &Command::name);
  return found == commands().end() ? nullptr : &*found;
}

int print(const std::string& text, World& world) {
  return world.out(text) ? exit_yes : refuse_output("standard output", world);
}

int help(const std::vector<std::string>& words, World& world) {
  for (const std::string& word : words) {
    if (word.starts_with("-")) continue;
    if (word == "metrics") return print(metrics_text(), world);
    if (const Command* command = find(word)) return print(help_text(*command), world);
    if (std::ranges::find(later_commands(), word) != later_commands().end()) {
      return refuse(later(word), world);
    }
    return unknown_verb(word, world);
  }
  return print(list_text(), world);
}

int run_verb(const std::vector<std::string>& arguments, World& world) {
  if (arguments.empty()) return print(overview_text(), world);
  const std::string& verb = arguments[0];
  std::vector<std::string> words(arguments.begin() + 1, arguments.end());
  if (verb == "help" || verb == "--help" || verb == "-h") return help(words, world);
  if (verb == "version" || verb == "--version" || verb == "-V") {
    return print("steelyard " STEELYARD_VERSION "\n", world);
  }
  if (std::ranges::find(later_commands(), verb) != later_commands().end()) {
    return refuse(later(verb), world);
  }
  const Command* command = find(verb);
  if (command == nullptr) return unknown_verb(verb, world);
  auto parsed = parse(*command, words);
  if (!parsed) return refuse(parsed.error(), world);
  if (parsed->has("--help")) return print(help_text(*command), world);
  if (lower(parsed->value("--lang")) == "zh") {
    return refuse({.kind = ErrorKind::unsupported,
                   .what = "--lang zh is later work: answers are in English",
                   .field = "--lang",
                   .try_this = "leave --lang out"},
                  world);
  }
  return command->run(*parsed, world);
}

}  // namespace

int run(const std::vector<std::string>& arguments, World& world) {
  // Names in files and answers of servers reach the terminal only as text.
  World safe = world;
  safe.out = [&](std::string_view text) { return world.out(printable(text)); };
  safe.err = [&](std::string_view text) { world.err(printable(text)); };
  return run_verb(arguments, safe);
}

}  // namespace steelyard::cli

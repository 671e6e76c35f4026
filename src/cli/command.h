// The one table of commands: parsing, help, man page and completions all come from it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"
#include "cli/world.h"

namespace steelyard::cli {

struct Option {
  std::string_view name;   // "--gpu"
  std::string_view brief;  // "-o", or empty
  std::string_view value;  // "NAME[:N]"; empty: a flag
  std::string_view help;
  bool repeatable = false;
  std::string_view choices = "";  // "a|b|c": checked by the parser, offered by completions
};

struct OptionGroup {
  std::string_view title;
  std::span<const Option> options;
};

// What was typed, checked against a command's options.
class Arguments {
 public:
  std::vector<std::string> positionals;
  std::map<std::string, std::vector<std::string>, std::less<>> values;  // flags hold "true"

  bool has(std::string_view name) const { return values.contains(name); }
  // The value, or "" when not given.
  std::string value(std::string_view name) const;
  std::span<const std::string> all(std::string_view name) const;
};

struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view positionals;  // "MODEL", "[A [B]]"
  std::size_t max_positionals = 0;
  std::span<const OptionGroup> groups;
  std::string_view examples;  // one per line
  int (*run)(const Arguments&, World&) = nullptr;
};

std::span<const Command> commands();
// Verbs of CONTRACT.md that are later work: they answer so and exit 2.
std::span<const std::string_view> later_commands();

extern const std::span<const Option> common_options;
extern const std::span<const Option> card_options;
extern const std::span<const Option> workload_options;
extern const std::span<const Option> placement_options;
extern const std::span<const Option> training_options;

// Errors: usage, naming the option and the nearest known one.
Result<Arguments> parse(const Command& command, const std::vector<std::string>& words);

std::string help_text(const Command& command);
std::string overview_text();  // `steelyard` alone: five examples, under 25 lines
std::string man_page();
std::string completions(std::string_view shell);  // bash, zsh or fish

}  // namespace steelyard::cli

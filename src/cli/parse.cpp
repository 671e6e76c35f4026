// Turns words into Arguments with CLI11, by the command's own table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/command.h"

namespace steelyard::cli {
namespace {

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const OptionGroup& group : command.groups) {
    for (const Option& option : group.options) names.emplace_back(option.name);
  }
  return names;
}

Error unknown_option(const Command& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const auto near = nearest(name, option_names(command), 3);
  return {.kind = ErrorKind::usage,
          .what = fmt::format("{} has no option {}", command.name, name),
          .field = name,
          .try_this = fmt::format("did you mean {}? `steelyard help {}` lists all",
                                  fmt::join(near, ", "), command.name)};
}

Status check(const Option& option, const std::vector<std::string>& given) {
  if (given.size() > 1 && !option.repeatable && !option.value.empty()) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("{} is given {} times", option.name, given.size()),
                 .field = std::string(option.name),
                 .try_this = "give it once"});
  }
  if (option.choices.empty()) return {};
  for (const std::string& value : given) {
    const auto choices = split(option.choices, '|');
    if (std::ranges::find(choices, lower(value)) == choices.end()) {
      return fail({.kind = ErrorKind::usage,
                   .what = fmt::format("{} does not take '{}'", option.name, value),
                   .field = std::string(option.name),
                   .try_this = fmt::format("choose one of {}", fmt::join(choices, ", "))});
    }
  }
  return {};
}

}  // namespace

std::string Arguments::value(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() || found->second.empty() ? "" : found->second.back();
}

std::span<const std::string> Arguments::all(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() ? std::span<const std::string>() : found->second;
}

Result<Arguments> parse(const Command& command, const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  Arguments result;
  app.add_option("positionals", result.positionals);
  std::map<std::string, std::vector<std::string>, std::less<>> given;
  std::map<std::string, int, std::less<>> flags;
  for (const OptionGroup& group : command.groups) {
    for (const Option& option : group.options) {
      std::string names(option.name);
      if (!option.brief.empty()) names += fmt::format(",{}", option.brief);
      if (option.value.empty()) {
        app.add_flag(names, flags[std::string(option.name)])->disable_flag_override();
      } else {
        app.add_option(names, given[std::string(option.name)])
            ->expected(1)
            ->allow_extra_args(false)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      }
    }
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string said = error.what();  // "--gpu: 1 required TEXT missing", or a flag's value
    std::string name = said.substr(0, said.find_first_of(": "));
    if (!name.starts_with('-')) name = "--" + name;
    const bool flag = flags.contains(name);
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("{} {}", name, flag ? "takes no value" : "needs a value"),
                 .field = name,
                 .try_this = fmt::format("`steelyard help {}` shows how", command.name)});
  } catch (const CLI::ParseError& error) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("the command line of {} cannot be read: {}", command.name,
                                     error.what()),
                 .try_this = fmt::format("`steelyard help {}` shows how", command.name)});
  }
  for (const std::string& extra : app.remaining()) {
    if (extra.size() > 1 && extra[0] == '-') return fail(unknown_option(command, extra));
    result.positionals.push_back(extra);
  }
  if (result.positionals.size() > command.max_positionals) {
    const std::string takes = command.max_positionals == 0
                                  ? std::string("no word")
                                  : fmt::format("only {}", command.positionals);
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("{} takes {}, '{}' is one too many", command.name, takes,
                                     result.positionals[command.max_positionals]),
                 .try_this = "quote names that hold spaces, as in --gpu \"RTX 4090\""});
  }
  for (const OptionGroup& group : command.groups) {
    for (const Option& option : group.options) {
      const std::string name(option.name);
      if (flags.contains(name) && flags[name] > 0) result.values[name] = {"true"};
      if (!given.contains(name) || given[name].empty()) continue;
      if (auto checked = check(option, given[name]); !checked) {
        return std::unexpected(checked.error());
      }
      result.values[name] = given[name];
    }
  }
  return result;
}

}  // namespace steelyard::cli

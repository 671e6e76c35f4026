// Shell completions from the command table; cards and models complete by asking the program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"

namespace steelyard::cli {
namespace {

std::string words_of(const Command& command) {
  std::vector<std::string> words;
  for (const OptionGroup& group : command.groups) {
    for (const Option& option : group.options) {
      words.emplace_back(option.name);
      if (!option.brief.empty()) words.emplace_back(option.brief);
    }
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string verbs() {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

// Value words of the options that have a closed list, as shell `case` arms.
std::string choice_arms() {
  std::string arms;
  for (const auto& group : {common_options, card_options, workload_options, placement_options}) {
    for (const Option& option : group) {
      if (option.choices.empty()) continue;
      std::string list(option.choices);
      for (char& c : list) c = c == '|' ? ' ' : c;
      arms += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return;;\n",
                          option.name, list);
    }
  }
  return arms;
}

std::string bash() {
  std::string text = R"(_steelyard_cards() {
  local IFS=$'\n'
  COMPREPLY=($(steelyard gpus --names 2>/dev/null | grep -i -- "^${cur//\"/}" | sed 's/ /\\ /g'))
}
_steelyard() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} IFS=$' \t\n'
  COMPREPLY=()
  case $prev in
    --gpu|-g) _steelyard_cards; return;;
)";
  text += choice_arms();
  text += fmt::format(
      "  esac\n  if [ $COMP_CWORD -eq 1 ]; then COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); "
      "return; fi\n  case ${{COMP_WORDS[1]}} in\n",
      verbs());
  for (const Command& command : commands()) {
    text +=
        fmt::format("    {}) [[ $cur == -* ]] && COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"));;\n",
                    command.name, words_of(command));
  }
  text += R"(  esac
  if [ ${#COMPREPLY[@]} -eq 0 ] && [[ $cur != -* ]]; then
    case ${COMP_WORDS[1]} in
      size|models)
        COMPREPLY=($(compgen -f -- "$cur")
          $(steelyard models --names 2>/dev/null | grep -i -- "^$cur"));;
      gpus) _steelyard_cards;;
      *) COMPREPLY=($(compgen -f -- "$cur"));;
    esac
  fi
}
complete -F _steelyard steelyard
)";
  return text;
}

std::string zsh() {
  // zsh runs bash completion functions; one list then serves both.
  return "#compdef steelyard\nautoload -U +X bashcompinit && bashcompinit\n" + bash();
}

std::string fish() {
  std::string text;
  for (const Command& command : commands()) {
    text += fmt::format("complete -c steelyard -n __fish_use_subcommand -a {} -d '{}'\n",
                        command.name, command.summary);
    for (const OptionGroup& group : command.groups) {
      for (const Option& option : group.options) {
        std::string line =
            fmt::format("complete -c steelyard -n '__fish_seen_subcommand_from {}'", command.name);
        if (option.name.starts_with("--"))
          line += fmt::format(" -l {}", option.name.substr(2));
        else
          line += fmt::format(" -s {}", option.name.substr(1));
        if (!option.brief.empty()) line += fmt::format(" -s {}", option.brief.substr(1));
        if (!option.value.empty()) line += " -r";
        if (option.name == "--gpu") line += " -a '(steelyard gpus --names)'";
        std::string list(option.choices);
        for (char& c : list) c = c == '|' ? ' ' : c;
        if (!list.empty()) line += fmt::format(" -a '{}'", list);
        std::string help(option.help);
        for (char& c : help) c = c == '\'' ? '`' : c;
        text += fmt::format("{} -d '{}'\n", line, help);
      }
    }
  }
  return text;
}

}  // namespace

std::string completions(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  if (shell == "fish") return fish();
  return "";
}

}  // namespace steelyard::cli

// Help, man page and the examples, printed from the command table.
#include <fmt/format.h>

#include "cli/command.h"

namespace steelyard::cli {
namespace {

std::string flag_column(const Option& option) {
  std::string text = option.brief.empty() ? std::string(option.name)
                                          : fmt::format("{}, {}", option.brief, option.name);
  if (!option.value.empty()) text += fmt::format(" {}", option.value);
  return text;
}

// Folds `text` at spaces to lines of at most `width`, indented by `indent` after the first.
std::string folded(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t used = 0;
  for (const std::string_view word : split(text, ' ')) {
    if (used > 0 && used + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      used = 0;
    }
    if (used > 0) result += ' ', ++used;
    result += word;
    used += word.size();
  }
  return result;
}

// roff reads a leading dot or quote and every backslash and hyphen as its own.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '-') result += '\\';
    result += c;
  }
  if (!result.empty() && (result[0] == '.' || result[0] == '\'')) result = "\\&" + result;
  return result;
}

}  // namespace

std::string overview_text() {
  return R"(steelyard weighs language models against GPUs, before you pay and after.

  steelyard size qwen3-32b --gpu "RTX 4090"             does it fit, and what would?
  steelyard size ./config.json --gpu H100:2 --context 32k --concurrency 16
  steelyard size model.gguf --gpu "RTX 3090" --engine llama.cpp --kv q8_0
  steelyard gpus "A100 80GB" "H100 SXM"                 two cards side by side, with sources
  steelyard models --gpu "RTX 4090" --context 8k        what runs on this card

It only reads: no clock, power cap or process of a machine is ever changed.
`steelyard help` lists the commands, `steelyard help size` explains one.
)";
}

std::string help_text(const Command& command) {
  std::string text =
      fmt::format("steelyard {} {}{}[options]\n\n{}\n", command.name, command.positionals,
                  command.positionals.empty() ? "" : " ", command.summary);
  if (!command.examples.empty()) {
    text += "\nExamples\n";
    for (const std::string_view line : split(command.examples, '\n')) {
      text += fmt::format("  {}\n", line);
    }
  }
  for (const OptionGroup& group : command.groups) {
    text += fmt::format("\n{}\n", group.title);
    for (const Option& option : group.options) {
      const std::string column = flag_column(option);
      const bool wide = column.size() > 24;
      text += fmt::format("  {:<24}{}  {}\n", column, wide ? "\n" + std::string(26, ' ') : "",
                          folded(option.help, 52, 28));
    }
  }
  text += R"(
Exit codes: 0 yes, 1 no, 2 could not answer, 3 could not measure,
130 interrupted.
)";
  return text;
}

std::string man_page() {
  std::string text = R"(.TH STEELYARD 1
.SH NAME
steelyard \- weigh language models against GPUs
.SH SYNOPSIS
.B steelyard
.I VERB
.RI [ options ]
.SH DESCRIPTION
Tells whether a model fits a card, to the byte where the files allow it and with a band where they
do not; every figure names its origin: exact, measured, predicted, sold as or assumed.
It only reads: no clock, power cap, MIG mode or process of a machine is ever changed.
.SH COMMANDS
)";
  for (const Command& command : commands()) {
    text += fmt::format(".SS {} {}\n{}\n", roff(command.name), roff(command.positionals),
                        roff(command.summary));
    if (!command.examples.empty()) text += ".nf\n";
    for (const std::string_view line : split(command.examples, '\n')) {
      if (!line.empty()) text += roff(line) + "\n";
    }
    if (!command.examples.empty()) text += ".fi\n";
    for (const OptionGroup& group : command.groups) {
      if (group.options.data() == common_options.data()) continue;
      for (const Option& option : group.options) {
        text += fmt::format(".TP\n.B {}\n{}\n", roff(flag_column(option)), roff(option.help));
      }
    }
  }
  text += ".SH COMMON OPTIONS\n";
  for (const Option& option : common_options) {
    text += fmt::format(".TP\n.B {}\n{}\n", roff(flag_column(option)), roff(option.help));
  }
  text += R"(.SH EXIT STATUS
0 the answer is yes; 1 the answer is no; 2 could not answer (usage, input); 3 could not measure;
130 interrupted.
)";
  return text;
}

}  // namespace steelyard::cli

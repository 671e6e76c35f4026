// `completions` and `man`: what a package installs beside the program.
#include <fmt/format.h>

#include "cli/output.h"
#include "cli/verbs.h"

namespace steelyard::cli {

int run_completions(const Arguments& arguments, World& world) {
  const std::string shell = arguments.positionals.empty() ? "" : lower(arguments.positionals[0]);
  const std::string text = completions(shell);
  if (text.empty()) {
    return refuse({.kind = ErrorKind::usage,
                   .what = fmt::format("completions knows no shell '{}'", shell),
                   .try_this = "name bash, zsh or fish: `steelyard completions bash > "
                               "/etc/bash_completion.d/steelyard`"},
                  world);
  }
  return world.out(text) ? exit_yes : refuse_output("standard output", world);
}

int run_man(const Arguments&, World& world) {
  return world.out(man_page()) ? exit_yes : refuse_output("standard output", world);
}

Result<facts::Catalogue> load_catalogue(const Arguments& arguments, World& world) {
  auto catalogue = facts::Catalogue::embedded();
  if (!catalogue || !arguments.has("--data")) return catalogue;
  if (auto laid = catalogue->overlay(world.files, arguments.value("--data")); !laid) {
    return std::unexpected(laid.error());
  }
  return catalogue;
}

}  // namespace steelyard::cli

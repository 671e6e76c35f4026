// The only place that knows the real world.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cli/cli.h"

namespace {

bool write_all(std::FILE* stream, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
         std::fflush(stream) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto files = steelyard::os::real_files();
  const auto environment = [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  const auto http = steelyard::os::real_http({.environment = environment});
  steelyard::cli::World world{
      .files = *files,
      .http = *http,
      .environment = environment,
      .out = [](std::string_view text) { return write_all(stdout, text); },
      .err = [](std::string_view text) { write_all(stderr, text); },
      .out_is_terminal = ::isatty(STDOUT_FILENO) == 1,
      .err_is_terminal = ::isatty(STDERR_FILENO) == 1};
  return steelyard::cli::run(std::vector<std::string>(argv + 1, argv + argc), world);
}

// The only place that knows the real world.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "cli/cli.h"

namespace {

bool write_all(std::FILE* stream, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
         std::fflush(stream) == 0;
}

steelyard::Result<std::string> read_input(std::uint64_t limit) {
  std::string text;
  char block[65536];
  while (const std::size_t got = std::fread(block, 1, sizeof block, stdin)) {
    text.append(block, got);
    if (text.size() > limit) {
      return steelyard::fail({.kind = steelyard::ErrorKind::too_large,
                              .what = "standard input is longer than this command reads",
                              .file = "-",
                              .try_this = "give the file's name instead of -"});
    }
  }
  if (std::ferror(stdin) != 0) {
    return steelyard::fail({.kind = steelyard::ErrorKind::io,
                            .what = "standard input cannot be read",
                            .file = "-",
                            .try_this = "give the file's name instead of -"});
  }
  return text;
}

steelyard::offers::Date today() {
  const std::chrono::year_month_day day{
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
  return {.year = static_cast<int>(day.year()),
          .month = static_cast<int>(static_cast<unsigned>(day.month())),
          .day = static_cast<int>(static_cast<unsigned>(day.day()))};
}

}  // namespace

int main(int argc, char** argv) {
  const auto files = steelyard::os::real_files();
  const auto environment = [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  const auto http = steelyard::os::real_http({.environment = environment});
  steelyard::cli::World world{.files = *files,
                              .http = *http,
                              .environment = environment,
                              .out = [](std::string_view text) { return write_all(stdout, text); },
                              .err = [](std::string_view text) { write_all(stderr, text); },
                              .in = read_input,
                              .today = today,
                              .out_is_terminal = ::isatty(STDOUT_FILENO) == 1,
                              .err_is_terminal = ::isatty(STDERR_FILENO) == 1};
  try {
    return steelyard::cli::run(std::vector<std::string>(argv + 1, argv + argc), world);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view text =
        "steelyard: not enough memory for this answer\n  try    give a smaller file, or raise "
        "ulimit -v\n";
    write_all(stderr, text);
    return steelyard::cli::exit_could_not_answer;
  }
}

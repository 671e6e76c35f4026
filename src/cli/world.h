// What the program may touch of its surroundings, so that a test can stand in for all of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "offers/offers.h"
#include "os/os.h"

namespace steelyard::cli {

struct World {
  os::Files& files;
  os::HttpClient& http;
  std::function<std::optional<std::string>(std::string_view)> environment;
  std::function<bool(std::string_view)> out;  // the answer; false when it could not be written
  std::function<void(std::string_view)> err;  // everything else
  // Standard input to its end, at most `limit` bytes. Errors: io, too_large.
  std::function<Result<std::string>(std::uint64_t limit)> in;
  std::function<offers::Date()> today;  // of the machine, UTC
  bool out_is_terminal = false;
  bool err_is_terminal = false;
};

// Exit codes of CONTRACT: yes, no, could not answer, could not measure, interrupted.
inline constexpr int exit_yes = 0;
inline constexpr int exit_no = 1;
inline constexpr int exit_could_not_answer = 2;
inline constexpr int exit_could_not_measure = 3;
inline constexpr int exit_interrupted = 130;

}  // namespace steelyard::cli

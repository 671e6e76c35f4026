// What a log says, as the options that would have said it.
#pragma once

#include "against/against.h"
#include "cli/command.h"
#include "logs/logs.h"
#include "memory/memory.h"

namespace steelyard::cli {

// The command line with the log's settings in it; what the user gave is kept. `--context` and
// `--concurrency` of the user are what is asked about the server, not what it was told.
struct FromLog {
  Arguments arguments;
  against::Question question;
  std::vector<against::Conflict> conflicts;
  std::vector<against::Taken> taken;
  std::uint32_t cards = 1;  // that the log shows at work
};
// Errors: usage (an option of the user that does not read).
Result<FromLog> settings_of_log(const Arguments& arguments, const logs::StartupLog& log);

// For a MODEL that is not quantised: the weight format that the log names, if it names one.
void take_weights(const logs::StartupLog& log, FromLog& from);

// Empty: nobody reads that engine's logs.
std::optional<logs::Program> program_of(memory::EngineKind kind);

}  // namespace steelyard::cli

// The options of a training run, and what memory/ is asked with them.
#pragma once

#include <optional>

#include "cli/command.h"
#include "memory/memory.h"

namespace steelyard::cli {

// What --mode says; none: serving. Errors: usage, when an option of training stands beside it.
Result<std::optional<memory::TrainingMethod>> training_method(const Arguments& arguments);

// Run and placement, without a card. Errors: usage, naming the option.
Result<memory::Request> read_training_request(const Arguments& arguments,
                                              memory::TrainingMethod method);

}  // namespace steelyard::cli

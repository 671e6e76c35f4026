// The machine the program stands on, as far as memory goes.
#pragma once

#include <string>

#include "cli/world.h"
#include "facts/facts.h"
#include "memory/memory.h"

namespace steelyard::cli {

struct Machine {
  memory::Request request;  // engine and card filled in
  std::string description;  // "1x NVIDIA H200 (its driver's name)", "no GPU driver: host memory"
};

// Reads /proc/driver/nvidia for cards, else the memory of the host and its container's limit.
// Only reads files. Errors: not_found when not even the host's memory can be read.
Result<Machine> this_machine(World& world, const facts::Catalogue& catalogue);

}  // namespace steelyard::cli

// Front header of the command line.
#pragma once

#include <string>
#include <vector>

#include "cli/world.h"

namespace steelyard::cli {

// Runs one command line (without the program's name) and returns its exit code.
int run(const std::vector<std::string>& arguments, World& world);

}  // namespace steelyard::cli

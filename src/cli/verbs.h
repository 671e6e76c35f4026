// The functions behind the command table, one file each.
#pragma once

#include "cli/command.h"
#include "facts/facts.h"

namespace steelyard::cli {

int run_size(const Arguments& arguments, World& world);
int run_gpus(const Arguments& arguments, World& world);
int run_offers(const Arguments& arguments, World& world);
int run_models(const Arguments& arguments, World& world);
int run_completions(const Arguments& arguments, World& world);
int run_man(const Arguments& arguments, World& world);

// The built-in facts, with --data laid over them.
Result<facts::Catalogue> load_catalogue(const Arguments& arguments, World& world);

}  // namespace steelyard::cli

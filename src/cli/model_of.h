// MODEL of the command line -> Model: hubs and local caches first, then model/'s own readers.
#pragma once

#include "cli/command.h"
#include "model/model.h"

namespace steelyard::cli {

// Errors: those of hub::fetch and model::read_model.
Result<model::Model> model_of(const Arguments& arguments, World& world, const std::string& name);

}  // namespace steelyard::cli

// `size MODEL --against LOG`: the prediction beside what an engine's own log says.
#pragma once

#include "cli/command.h"
#include "memory/memory.h"
#include "model/model.h"

namespace steelyard::cli {

int run_against(const Arguments& arguments, World& world);

// MODEL in the format that --weights and --dtype ask for (size.cpp).
Result<model::Model> weighed_model(const Arguments& arguments, World& world,
                                   const std::string& name,
                                   std::optional<memory::TrainingMethod> training = std::nullopt);

}  // namespace steelyard::cli

// `size` and `models` of an image or video model.
#pragma once

#include "cli/command.h"
#include "model/model.h"

namespace steelyard::cli {

// The pipeline that MODEL names; null when there is a file of that name or no such pipeline.
const model::Pipeline* pipeline_named(World& world, const std::string& name);

// Weighs the components against every card named. Options that only a language model answers to
// are refused. Returns the exit code: 1 does not fit, 2 when a card is named and cannot be judged.
int run_pipeline(const Arguments& arguments, World& world, const model::Pipeline& pipeline);

}  // namespace steelyard::cli

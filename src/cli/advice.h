// What the reader should know beside the sum: options without effect, formats without units.
#pragma once

#include "cli/command.h"
#include "report/report.h"

namespace steelyard::cli {

// Adds warnings to the case's answer.
void add_advice(const Arguments& arguments, const model::Model& model, report::SizeCase& one);

}  // namespace steelyard::cli

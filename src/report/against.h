// The answer of `size --against` in every format.
#pragma once

#include <string>

#include "against/against.h"
#include "model/model.h"
#include "report/size.h"

namespace steelyard::report {

struct AgainstDocument {
  const model::Model& model;
  std::string argument;  // MODEL as typed
  std::string log;       // the log's name as typed
  const against::Comparison& comparison;
};

std::string against_text(const AgainstDocument& document, TextStyle style);
std::string against_json(const AgainstDocument& document);
std::string against_csv(const AgainstDocument& document);

}  // namespace steelyard::report

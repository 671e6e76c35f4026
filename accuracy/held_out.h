// The one fitted constant of a serving step, refitted without the model it is then tried on.
#pragma once

#include <vector>

#include "accuracy.h"

namespace steelyard::accuracy {

// A row of the activation table, with the part of the prediction that the constant scales.
struct StepRow {
  Scored one;
  double kept_gib = 0;    // not scaled by the constant
  double logits_gib = 0;  // scaled by it; 0: the sampler was not the peak
};

// For each row: the median scale over the rows of all other models, applied to this one.
std::vector<Scored> hold_out_sampler(const std::vector<StepRow>& rows);

}  // namespace steelyard::accuracy

// The cos and sin tables that engines build for a config's rotary positions.
#pragma once

#include "model/draft.h"

namespace steelyard::model {

// Fills `d.model.rotary`: one table per distinct rope of the layers. Needs the layers.
// Lengths as vLLM's get_rope builds them: linear and dynamic scaling lengthen the table by their
// factor, yarn and longrope name the original length; llama3 and no scaling keep it.
void read_rotary(Draft& d);

}  // namespace steelyard::model

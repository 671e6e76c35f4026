// The stored formats that configs and weight schemes name.
#pragma once

#include <optional>
#include <string_view>

#include "facts/facts.h"

namespace steelyard::model {

// A torch dtype word: "bfloat16", "torch.float16", "float32" ... Nothing when it is another word.
std::optional<facts::Format> torch_format(std::string_view word);

facts::Format stored_bf16();
facts::Format stored_f16();
facts::Format stored_f32();
facts::Format stored_fp8();  // e4m3
facts::Format stored_int8();
facts::Format stored_int4();  // two to a byte
facts::Format stored_fp4();   // e2m1, two to a byte; scales are counted apart

}  // namespace steelyard::model

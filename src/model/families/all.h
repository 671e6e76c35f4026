// Every family's function. The list that names them is list.cpp.
#pragma once

#include "model/families/families.h"

namespace steelyard::model {

void build_llama(Draft& draft);
void build_qwen2(Draft& draft);
void build_qwen3(Draft& draft);
void build_mixtral(Draft& draft);

}  // namespace steelyard::model

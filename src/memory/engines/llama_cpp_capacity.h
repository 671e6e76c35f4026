// How far the context or the number of sequences can grow on the same cards.
#pragma once

#include "memory/engines/llama_cpp_evaluate.h"

namespace steelyard::memory::llama_cpp {

// Solves the same rule for the largest context at this concurrency and the reverse.
// `budget`: what one card offers.
Capacity capacity_of(const model::Model& model, const Evaluator& evaluator,
                     const Workload& workload, const Evaluation& now, const ByteFigure& budget);

}  // namespace steelyard::memory::llama_cpp

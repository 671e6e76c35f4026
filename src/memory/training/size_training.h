// Memory of a training run: the sum of each distinct rank, judged.
#pragma once

#include "memory/memory.h"
#include "memory/training/plan.h"
#include "memory/training/step.h"

namespace steelyard::memory {

// request.training is set. Errors: as training_plan and training_shape.
Result<Answer> size_training(const model::Model& model, const Request& request);

// What would make it fit on the same cards, cheapest in speed and quality first, each with its
// cost in a phrase; then more cards.
std::vector<Alternative> training_alternatives(const model::Model& model, const Request& request);

// Bytes of the card that a peak takes: the context and the fragments that the allocator cannot
// give back come on top.
double needed_on_card(const TrainingPlan& plan, double peak);

// Fills free, verdict, reason and budget from the ranks and the card.
void judge_training(const TrainingPlan& plan, Answer& answer);

// The largest micro-batch and the longest sequence that the answer's budget holds.
void find_training_room(const model::Model& model, const TrainingShape& shape,
                        const TrainingPlan& plan, Answer& answer);

// The multipliers people use for training memory, beside the real sum over all cards.
std::vector<TrainingRule> training_rules(const TrainingPlan& plan, double parameters,
                                         const TrainingFigures& figures);

// The command that starts such a run; empty where the framework reads a file of settings instead.
std::string training_launch(const model::Model& model, const Training& asked,
                            const TrainingPlan& plan);

}  // namespace steelyard::memory

// Totals of the ranks and the verdict, alike for all engines.
#pragma once

#include "memory/memory.h"

namespace steelyard::memory {

// Room below this share of the card counts as tight: run-to-run noise and a desktop's share.
inline constexpr double tight_room = 0.03;

inline bool is_yes(const Answer& answer) {
  return answer.verdict == Verdict::fits || answer.verdict == Verdict::tight;
}

// Adds up each rank, fills `free`, and judges the binding rank against the budget.
// Without a card the verdict is not_established and the sentence says what is needed.
void judge(Answer& answer);

// Every stage keeps its own layers' part of each sequence: the whole holds what the stage with the
// least room for it holds. Stages without a cache of their own limit nothing.
void bind_capacity(Capacity& whole, Capacity stage, bool first);

}  // namespace steelyard::memory

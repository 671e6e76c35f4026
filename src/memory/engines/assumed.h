// Engines without measured rows behind them: the same sum with wide bands, origin assumed.
#pragma once

#include "memory/memory.h"

namespace steelyard::memory {

struct AssumedRules {
  double share = 1.0;            // of what is left after weights and step that the cache may take
  double runtime_gib = 0.6;      // context and workspaces
  double low = 0.6, high = 1.6;  // band of everything that is not a tensor of the file
  std::uint64_t step_tokens = 2048;     // of a prefill; 0: the whole context at once
  std::optional<std::uint64_t> admits;  // sequences at once, where that was asked for
};

// Errors: as size().
Result<Answer> size_assumed(const model::Model& model, const Request& request,
                            const AssumedRules& rules);
ByteFigure assumed_per_token(const model::Model& model, const Request& request);

}  // namespace steelyard::memory

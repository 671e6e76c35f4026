// Rules of an engine that is not written yet: it says so instead of answering.
#pragma once

#include "memory/engines/engine.h"

namespace steelyard::memory {

inline EngineRules pending_rules(EngineKind kind, std::string_view name,
                                 std::string_view spellings) {
  return {
      .kind = kind,
      .name = name,
      .spellings = spellings,
      .size = [](const model::Model&, const Request& request) -> Result<Answer> {
        return fail(
            {.kind = ErrorKind::unsupported,
             .what = "no memory rules yet for " + std::string(engine_name(request.engine.kind))});
      },
      .kv_bytes_per_token = [](const model::Model&, const Request&) { return ByteFigure{}; },
      .launch = [](const model::Model&, const Request&, const Answer&) { return std::string(); },
      .weight_formats = {},
      .kv_formats = {},
      .cards_by_tensor_parallel = false};
}

}  // namespace steelyard::memory

// What the user asked, with our defaults filled in and said.
#pragma once

#include <functional>

#include "memory/memory.h"

namespace steelyard::memory {

struct Asked {
  std::uint64_t context = 0, concurrency = 1;
};
// Context: as given, or input + output, or min(max_context, 8192), `assumed`. Concurrency: 1.
Asked asked_of(const model::Model& model, const Request& request,
               std::vector<Assumption>& assumptions);

// The largest n in [0, limit] for which fits(n) holds; fits must be monotone.
std::uint64_t largest_that(std::uint64_t limit, const std::function<bool(std::uint64_t)>& fits);

// Errors: usage, for KV words that no format has, or that the engine cannot store.
Status check_kv(const model::Model& model, const Workload& workload);

// A name that a shell takes as one word.
std::string shell_word(const std::string& text);

// "engine version": not given, so the newest rules known.
void assume_version(const Request& request, std::string_view newest,
                    std::vector<Assumption>& assumptions);

}  // namespace steelyard::memory

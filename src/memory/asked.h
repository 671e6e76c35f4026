// What the user asked, with our defaults filled in and said.
#pragma once

#include <functional>

#include "memory/memory.h"

namespace steelyard::memory {

struct Asked {
  std::uint64_t context = 0, concurrency = 1;
};
// What a resolved request says, see below.
Asked asked_of(const Request& request);

// The request as one replica of the engine sees it. Context: as given, or input + output, or the
// engine's default, `assumed`. Concurrency: the share of one replica; 1 where the engine has no
// default of its own. Experts over replicas: one engine with data-parallel attention.
// Errors: usage, for lengths that contradict each other.
Result<Request> resolved(const model::Model& model, const Request& request,
                         std::vector<Assumption>& assumptions);

// min(max_context, 8192): long enough for a chat, short enough to compare cards by.
std::uint64_t usual_context(const model::Model& model);

// The largest n in [0, limit] for which fits(n) holds; fits must be monotone.
std::uint64_t largest_that(std::uint64_t limit, const std::function<bool(std::uint64_t)>& fits);

// Errors: usage, for KV words that no format has, or that the engine cannot store.
Status check_kv(const model::Model& model, const Request& request);

// A name that a shell takes as one word.
std::string shell_word(const std::string& text);

// "engine version": not given, or newer than the newest rules known; one line for either.
void say_version(const Request& request, std::vector<Assumption>& assumptions,
                 std::vector<std::string>& warnings);

}  // namespace steelyard::memory

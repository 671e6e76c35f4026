#include "memory/engines/assumed.h"

#include <fmt/format.h>

#include "memory/activations.h"
#include "memory/asked.h"
#include "memory/kv_sglang.h"
#include "memory/runtime_share.h"
#include "memory/weights.h"

namespace steelyard::memory {
namespace {

TokenPool assumed_pool(const model::Model& model, const Request& request, const Stage& stage) {
  CacheRules rules;
  const Workload& w = request.workload;
  rules.key_bytes = cache_element_bytes(w, w.kv_k, model);
  rules.value_bytes = w.kv_v.empty() ? rules.key_bytes : cache_element_bytes(w, w.kv_v, model);
  const Placement& place = request.placement;
  const std::uint32_t tp = std::max(1U, place.tp / std::max(1U, place.attention_dp));
  return token_pool(layer_caches(model, stage, tp, rules, 0), 1);
}

ByteFigure guess(Bytes bytes, const AssumedRules& rules) {
  return ByteFigure::scaled(bytes, rules.low, rules.high, Origin::assumed);
}

Rank rank_of(const model::Model& model, const Request& request, const AssumedRules& rules,
             const Asked& asked, const Stage& stage, const TokenPool& pool) {
  Rank rank{.name = request.placement.pp > 1   ? fmt::format("layers from {}", stage.first)
                    : request.placement.tp > 1 ? fmt::format("tp 0..{}", request.placement.tp - 1)
                                               : std::string("one card"),
            .repeats = request.placement.tp};
  WeightRules kept;
  kept.casts_to_16_bit = request.workload.dtype != "f32";
  const Bytes weights = rank_weights(model, request.placement, stage, kept);
  rank.terms.push_back(
      {"weights", ByteFigure::exact(weights),
       fmt::format("{} tensor groups, tp {}", model.tensors.size(), request.placement.tp)});
  if (request.workload.adapters > 0) {
    rank.terms.push_back(
        {"adapters",
         ByteFigure::exact(adapter_bytes(model, request.placement, stage, request.workload.adapters,
                                         request.workload.adapter_rank)),
         "low-rank pairs of every matrix"});
  }
  const std::uint64_t per_token = pool.full_bytes + pool.sliding_bytes;
  const Bytes cache = Bytes(per_token) * asked.context * asked.concurrency;
  rank.terms.push_back(
      {"kv_cache",
       ByteFigure::banded(cache, cache, bytes_from(cache.as_double() * 1.1), Origin::assumed),
       fmt::format("{} x {} tokens x {} B, windows kept whole", asked.concurrency, asked.context,
                   per_token)});
  if (pool.state_bytes > 0) {
    rank.terms.push_back({"recurrent_state",
                          guess(Bytes(pool.state_bytes) * asked.concurrency, rules),
                          fmt::format("{} x {} B", asked.concurrency, pool.state_bytes)});
  }
  StepShape shape{.tokens = rules.step_tokens,
                  .sequences = asked.concurrency,
                  .value_bytes = request.workload.dtype == "f32" ? 4U : 2U};
  if (shape.tokens == 0) shape.tokens = saturating_mul(asked.context, asked.concurrency);
  rank.terms.push_back({"activations",
                        guess(step_activations(model, request.placement, shape).peak(), rules),
                        fmt::format("a step of {} tokens", shape.tokens)});
  rank.terms.push_back({"runtime", guess(gib(rules.runtime_gib), rules), "context and workspaces"});
  if (request.placement.tp * request.placement.pp > 1) {
    rank.terms.push_back(
        {"communication",
         guess(communication_share(request.placement, request.card && request.card->host_links_only)
                   .value,
               rules),
         "NCCL buffers"});
  }
  return rank;
}

Capacity capacity_of(const ByteFigure& budget, const Rank& rank, const TokenPool& pool,
                     double share) {
  Capacity capacity;
  ByteFigure fixed = ByteFigure::exact(Bytes(0));
  for (const Term& term : rank.terms) {
    if (term.name != "kv_cache" && term.name != "recurrent_state") fixed = fixed + term.bytes;
  }
  const auto part = [&](Bytes total, Bytes taken) {
    return bytes_from((total - taken).as_double() * share);
  };
  capacity.kv_bytes = {part(budget.value, fixed.value), part(budget.low, fixed.high),
                       part(budget.high, fixed.low), Origin::assumed};
  const double each = static_cast<double>(pool.full_bytes + pool.sliding_bytes);
  if (each == 0) {
    capacity.reason = "the model keeps no growing cache";
    return capacity;
  }
  capacity.kv_tokens = capacity.kv_bytes.value.as_double() / each;
  return capacity;
}

// Whether every stage holds this much on the card, its cache within the pool's share.
bool holds(const model::Model& model, const Request& request, const AssumedRules& rules,
           const Asked& asked, const ByteFigure& budget) {
  if (rules.admits && asked.concurrency > *rules.admits) return false;
  for (const Stage& stage : pipeline_stages(model.layers.size(), request.placement.pp)) {
    const TokenPool pool = assumed_pool(model, request, stage);
    const Rank rank = rank_of(model, request, rules, asked, stage, pool);
    Bytes cache;
    for (const Term& term : rank.terms) {
      if (term.name == "kv_cache" || term.name == "recurrent_state") cache += term.bytes.value;
    }
    if (cache > capacity_of(budget, rank, pool, rules.share).kv_bytes.value) return false;
  }
  return true;
}

// A step grows with its tokens, so the largest figures are sought, not divided out.
void seek_largest(const model::Model& model, const Request& request, const AssumedRules& rules,
                  const Asked& asked, Answer& answer) {
  constexpr std::uint64_t most_sequences = 65536, most_context = std::uint64_t{1} << 24;
  const std::uint64_t longest = model.max_context > 0 ? model.max_context : most_context;
  answer.capacity.max_concurrency =
      static_cast<double>(largest_that(most_sequences, [&](std::uint64_t n) {
        return n == 0 || holds(model, request, rules, {asked.context, n}, answer.budget);
      }));
  answer.capacity.max_context_tokens =
      static_cast<double>(largest_that(longest, [&](std::uint64_t n) {
        return n == 0 || holds(model, request, rules, {n, asked.concurrency}, answer.budget);
      }));
}

}  // namespace

Result<Answer> size_assumed(const model::Model& model, const Request& request,
                            const AssumedRules& rules) {
  if (auto legal = check_placement(model, request.placement); !legal) {
    return fail(std::move(legal.error()));
  }
  if (auto known = check_kv(model, request); !known) {
    return fail(std::move(known.error()));
  }
  Answer answer;
  const Asked asked = asked_of(request);
  if (rules.admits && asked.concurrency > *rules.admits) {
    answer.refusal = fmt::format("--max-num-seqs {} admits {} sequences at once, {} are asked",
                                 *rules.admits, *rules.admits, asked.concurrency);
  }
  if (request.card) {
    const CardMemory& card = *request.card;
    answer.budget = {card.usable.value - card.in_use, card.usable.low - card.in_use,
                     card.usable.high - card.in_use, card.usable.origin};
  }
  std::optional<double> least;
  for (const Stage& stage : pipeline_stages(model.layers.size(), request.placement.pp)) {
    const TokenPool pool = assumed_pool(model, request, stage);
    answer.ranks.push_back(rank_of(model, request, rules, asked, stage, pool));
    if (!request.card) continue;
    const Capacity capacity = capacity_of(answer.budget, answer.ranks.back(), pool, rules.share);
    if (least && capacity.kv_tokens.value_or(0) >= *least) continue;
    least = capacity.kv_tokens.value_or(0);
    answer.capacity = capacity;
  }
  if (least && answer.capacity.kv_tokens) seek_largest(model, request, rules, asked, answer);
  if (!least) answer.capacity.reason = "no card was named";
  answer.warnings.push_back(
      "no measured figures stand behind this engine: bands are wide, origin assumed");
  if (!model.not_established.empty()) answer.warnings.push_back(model.not_established);
  return answer;
}

ByteFigure assumed_per_token(const model::Model& model, const Request& request) {
  const TokenPool pool =
      assumed_pool(model, request, Stage{.first = 0, .last = model.layers.size()});
  return ByteFigure::exact(Bytes(pool.full_bytes + pool.sliding_bytes));
}

}  // namespace steelyard::memory

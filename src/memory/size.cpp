// Dispatch: the engine's rules fill the terms, the shared code judges them.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "memory/asked.h"
#include "memory/engines/engine.h"
#include "memory/placement.h"
#include "memory/support.h"
#include "memory/training/size_training.h"
#include "memory/typical_band.h"
#include "memory/verdict.h"

namespace steelyard::memory {
namespace {

// An engine whose pool is smaller than what is asked starts, and then refuses or queues requests.
void heed_pool(const Request& request, Answer& answer) {
  const Workload& w = request.workload;
  const Capacity& room = answer.capacity;
  if (!is_yes(answer)) return;
  if (room.max_context_tokens && w.context) {
    const double longest = std::floor(*room.max_context_tokens);
    if (longest < static_cast<double>(*w.context)) {
      answer.verdict = Verdict::does_not_fit;
      answer.reason =
          fmt::format("the pool holds sequences of {} tokens at this concurrency, {} are asked",
                      with_commas(static_cast<std::uint64_t>(longest)), with_commas(*w.context));
      return;
    }
  }
  if (!room.max_concurrency || !w.concurrency) return;
  const double most = std::floor(*room.max_concurrency);
  if (most >= static_cast<double>(*w.concurrency)) return;
  answer.verdict = Verdict::does_not_fit;
  answer.reason =
      fmt::format("the pool holds {} sequences of this length at once, {} are asked",
                  with_commas(static_cast<std::uint64_t>(most)), with_commas(*w.concurrency));
}

// Weights that the kernels lay out anew are no longer the sum of the file to the byte.
void widen_weights(const Support& support, Answer& answer) {
  if (support.weights_low == 1 && support.weights_high == 1) return;
  for (Rank& rank : answer.ranks) {
    for (Term& term : rank.terms) {
      if (term.name != "weights") continue;
      term.bytes = ByteFigure::scaled(term.bytes.value, support.weights_low, support.weights_high,
                                      Origin::predicted);
      term.formula += ", laid out anew for its kernels";
    }
  }
}

void heed_refusal(Answer& answer) {
  if (answer.refusal.empty()) return;
  answer.verdict = Verdict::does_not_fit;
  answer.reason = answer.refusal;
}

// vLLM and SGLang do not start beyond the length of the config; the others go on, worse.
void heed_length(const model::Model& model, const Request& request, Answer& answer) {
  const EngineKind kind = request.engine.kind;
  const bool llama = kind == EngineKind::llama_cpp || kind == EngineKind::ollama;  // say so itself
  const std::uint64_t asked = request.workload.context.value_or(0);
  if (llama || model.max_context == 0 || asked <= model.max_context) return;
  std::string text = fmt::format("the model was made for {} tokens, {} are asked",
                                 with_commas(model.max_context), with_commas(asked));
  if (kind == EngineKind::vllm || kind == EngineKind::sglang) {
    answer.refusal = fmt::format("{}: {} refuses to start so", text, engine_name(kind));
  } else {
    answer.warnings.push_back(std::move(text));
  }
}

}  // namespace

Result<Answer> size(const model::Model& model, const Request& asked) {
  if (asked.training) return size_training(model, asked);
  const EngineRules& rules = rules_of(asked.engine.kind);
  std::vector<Assumption> assumptions;
  auto request = resolved(model, asked, assumptions);
  if (!request) return std::unexpected(request.error());
  auto answer = rules.size(model, *request);
  if (!answer) return answer;
  if (answer->ranks.empty()) {
    return fail({.kind = ErrorKind::internal,
                 .what = "the rules of " + std::string(rules.name) + " named no rank"});
  }
  assumptions.insert(assumptions.end(), std::make_move_iterator(answer->assumptions.begin()),
                     std::make_move_iterator(answer->assumptions.end()));
  answer->assumptions = std::move(assumptions);
  say_version(*request, answer->assumptions, answer->warnings);
  answer->engine = asked.engine;
  answer->placement = asked.placement;
  answer->context = request->workload.context.value_or(request->workload.ctx_size.value_or(0));
  answer->card = asked.card;
  heed_length(model, *request, *answer);
  const Support support = support_of(model, *request);
  if (!support.refusal.empty()) answer->refusal = support.refusal;
  if (support.needs_half) request->workload.dtype = "f16";
  answer->warnings.insert(answer->warnings.end(), support.notes.begin(), support.notes.end());
  widen_weights(support, *answer);
  widen_for_typical(model, *answer);
  judge(*answer);
  heed_pool(*request, *answer);
  // A model whose layers nobody could read needs more than what was counted: a "no" stands, a "yes"
  // would be a guess.
  if (!model.not_established.empty() && answer->card && answer->verdict != Verdict::does_not_fit) {
    answer->verdict = Verdict::not_established;
    answer->reason = "at least " + answer->reason.substr(answer->reason.find("needs ") + 6) +
                     "; the cache is not established: " + model.not_established;
  }
  heed_refusal(*answer);
  answer->launch = rules.launch(model, *request, *answer);
  return answer;
}

ByteFigure kv_bytes_per_token(const model::Model& model, const Request& request) {
  if (model.layers.empty()) return {};
  Request one = request;
  one.placement = spread(request.placement);
  return rules_of(request.engine.kind).kv_bytes_per_token(model, one);
}

CardMemory card_memory(const facts::Accelerator& card, std::uint32_t count) {
  facts::UsableMemory usable = facts::usable_memory(card);
  return {.name = card.name,
          .usable = usable.total,
          .basis = std::move(usable.basis),
          .vendor = card.vendor,
          .architecture = card.architecture,
          .compute_capability = card.compute_capability,
          .host_links_only = card.link.empty(),
          .count = count};
}

}  // namespace steelyard::memory

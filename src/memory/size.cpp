// Dispatch: the engine's rules fill the terms, the shared code judges them.
#include <fmt/format.h>

#include <cmath>

#include "memory/engines/engine.h"
#include "memory/typical_band.h"
#include "memory/verdict.h"

namespace steelyard::memory {
namespace {

// An engine whose pool is smaller than what is asked starts, and then refuses the request.
void heed_pool(const Request& request, Answer& answer) {
  const bool yes = answer.verdict == Verdict::fits || answer.verdict == Verdict::tight;
  if (!yes || !answer.capacity.max_context_tokens || !request.workload.context) return;
  const double room = std::floor(*answer.capacity.max_context_tokens);
  if (room <= 0 || room >= static_cast<double>(*request.workload.context)) return;
  answer.verdict = Verdict::does_not_fit;
  answer.reason = fmt::format(
      "the pool holds sequences of {} tokens at this concurrency, {} are asked",
      with_commas(static_cast<std::uint64_t>(room)), with_commas(*request.workload.context));
}

void warn_of_context(const model::Model& model, const Request& request, Answer& answer) {
  const bool llama = request.engine.kind == EngineKind::llama_cpp ||
                     request.engine.kind == EngineKind::ollama;  // says so itself
  const std::uint64_t asked = request.workload.context.value_or(0);
  if (llama || model.max_context == 0 || asked <= model.max_context) return;
  answer.warnings.push_back(fmt::format(
      "the model was made for {} tokens, {} are asked: {} refuses to start so",
      with_commas(model.max_context), with_commas(asked), rules_of(request.engine.kind).name));
}

}  // namespace

Result<Answer> size(const model::Model& model, const Request& request) {
  const EngineRules& rules = rules_of(request.engine.kind);
  auto answer = rules.size(model, request);
  if (!answer) return answer;
  if (answer->ranks.empty()) {
    return fail({.kind = ErrorKind::internal,
                 .what = "the rules of " + std::string(rules.name) + " named no rank"});
  }
  answer->engine = request.engine;
  answer->placement = request.placement;
  answer->card = request.card;
  widen_for_typical(model, *answer);
  judge(*answer);
  heed_pool(request, *answer);
  warn_of_context(model, request, *answer);
  // A model whose layers nobody could read needs more than what was counted: a "no" stands, a "yes"
  // would be a guess.
  if (!model.not_established.empty() && answer->card && answer->verdict != Verdict::does_not_fit) {
    answer->verdict = Verdict::not_established;
    answer->reason = "at least " + answer->reason.substr(answer->reason.find("needs ") + 6) +
                     "; the cache is not established: " + model.not_established;
  }
  answer->launch = rules.launch(model, request, *answer);
  return answer;
}

ByteFigure kv_bytes_per_token(const model::Model& model, const Request& request) {
  if (model.layers.empty()) return {};
  return rules_of(request.engine.kind).kv_bytes_per_token(model, request);
}

}  // namespace steelyard::memory

// Dispatch: the engine's rules fill the terms, the shared code judges them.
#include "memory/engines/engine.h"
#include "memory/verdict.h"

namespace steelyard::memory {

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
  judge(*answer);
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

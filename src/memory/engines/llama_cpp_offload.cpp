// What is chosen for llama.cpp where the user left it open: the length, and the layers that stay
// on the host.
#include <fmt/format.h>

#include "memory/asked.h"
#include "memory/engines/llama_cpp.h"
#include "memory/engines/llama_cpp_evaluate.h"
#include "memory/verdict.h"

namespace steelyard::memory::llama_cpp {

namespace {

// Whether so many layers fit on the cards with the room that a plain "fits" asks for.
bool layers_fit(const model::Model& model, Request request, std::uint64_t layers) {
  request.workload.gpu_layers = static_cast<std::int64_t>(layers);
  const Evaluator evaluator(model, request);
  const auto e = evaluator.evaluate(request.workload);
  if (!e) return false;
  const Bytes budget = request.card->usable.value - request.card->in_use;
  const double most = budget.as_double() * (1 - tight_room);
  for (std::uint32_t card = 0; card < evaluator.layout().cards; ++card) {
    if (evaluator.card_total(*e, card).as_double() > most) return false;
  }
  return true;
}

}  // namespace

DefaultContext default_context(const model::Model& model, const Request& request) {
  const Build build = build_of(request.engine.version);
  if (!build.context_from_model) return {build.default_context, "this build's default"};
  const std::uint64_t usual = usual_context(model);
  if (model.max_context <= usual) return {usual, ""};
  return {usual, fmt::format("without -c it takes the model's {}", with_commas(model.max_context))};
}

Request with_fitting_layers(const model::Model& model, Request request) {
  const Workload& w = request.workload;
  const bool open = w.offload == "cpu" && !w.gpu_layers && request.card && !model.layers.empty();
  if (!open || has_experts(model)) return request;
  const std::uint64_t all = model.layers.size() + 1;
  if (layers_fit(model, request, all)) return request;
  request.workload.gpu_layers = static_cast<std::int64_t>(largest_that(
      all - 1, [&](std::uint64_t n) { return n == 0 || layers_fit(model, request, n); }));
  return request;
}

}  // namespace steelyard::memory::llama_cpp

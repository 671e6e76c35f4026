#include <benchmark/benchmark.h>

#include "memory/memory.h"

namespace steelyard {
namespace {

// One (model, card, workload) evaluation of a 94-layer expert model.
void size_of_many_layers(benchmark::State& state, memory::EngineKind kind, std::uint32_t tp) {
  const auto model = model::catalogue_model("Qwen/Qwen3-235B-A22B");
  if (!model) return state.SkipWithError("the model is not in the catalogue");
  memory::Request request;
  request.engine.kind = kind;
  request.placement.tp = tp;
  request.card = memory::CardMemory{
      .name = "H200", .usable = ByteFigure::exact(gib(139.7 * 4 / tp)), .count = tp};
  for (auto _ : state) benchmark::DoNotOptimize(memory::size(*model, request));
}
BENCHMARK_CAPTURE(size_of_many_layers, vllm, memory::EngineKind::vllm, 4);
BENCHMARK_CAPTURE(size_of_many_layers, sglang, memory::EngineKind::sglang, 4);
BENCHMARK_CAPTURE(size_of_many_layers, llama_cpp, memory::EngineKind::llama_cpp, 1);
BENCHMARK_CAPTURE(size_of_many_layers, llama_cpp_4_cards, memory::EngineKind::llama_cpp, 4);

// A training run of the same model; with a card, the largest micro-batch and the longest sequence
// are sought too.
void training_of_many_layers(benchmark::State& state, bool search) {
  const auto model = model::catalogue_model("Qwen/Qwen3-235B-A22B");
  if (!model) return state.SkipWithError("the model is not in the catalogue");
  memory::Request request;
  request.training = memory::Training{.method = memory::TrainingMethod::full};
  request.placement.dp = 64;
  if (search) {
    request.card =
        memory::CardMemory{.name = "H200", .usable = ByteFigure::exact(gib(139.7)), .count = 64};
  }
  for (auto _ : state) benchmark::DoNotOptimize(memory::size(*model, request));
}
BENCHMARK_CAPTURE(training_of_many_layers, evaluation, false);
BENCHMARK_CAPTURE(training_of_many_layers, with_search, true);

}  // namespace
}  // namespace steelyard

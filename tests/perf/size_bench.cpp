#include <benchmark/benchmark.h>

#include "memory/memory.h"

namespace steelyard {
namespace {

// One (model, card, workload) evaluation of a 94-layer expert model over two engines.
void size_of_many_layers(benchmark::State& state, memory::EngineKind kind) {
  const auto model = model::catalogue_model("Qwen/Qwen3-235B-A22B");
  if (!model) return state.SkipWithError("the model is not in the catalogue");
  memory::Request request;
  request.engine.kind = kind;
  request.placement.tp = 4;
  request.card = memory::CardMemory{.name = "H200", .usable = ByteFigure::exact(gib(139.7))};
  for (auto _ : state) benchmark::DoNotOptimize(memory::size(*model, request));
}
BENCHMARK_CAPTURE(size_of_many_layers, vllm, memory::EngineKind::vllm);
BENCHMARK_CAPTURE(size_of_many_layers, sglang, memory::EngineKind::sglang);

}  // namespace
}  // namespace steelyard

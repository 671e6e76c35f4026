// How long the header readers take on headers of realistic size. Made by tests/tools/make_headers:
// set STEELYARD_BENCH_HEADERS to a folder with model.gguf and moe/ in it; without it they are
// written once into the system's temporary folder.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "model/model.h"
#include "model/safetensors_header.h"

namespace {

std::string headers_folder() {
  static const std::string folder = [] {
    if (const char* given = std::getenv("STEELYARD_BENCH_HEADERS")) return std::string(given);
    const auto made = std::filesystem::temp_directory_path() / "steelyard-bench-headers";
    std::filesystem::create_directories(made);
    const std::string path = made.string();
    const std::string tool = std::string(STEELYARD_SOURCE_DIR) + "/tests/tools/make_headers ";
    if (!std::filesystem::exists(made / "model.gguf") &&
        std::system((tool + "gguf " + path + "/model.gguf").c_str()) != 0) {
      std::abort();
    }
    if (!std::filesystem::exists(made / "moe") &&
        std::system((tool + "safetensors " + path + "/moe").c_str()) != 0) {
      std::abort();
    }
    return path;
  }();
  return folder;
}

void read_gguf_model(benchmark::State& state) {
  const std::string path = headers_folder() + "/model.gguf";
  const auto files = steelyard::os::real_files();
  for (auto _ : state) {
    auto model = steelyard::model::read_gguf(*files, path);
    if (!model) state.SkipWithError(model.error().what.c_str());
    benchmark::DoNotOptimize(model);
  }
}
BENCHMARK(read_gguf_model)->Unit(benchmark::kMillisecond);

// 60 shards, some 58,000 tensors: the JSON alone, then the whole model.
void parse_safetensors_headers(benchmark::State& state) {
  const std::string folder = headers_folder() + "/moe";
  const auto files = steelyard::os::real_files();
  std::size_t tensors = 0;
  for (auto _ : state) {
    tensors = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".safetensors") continue;
      steelyard::model::SafetensorsHeader header;
      const auto read =
          steelyard::model::read_safetensors_header(*files, entry.path().string(), header);
      if (!read) state.SkipWithError(read.error().what.c_str());
      tensors += header.tensors.size();
    }
  }
  state.counters["tensors"] = static_cast<double>(tensors);
}
BENCHMARK(parse_safetensors_headers)->Unit(benchmark::kMillisecond);

void read_safetensors_folder(benchmark::State& state) {
  const std::string folder = headers_folder() + "/moe";
  const auto files = steelyard::os::real_files();
  for (auto _ : state) {
    auto model = steelyard::model::read_safetensors(*files, folder);
    if (!model) state.SkipWithError(model.error().what.c_str());
    benchmark::DoNotOptimize(model);
  }
}
BENCHMARK(read_safetensors_folder)->Unit(benchmark::kMillisecond);

}  // namespace

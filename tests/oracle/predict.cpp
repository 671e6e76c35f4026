// Steelyard's side of the oracle, one question per line of stdin, fields parted by tabs:
//   buffers FILE CONTEXT SEQUENCES FLASH KEYS VALUES MICRO_BATCH   -> cache, state, compute, output
//   header FILE KEY...                                            -> metadata and tensor table
// One JSON line each. Everything lies on the processor, as in the library that is asked.
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "memory/memory.h"
#include "model/gguf_header.h"
#include "model/model.h"

namespace {

using namespace steelyard;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

Json sum_of(const memory::Answer& answer, std::string_view kind) {
  std::uint64_t bytes = 0;
  for (const auto& b : answer.buffers) {
    if (b.kind == kind) bytes += b.bytes.value.value();
  }
  return bytes;
}

Json buffers(const model::Model& model, const Words& words) {
  memory::Request request;
  request.engine.kind = memory::EngineKind::llama_cpp;
  auto& w = request.workload;
  w.gpu_layers = 0;
  w.ctx_size = std::stoull(words[2]);
  w.concurrency = std::stoull(words[3]);
  w.flash_attention = words[4] == "on" ? memory::Toggle::on : memory::Toggle::off;
  w.kv_k = words[5];
  w.kv_v = words[6];
  w.ubatch = std::stoull(words[7]);
  w.all_logits = true;  // the library's default; its server asks for one token per slot
  const auto answer = memory::size(model, request);
  if (!answer) return {{"error", answer.error().what}};
  return {{"kv", sum_of(*answer, "kv")},
          {"state", sum_of(*answer, "recurrent")},
          {"compute", sum_of(*answer, "compute")},
          {"output", sum_of(*answer, "output")},
          {"refusal", answer->refusal}};
}

Json value_of(const model::GgufMetadata& metadata, const std::string& key) {
  if (!metadata.has(key)) return nullptr;
  if (const auto* list = metadata.array(key)) return *list;
  if (const auto length = metadata.length(key)) return {{"length", *length}};
  if (const std::string text = metadata.text(key); !text.empty()) return text;
  if (const auto number = metadata.number(key)) return *number;
  return {{"kept", true}};  // a fraction or a negative number: not asked for by whole numbers
}

Json header(os::Files& files, const Words& words) {
  const auto read = model::read_gguf_header(files, words[1]);
  if (!read) return {{"error", read.error().what}};
  Json out{{"version", read->version}, {"data_start", read->data_start}};
  for (std::size_t i = 2; i < words.size(); ++i) {
    out["metadata"][words[i]] = value_of(read->metadata, words[i]);
  }
  for (const auto& t : read->tensors) {
    const std::vector<std::uint64_t> shape(t.extent.begin(), t.extent.begin() + t.dimensions);
    out["tensors"].push_back({t.name, shape, t.format.name, t.offset});
  }
  return out;
}

}  // namespace

int main() {
  const auto files = os::real_files();
  std::string line, open;
  Result<model::Model> model = model::Model{};
  while (std::getline(std::cin, line)) {
    Words words;
    for (const std::string_view word : split(line, '\t')) words.emplace_back(word);
    if (words.size() == 8 && words[0] == "buffers") {
      if (open != words[1]) model = model::read_gguf(*files, words[1]);
      open = words[1];
      std::cout << (model ? buffers(*model, words) : Json{{"error", model.error().what}}) << "\n";
    } else if (words.size() >= 2 && words[0] == "header") {
      std::cout << header(*files, words) << "\n";
    } else {
      std::cerr << "not understood: " << line << "\n";
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}

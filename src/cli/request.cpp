// Reads the workload, placement and engine options.
#include "cli/request.h"

#include <fmt/format.h>

#include <charconv>
#include <numeric>

namespace steelyard::cli {
namespace {

using memory::EngineKind;

// Reads an option into an optional count when it was given.
Status read_count(const Arguments& arguments, std::string_view name,
                  std::optional<std::uint64_t>& target) {
  if (!arguments.has(name)) return {};
  auto parsed = parse_tokens(arguments.value(name), name);
  if (!parsed) return std::unexpected(parsed.error());
  target = *parsed;
  return {};
}

// Parallel degrees are small; `auto` reads as 0.
Status read_degree(const Arguments& arguments, std::string_view name, std::uint32_t& target) {
  if (!arguments.has(name)) return {};
  const std::string text = lower(arguments.value(name));
  if (text == "auto") {
    target = 0;
    return {};
  }
  auto parsed = parse_tokens(text, name);
  if (!parsed) return std::unexpected(parsed.error());
  if (*parsed > 65536) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("{} {} is more cards than any placement has", name, *parsed),
                 .field = std::string(name),
                 .try_this = "up to 65536 are read"});
  }
  target = static_cast<std::uint32_t>(*parsed);
  return {};
}

Status read_images(const Arguments& arguments, memory::Workload& workload) {
  if (!arguments.has("--images")) return {};
  const std::string text = fold_width(arguments.value("--images"));
  const std::size_t at = text.find('@');
  if (text == "0") {
    workload.images = 0;
    return {};
  }
  auto count = parse_tokens(text.substr(0, at), "--images");
  if (!count) return std::unexpected(count.error());
  workload.images = *count;
  if (at == std::string::npos) return {};
  const std::string size = lower(text.substr(at + 1));
  const std::size_t x = size.find('x');
  auto width = parse_tokens(size.substr(0, x), "--images");
  auto height = parse_tokens(x == std::string::npos ? "" : size.substr(x + 1), "--images");
  if (!width || !height || *width > 65536 || *height > 65536) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("'{}' is not an image size", text.substr(at + 1)),
                 .field = "--images",
                 .try_this = "write the count and the size in pixels, as in --images 2@1280x720"});
  }
  workload.image_width = *width;
  workload.image_height = *height;
  return {};
}

Status read_workload(const Arguments& arguments, memory::Workload& workload) {
  const std::pair<std::string_view, std::optional<std::uint64_t>*> counts[] = {
      {"--context", &workload.context},
      {"--ctx-size", &workload.ctx_size},
      {"--concurrency", &workload.concurrency},
      {"--input", &workload.input},
      {"--output", &workload.output},
      {"--max-batched-tokens", &workload.max_batched_tokens},
      {"--max-num-seqs", &workload.max_num_seqs},
      {"--ubatch", &workload.ubatch}};
  for (const auto& [name, target] : counts) {
    if (auto read = read_count(arguments, name, *target); !read) return read;
  }
  std::optional<std::uint64_t> adapters, rank, mtp;
  const std::pair<std::string_view, std::optional<std::uint64_t>*> plain[] = {
      {"--adapters", &adapters}, {"--rank", &rank}, {"--mtp", &mtp}};
  for (const auto& [name, target] : plain) {
    if (auto read = read_count(arguments, name, *target); !read) return read;
  }
  workload.adapters = adapters.value_or(0);
  workload.adapter_rank = rank.value_or(workload.adapters > 0 ? 16 : 0);
  workload.mtp = mtp.value_or(0);
  if (arguments.has("--kv")) {
    const std::string kv = lower(arguments.value("--kv"));
    const std::size_t comma = kv.find(',');
    workload.kv_k = std::string(trim(kv.substr(0, comma)));
    workload.kv_v =
        comma == std::string::npos ? workload.kv_k : std::string(trim(kv.substr(comma + 1)));
    if (workload.kv_k.empty() || workload.kv_v.empty()) {
      return fail({.kind = ErrorKind::usage,
                   .what = fmt::format("--kv '{}' names no format", kv),
                   .field = "--kv",
                   .try_this = "write one format for both, or K,V as in --kv q8_0,q4_0"});
    }
  }
  if (arguments.has("--memory-utilization")) {
    auto parsed = parse_fraction(arguments.value("--memory-utilization"), "--memory-utilization");
    if (!parsed) return std::unexpected(parsed.error());
    workload.memory_utilization = *parsed;
  }
  if (arguments.has("--flash-attention")) {
    workload.flash_attention =
        arguments.value("--flash-attention") == "on" ? memory::Toggle::on : memory::Toggle::off;
  }
  if (arguments.has("--cuda-graphs")) {
    workload.cuda_graphs =
        arguments.value("--cuda-graphs") == "on" ? memory::Toggle::on : memory::Toggle::off;
  }
  if (const auto type = facts::find_format(arguments.value("--dtype"))) workload.dtype = type->name;
  if (arguments.has("--gpu-layers")) {
    const std::string text = arguments.value("--gpu-layers");
    std::int64_t layers = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), layers);
    if (code != std::errc{} || end != text.data() + text.size() || layers < -1) {
      return fail({.kind = ErrorKind::usage,
                   .what = fmt::format("'{}' is not a number of layers", text),
                   .field = "--gpu-layers",
                   .try_this = "write a whole number; -1 or 999 means all"});
    }
    if (layers >= 0) workload.gpu_layers = layers;
  }
  workload.offload = lower(arguments.value("--offload"));
  return read_images(arguments, workload);
}

bool splits_by_layer(EngineKind kind) {
  return kind == EngineKind::llama_cpp || kind == EngineKind::ollama ||
         kind == EngineKind::transformers;
}

std::uint32_t query_heads(const model::Model& model) {
  std::uint32_t heads = 0;
  for (const model::Layer& layer : model.layers) {
    if (layer.attention.query_heads > 0) heads = std::gcd(heads, layer.attention.query_heads);
  }
  return heads;
}

}  // namespace

Result<memory::Engine> engine_of(const Arguments& arguments, const model::Model& model,
                                 const memory::CardMemory* card) {
  if (arguments.has("--engine")) return memory::parse_engine(arguments.value("--engine"));
  // GGUF, read or asked for, is llama.cpp's own.
  const bool gguf = model.reading == model::Reading::gguf || model.quantisation.method == "gguf";
  const bool mac = card != nullptr && card->vendor == "Apple";
  return memory::Engine{.kind = gguf || mac ? EngineKind::llama_cpp : EngineKind::vllm};
}

Status read_placement(const Arguments& arguments, memory::Placement& place) {
  const std::pair<std::string_view, std::uint32_t*> degrees[] = {
      {"--tp", &place.tp},   {"--pp", &place.pp},      {"--dp", &place.dp},
      {"--ep", &place.ep},   {"--cp", &place.cp},      {"--attention-dp", &place.attention_dp},
      {"--dcp", &place.dcp}, {"--nodes", &place.nodes}};
  for (const auto& [name, target] : degrees) {
    if (auto read = read_degree(arguments, name, *target); !read) return read;
  }
  return {};
}

Result<memory::Request> read_request(const Arguments& arguments, const model::Model& model,
                                     std::uint32_t cards, const memory::CardMemory* card) {
  memory::Request request;
  auto engine = engine_of(arguments, model, card);
  if (!engine) return std::unexpected(engine.error());
  request.engine = *engine;
  if (auto read = read_workload(arguments, request.workload); !read) {
    return std::unexpected(read.error());
  }
  memory::Placement& place = request.placement;
  if (auto read = read_placement(arguments, place); !read) return std::unexpected(read.error());
  for (std::uint32_t* fixed :
       {&place.dp, &place.attention_dp, &place.dcp, &place.cp, &place.nodes}) {
    if (*fixed == 0) *fixed = 1;  // auto: no reason to use more than one
  }
  const bool tp_open = !arguments.has("--tp") || place.tp == 0;
  const bool pp_open = !arguments.has("--pp") || place.pp == 0;
  if (place.tp == 0) place.tp = 1;
  if (place.pp == 0) place.pp = 1;
  // Several cards and no word on how: tensor parallel as far as the heads divide, stages for the
  // rest. llama.cpp splits by layers on its own.
  const std::uint32_t free_cards =
      cards / (place.dp * place.cp * (tp_open ? 1 : place.tp) * (pp_open ? 1 : place.pp));
  if (splits_by_layer(request.engine.kind)) {
    if (tp_open && pp_open && free_cards > 1) place.pp = free_cards;
  } else if (free_cards > 1) {
    if (tp_open) place.tp = std::gcd(free_cards, query_heads(model));
    if (place.tp == 0) place.tp = 1;
    if (pp_open && tp_open) place.pp = free_cards / place.tp;
    if (pp_open && !tp_open) place.pp = free_cards;
  }
  if (place.ep == 0) place.ep = place.tp;
  return request;
}

}  // namespace steelyard::cli

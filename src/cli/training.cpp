#include "cli/training.h"

#include <fmt/format.h>

#include <array>

#include "cli/request.h"

namespace steelyard::cli {
namespace {

using memory::Training;
using memory::TrainingMethod;

// What serving has no use for; --rank is that of served adapters too.
constexpr auto training_only = std::to_array<std::string_view>(
    {"--framework", "--seq-len", "--micro-batch", "--grad-accum", "--optimizer", "--precision",
     "--zero", "--optimizer-offload", "--recompute", "--targets", "--loss", "--padding-free",
     "--kernels"});

// Reads a word by its table into an optional choice when it was given.
template <typename T>
Status read_choice(const Arguments& arguments, std::string_view name,
                   Result<T> (*parse)(std::string_view), std::optional<T>& target) {
  if (!arguments.has(name)) return {};
  auto parsed = parse(arguments.value(name));
  if (!parsed) return std::unexpected(parsed.error());
  target = *parsed;
  return {};
}

Status read_number(const Arguments& arguments, std::string_view name, std::uint64_t& target) {
  if (!arguments.has(name)) return {};
  auto parsed = parse_tokens(arguments.value(name), name);
  if (!parsed) return std::unexpected(parsed.error());
  target = *parsed;
  return {};
}

Status read_counts(const Arguments& arguments, Training& run) {
  std::uint64_t length = 0, rank = run.rank, zero = 0;
  // --context is what the sequence is called everywhere else.
  for (const std::string_view name : {"--context", "--seq-len"}) {
    if (auto read = read_number(arguments, name, length); !read) return read;
    if (arguments.has(name)) run.seq_len = length;
  }
  const std::pair<std::string_view, std::uint64_t*> counts[] = {{"--micro-batch", &run.micro_batch},
                                                                {"--grad-accum", &run.grad_accum},
                                                                {"--rank", &rank},
                                                                {"--zero", &zero}};
  for (const auto& [name, target] : counts) {
    if (auto read = read_number(arguments, name, *target); !read) return read;
  }
  run.rank = static_cast<std::uint32_t>(std::min<std::uint64_t>(rank, 1U << 30));
  if (arguments.has("--zero")) {
    run.zero = static_cast<std::uint32_t>(std::min<std::uint64_t>(zero, 1U << 30));
  }
  return {};
}

Status read_offloads(const Arguments& arguments, Training& run) {
  const std::pair<std::string_view, memory::OffloadTo*> places[] = {
      {"--optimizer-offload", &run.optimizer_offload}, {"--offload", &run.parameter_offload}};
  for (const auto& [name, target] : places) {
    if (!arguments.has(name)) continue;
    auto parsed = memory::parse_offload(arguments.value(name), name);
    if (!parsed) return std::unexpected(parsed.error());
    *target = *parsed;
  }
  return {};
}

Status read_run(const Arguments& arguments, Training& run) {
  Status read = read_choice(arguments, "--framework", memory::parse_framework, run.framework);
  if (read) read = read_choice(arguments, "--optimizer", memory::parse_optimizer, run.optimizer);
  if (read) {
    read = read_choice(arguments, "--precision", memory::parse_training_precision, run.precision);
  }
  if (read) read = read_choice(arguments, "--recompute", memory::parse_recompute, run.recompute);
  if (read) read = read_choice(arguments, "--loss", memory::parse_loss, run.loss);
  if (read) read = read_counts(arguments, run);
  if (read) read = read_offloads(arguments, run);
  if (!read) return read;
  if (arguments.has("--targets")) run.targets = arguments.value("--targets");
  if (arguments.has("--kernels")) run.fused_kernels = arguments.value("--kernels") == "fused";
  if (arguments.has("--flash-attention")) {
    run.flash_attention = arguments.value("--flash-attention") == "on";
  }
  run.padding_free = arguments.has("--padding-free");
  return {};
}

}  // namespace

Result<std::optional<TrainingMethod>> training_method(const Arguments& arguments) {
  const std::string mode = lower(arguments.value("--mode"));
  for (const TrainingMethod method : {TrainingMethod::full, TrainingMethod::pretrain,
                                      TrainingMethod::lora, TrainingMethod::qlora}) {
    if (mode == word_of(method)) return method;
  }
  for (const std::string_view option : training_only) {
    if (!arguments.has(option)) continue;
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("{} is said of training, and --mode is to serve", option),
                 .field = std::string(option),
                 .try_this = "add --mode full, lora, qlora or pretrain"});
  }
  return std::nullopt;
}

Result<memory::Request> read_training_request(const Arguments& arguments, TrainingMethod method) {
  memory::Request request;
  Training& run = request.training.emplace();
  run.method = method;
  if (auto read = read_run(arguments, run); !read) return std::unexpected(read.error());
  memory::Placement& place = request.placement;
  if (auto read = read_placement(arguments, place); !read) return std::unexpected(read.error());
  // `auto`: data parallel over all cards, which frameworks do unless told otherwise.
  for (std::uint32_t* size :
       {&place.tp, &place.pp, &place.dp, &place.ep, &place.cp, &place.nodes}) {
    if (*size == 0) *size = 1;
  }
  return request;
}

}  // namespace steelyard::cli

#include "cli/output.h"

#include <fmt/format.h>

namespace steelyard::cli {
namespace {

Result<std::string> format_of(const std::string& path) {
  if (path == "-") return "text";
  const std::size_t dot = path.rfind('.');
  const std::string ending = dot == std::string::npos ? "" : lower(path.substr(dot));
  if (ending == ".json") return "json";
  if (ending == ".csv") return "csv";
  if (ending == ".md") return "markdown";
  if (ending == ".txt") return "text";
  const bool html = ending == ".html" || ending == ".htm";
  return fail(
      {.kind = html ? ErrorKind::unsupported : ErrorKind::usage,
       .what = html ? "the HTML report is later work" : fmt::format("'{}' names no format", path),
       .field = "-o",
       .try_this = "end the name in .json, .csv, .md or .txt"});
}

// Whether writing to `path` would destroy what the command reads.
bool is_input(const std::string& path, const Arguments& arguments, World& world) {
  std::vector<std::string> inputs = arguments.positionals;
  for (const std::string_view option : {"--draft", "--offers", "--data", "--against"}) {
    const auto given = arguments.all(option);
    inputs.insert(inputs.end(), given.begin(), given.end());
  }
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const bool of_a_model = name == "config.json" || name.ends_with(".index.json");
  for (const std::string& input : inputs) {
    if (world.files.same(path, input)) return true;
    if (of_a_model && world.files.same(path, input + "/" + name)) return true;
  }
  return false;
}

}  // namespace

Result<Outputs> Outputs::open(const Arguments& arguments, World& world) {
  Outputs outputs;
  outputs.json_ = arguments.has("--json");
  for (const std::string& path : arguments.all("-o")) {
    auto format = format_of(path);
    if (!format) return std::unexpected(format.error());
    if (path == "-") continue;  // standard output gets the answer anyway
    if (is_input(path, arguments, world)) {
      return fail({.kind = ErrorKind::usage,
                   .what = fmt::format("'{}' is what the command reads: it stays as it is", path),
                   .field = "-o",
                   .try_this = "name another file"});
    }
    if (world.files.kind(path) == os::EntryKind::missing) {
      if (auto created = world.files.write(path, ""); !created) {
        return std::unexpected(created.error());
      }
    }
    outputs.targets_.push_back({path, *format});
  }
  return outputs;
}

int Outputs::write(const Rendering& rendering, int code, World& world) const {
  for (const Target& target : targets_) {
    const std::string content = target.format == "json"       ? rendering.json()
                                : target.format == "csv"      ? rendering.csv()
                                : target.format == "markdown" ? rendering.markdown()
                                                              : rendering.text();
    if (auto written = world.files.write(target.path, content); !written) {
      code = refuse(written.error(), world);
    }
  }
  if (!world.out(json_ ? rendering.json() : rendering.text())) {
    code = refuse_output("standard output", world);
  }
  return code;
}

int refuse(const Error& error, World& world) {
  world.err(fmt::format("steelyard: {}\n", describe(error)));
  return exit_could_not_answer;
}

int refuse_output(const std::string& path, World& world) {
  return refuse({.kind = ErrorKind::io,
                 .what = fmt::format("the answer could not be written to {}", path),
                 .try_this = "check the space on the disk and who reads the pipe"},
                world);
}

bool use_color(const Arguments& arguments, const World& world) {
  const std::string when = lower(arguments.value("--color"));
  if (when == "always") return true;
  if (when == "never") return false;
  return world.out_is_terminal && world.environment("NO_COLOR").value_or("").empty() &&
         world.environment("TERM").value_or("") != "dumb";
}

std::string metrics_text() {
  return R"(TTFT     time to first token: request sent -> first output token of any channel
TPOT     time per output token after the first: (E2E - TTFT) / (output tokens - 1)
ITL      inter-token latency: the gaps between tokens as they arrive, one sample per gap
E2E      end-to-end latency: request sent -> last token
goodput  requests per second that met every objective
prefill  the pass over the input tokens; decode: one step per output token
KV cache keys and values kept per past token: 2 x kv_heads x head_dim x bytes, per layer
tp pp dp ep cp   tensor, pipeline, data, expert, context parallel
MFU      model FLOP per second over the card's dense peak
bus bandwidth    algorithm bandwidth x 2(n-1)/n for all-reduce, as nccl-tests defines it
dense, sparse    a rate without, or with 2:4 structured sparsity (twice the dense figure)
)";
}

}  // namespace steelyard::cli

// Bytes into lines, lines to the reader of their engine; never more than one line is kept.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "logs/starts.h"

namespace steelyard::logs {
namespace {

// Longer lines are arguments with a chat template in them; what is read stands at their front.
constexpr std::size_t most_line = 65536;

struct Mark {
  std::string_view words;
  Program program;
};
// Words that only one engine prints.
constexpr auto marks = std::to_array<Mark>({
    {"vLLM API server version", Program::vllm},
    {"LLM engine (v", Program::vllm},
    {"Available KV cache memory:", Program::vllm},
    {"GPU KV cache size:", Program::vllm},
    {"Estimated CUDA graph memory:", Program::vllm},
    {"Free memory on device ", Program::vllm},
    {"# GPU blocks:", Program::vllm},
    {"# CUDA blocks:", Program::vllm},
    {"# cuda blocks:", Program::vllm},
    {"the current vLLM instance", Program::vllm},
    {"the rest of the memory reserved for KV Cache", Program::vllm},
    {"Loading model weights took", Program::vllm},
    {"Model loading took", Program::vllm},
    {"Maximum concurrency for", Program::vllm},
    {"is less than desired GPU memory utilization", Program::vllm},
    {"server_args=ServerArgs(", Program::sglang},
    {"Load weight begin. avail mem", Program::sglang},
    {"Load weight end.", Program::sglang},
    {"KV Cache is allocated", Program::sglang},
    {"Mamba Cache is allocated", Program::sglang},
    {"Memory pool end. avail mem", Program::sglang},
    {"max_total_num_tokens=", Program::sglang},
    {"llama_model_loader:", Program::llama_cpp},
    {"llm_load_tensors:", Program::llama_cpp},
    {"load_tensors:", Program::llama_cpp},
    {"llama_kv_cache", Program::llama_cpp},
    {"llama_memory_recurrent:", Program::llama_cpp},
    {"llama_context:", Program::llama_cpp},
    {"llama_new_context_with_model:", Program::llama_cpp},
    {" KV buffer size =", Program::llama_cpp},
    {" compute buffer size =", Program::llama_cpp},
    {" model buffer size =", Program::llama_cpp},
    {"ollama runner", Program::ollama},
    {"msg=\"starting runner\"", Program::ollama},
    {"msg=\"starting llama server\"", Program::ollama},
    {"msg=\"starting ollama engine\"", Program::ollama},
});

std::optional<Program> mark_of(const Line& line) {
  const bool listens = line.has("Listening on ") && line.has("(version ") && line.has("level=");
  if (listens) return Program::ollama;
  const auto found =
      std::ranges::find_if(marks, [&](const Mark& mark) { return line.has(mark.words); });
  return found == marks.end() ? std::nullopt : std::optional(found->program);
}

// Lines that say something before the first mark does: which build it is, how it was started.
bool may_be_of_a_start(const Line& line) {
  constexpr auto words = std::to_array<std::string_view>(
      {"build: ", "build = ", "build_info: ", "using device ", "vllm serve ", "vllm.entrypoints.",
       "sglang.launch_server", "sglang serve ", "non-default args:", "args: Namespace("});
  return std::ranges::any_of(words, [&](std::string_view part) { return line.has(part); });
}

// Of the lines behind a start, which are most of a long log, only these can open another.
bool may_open(const Line& line) {
  constexpr auto words = std::to_array<std::string_view>(
      {"vLLM API server version", "LLM engine (v", "non-default args:", "server_args=",
       "loaded meta data with ", "build: ", "build = ", "build_info: ", "msg=\"starting"});
  return std::ranges::any_of(words, [&](std::string_view part) { return line.has(part); });
}

bool same_family(Program a, Program b) {
  const auto ggml = [](Program p) { return p == Program::llama_cpp || p == Program::ollama; };
  return a == b || (ggml(a) && ggml(b));
}

constexpr std::string_view what_to_give =
    "give what vLLM, SGLang, llama.cpp or Ollama print from their first line until they serve, as "
    "in `docker logs NAME > start.log` or `journalctl -u ollama > start.log`";

}  // namespace

struct Reader::State {
  std::optional<Program> only;
  std::optional<Program> program;
  std::uint64_t program_line = 0;
  std::string other_words;  // the first line of another engine
  std::optional<Program> other;
  std::uint64_t other_line = 0;
  std::optional<Starts> starts;
  LlamaReader llama;
  std::vector<std::pair<std::string, std::uint64_t>> before;  // the first mark, a few lines
  std::string rest;                                           // of a line that is not yet complete
  std::uint64_t number = 0, bytes = 0;
  bool wide = false;  // UTF-16, as PowerShell redirects
  bool cut = false;

  Status take(std::string_view bytes);
  Status line(std::string_view raw);
  Status dispatch(const Line& one);
  Status to_reader(const Line& one);
  bool ours(const Line& one);
};

Reader::Reader(std::optional<Program> only) : state_(std::make_unique<State>()) {
  state_->only = only;
}
Reader::Reader(Reader&&) noexcept = default;
Reader::~Reader() = default;

// Whether the line's engine is the one that is read; settles which that is.
bool Reader::State::ours(const Line& one) {
  const auto mark = mark_of(one);
  if (!mark) return program.has_value();
  const bool wanted = !only || same_family(*only, *mark);
  if (wanted && !program) {
    program = *mark;
    program_line = one.number;
    starts.emplace(*mark);
  }
  if (wanted && same_family(*program, *mark)) {
    // Ollama's own words around llama.cpp's lines.
    if (*mark == Program::ollama) program = starts->now().program = Program::ollama;
    return true;
  }
  if (!other) {
    other = *mark;
    other_line = one.number;
    other_words = quoted(one.text, 0, 60);
  }
  return false;
}

Status Reader::State::dispatch(const Line& one) {
  const bool known = program.has_value();
  if (known && starts->is_ready() && !may_open(one)) return {};
  if (!ours(one)) {
    constexpr std::size_t most = 16;
    if (!program && before.size() < most && may_be_of_a_start(one)) {
      before.emplace_back(one.text.substr(0, 4096), one.number);
    }
    return {};
  }
  if (!known) {
    for (const auto& [text, at] : before) {
      if (auto read = to_reader({.text = text, .number = at}); !read) return read;
    }
    before.clear();
  }
  return to_reader(one);
}

Status Reader::State::to_reader(const Line& one) {
  switch (*program) {
    case Program::vllm:
      return read_vllm(one, *starts);
    case Program::sglang:
      return read_sglang(one, *starts);
    case Program::llama_cpp:
    case Program::ollama:
      return llama.read(one, *starts);
  }
  return {};
}

Status Reader::State::line(std::string_view raw) {
  ++number;
  if (number == 1 && raw.starts_with("\xEF\xBB\xBF")) raw.remove_prefix(3);
  if (raw.find('\0') != std::string_view::npos) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = "it is no text: a byte 0 stands in it",
                 .field = fmt::format("line {}", number),
                 .try_this = std::string(what_to_give)});
  }
  // Progress bars write over their line: each piece is a line of its own.
  for (const std::string_view piece : split(raw, '\r')) {
    if (trim(piece).empty()) continue;
    const std::string text = cleaned(piece);
    // A request that is logged may quote anything.
    if (text.find("Received request") != std::string::npos) continue;
    if (auto read = dispatch({.text = text, .number = number}); !read) return read;
  }
  return {};
}

Status Reader::State::take(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    const std::size_t free = most_line - std::min(most_line, rest.size());
    rest += part.substr(0, free);
    if (end == std::string_view::npos) return {};
    auto read = line(rest);
    rest.clear();
    if (!read) return read;
    piece.remove_prefix(end + 1);
  }
  return {};
}

Status Reader::feed(std::string_view bytes) {
  State& s = *state_;
  // The mark of UTF-16 may come in two pieces: what is no such mark is taken after all.
  while (s.bytes < 2 && !bytes.empty() && bytes.front() == "\xFF\xFE"[s.bytes]) {
    bytes.remove_prefix(1);
    if (++s.bytes == 2) s.wide = true;
  }
  if (bytes.empty()) return {};
  if (s.bytes == 1) s.rest = "\xFF";
  s.bytes += std::max<std::uint64_t>(2, bytes.size());
  if (!s.wide) return s.take(bytes);
  std::string narrow;
  for (const char c : bytes) {
    if (c != '\0') narrow += c;
  }
  return s.take(narrow);
}

Result<StartupLog> Reader::finish() {
  State& s = *state_;
  if (s.bytes == 0) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = "the log is empty",
                 .try_this = std::string(what_to_give)});
  }
  if (!s.rest.empty()) {
    auto read = s.line(s.rest);
    s.rest.clear();
    if (!read) return std::unexpected(read.error());
  }
  if (!s.program) {
    if (s.other) {
      return fail({.kind = ErrorKind::usage,
                   .what = fmt::format("the log is of {} (line {}: \"{}\"), not of {}",
                                       program_name(*s.other), s.other_line, s.other_words,
                                       program_name(*s.only)),
                   .field = "--engine",
                   .try_this = "leave --engine out: the log says which engine wrote it"});
    }
    return fail({.kind = ErrorKind::bad_input,
                 .what = "no line of an engine's start is in it",
                 .try_this = std::string(what_to_give)});
  }
  if (s.other && !s.only) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = fmt::format("lines of two engines are in it: {} (line {}) and {} (line "
                                     "{}: \"{}\")",
                                     program_name(*s.program), s.program_line,
                                     program_name(*s.other), s.other_line, s.other_words),
                 .try_this = fmt::format("say which one is meant, as in --engine {}",
                                         program_name(*s.program))});
  }
  if (s.only && *s.only != *s.program) {
    return fail(
        {.kind = ErrorKind::usage,
         .what = fmt::format("the log is of {} (line {}), not of {}", program_name(*s.program),
                             s.program_line, program_name(*s.only)),
         .field = "--engine",
         .try_this = "leave --engine out: the log says which engine wrote it"});
  }
  if (!s.starts->is_ready()) s.llama.settle(*s.starts);
  StartupLog log = s.starts->finish();
  log.program = *s.program;
  return log;
}

Result<StartupLog> read_log(std::string_view text, std::optional<Program> only) {
  Reader reader(only);
  if (auto read = reader.feed(text); !read) return std::unexpected(read.error());
  return reader.finish();
}

}  // namespace steelyard::logs

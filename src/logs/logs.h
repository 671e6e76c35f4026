// Front header: what an inference engine said about its memory when it started.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"

namespace steelyard::logs {

// Ollama's server log holds llama.cpp's lines.
enum class Program { vllm, sglang, llama_cpp, ollama };
std::string_view program_name(Program program);

// What an amount of memory is of. The last five are llama.cpp's buffers, the others one rank's.
enum class Term {
  weights,
  activations,
  non_torch,  // the driver's context, NCCL, workspaces
  kv_pool,
  states,  // recurrent states beside the pool
  graphs,
  graphs_estimate,  // what vLLM sets aside for them before it captures
  budget,
  card_total,
  card_free,  // before the weights are loaded
  card_left,  // SGLang: behind its pool
  model_buffer,
  kv_buffer,
  recurrent_buffer,
  compute_buffer,
  output_buffer
};

enum class Counted {
  pool_tokens,
  gpu_blocks,
  concurrency,
  concurrency_length,  // tokens per request that the concurrency is said for
  state_slots,
  cells,  // of llama.cpp's cache
  pools   // SGLang's, done
};

// What the engine was told, or chose.
enum class Setting {
  model,
  dtype,
  quantization,
  context,
  total_context,  // llama.cpp's -c, shared by its slots
  slots,
  slot_context,  // what one slot has of it
  unified,       // its slots share one cache
  kv_format,
  kv_keys,
  kv_values,
  utilization,
  batched_tokens,
  sequences,
  tp,
  pp,
  dp,
  ep,
  dcp,
  attention_dp,
  expert_parallel,
  eager,
  block_size,
  fixed_pool,    // the pool was given in bytes or blocks, not left over
  draft_tokens,  // of the model's own MTP layers, per step
  speculative,   // a draft model or draft layers
  host_offload,  // part of the weights in host memory
  flash_attention,
  micro_batch,
  layers_on_cards,  // "25/37"
  device            // the card's name
};
std::string_view setting_words(Setting setting);

struct Amount {
  Term term = Term::weights;
  std::string where;  // rank or device as the log names it: "TP0", "CUDA0"; empty: no name
  Bytes bytes;
  Bytes rounding;  // half of the last digit printed
  std::uint64_t line = 0;
  std::string words;  // the part of the line that was read
};

struct Count {
  Counted what = Counted::pool_tokens;
  std::string where;
  double value = 0;
  double rounding = 0;
  std::uint64_t line = 0;
  std::string words;
};

struct Option {
  Setting setting = Setting::model;
  std::string value;
  std::uint64_t line = 0;
};

struct Remark {
  std::uint64_t line = 0;
  std::string words;
};

// One start. `complete`: it came as far as the KV pool.
struct StartupLog {
  Program program = Program::vllm;
  bool v0 = false;  // vLLM's first engine
  std::string version;
  std::uint64_t version_line = 0, first_line = 0;
  std::vector<Amount> amounts;
  std::vector<Count> counts;
  std::vector<Option> options;
  std::vector<Remark> failures;  // lines that say why it did not start
  std::vector<Remark> notes;     // lines that were left out, and why
  bool complete = false;
  std::uint64_t starts = 1;        // in the whole log; this is the last complete one
  std::uint64_t later_failed = 0;  // first line of a later start that did not come so far; 0: none

  const Option* option(Setting setting) const;
  // The first of them; null when the log has none.
  const Amount* amount(Term term) const;
  const Count* count(Counted what) const;
};

// Reads a log piece by piece in constant memory. `only`: lines of other programs are not read.
class Reader {
 public:
  explicit Reader(std::optional<Program> only = std::nullopt);
  Reader(Reader&&) noexcept;
  ~Reader();
  // Errors: bad_input (no text; a figure that no machine has, with its line), too_large.
  Status feed(std::string_view bytes);
  // Errors: bad_input (empty, no start-up line, two engines in one log, another than `only`).
  Result<StartupLog> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A whole text at once.
Result<StartupLog> read_log(std::string_view text, std::optional<Program> only = std::nullopt);

}  // namespace steelyard::logs

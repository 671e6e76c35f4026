// Front header: how many bytes a model needs on each rank of a placement. Pure arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"
#include "facts/facts.h"
#include "memory/training.h"
#include "model/model.h"

namespace steelyard::memory {

enum class EngineKind { vllm, sglang, tensorrt_llm, llama_cpp, ollama, transformers };

// "0.8.3", "1.0.0rc3", "b6123", "0.9.1.dev148+g...": numbers compared left to right.
struct Version {
  std::array<std::uint32_t, 3> parts{};  // llama.cpp build numbers: {build, 0, 0}
  std::string text;
  auto operator<=>(const Version& other) const { return parts <=> other.parts; }
  bool operator==(const Version& other) const { return parts == other.parts; }
};
std::optional<Version> parse_version(std::string_view text);
// Whether the engine is that version or a later one; an unknown version is the newest.
inline bool since(const std::optional<Version>& version, std::uint32_t major, std::uint32_t minor,
                  std::uint32_t patch = 0) {
  return !version || version->parts >= std::array<std::uint32_t, 3>{major, minor, patch};
}

struct Engine {
  EngineKind kind = EngineKind::vllm;
  std::optional<Version> version;  // not given: the newest rules we know, said in the assumptions
  bool v0 = false;                 // vLLM 0.8 to 0.10 with VLLM_USE_V1=0
};
// "vllm", "vllm@0.8.3", "vllm-v0@0.8.3", "llama.cpp@b6123". Errors: usage, with the known names.
Result<Engine> parse_engine(std::string_view text);
std::string_view engine_name(EngineKind kind);

struct Placement {
  std::uint32_t tp = 1, pp = 1, dp = 1, ep = 1, cp = 1;
  std::uint32_t attention_dp = 1, dcp = 1;
  std::uint32_t nodes = 1;  // machines the cards stand in; only the launch line asks
  std::uint32_t cards_per_replica() const { return tp * pp * cp; }
  // Whether the experts are spread over all replicas (vLLM: --data-parallel-size with expert
  // parallelism): then the replicas are one engine whose attention is data parallel.
  bool experts_over_replicas() const { return dp > 1 && ep > tp && ep == tp * dp; }
};

// What the card offers an engine. For cards outside the catalogue, from --gpu-memory.
struct CardMemory {
  std::string name;
  ByteFigure usable;  // CUDA's total
  std::string basis;
  Bytes in_use;                    // --memory-in-use
  std::string vendor;              // "NVIDIA"; empty when not known
  std::string architecture;        // "Ada AD102"
  std::string compute_capability;  // "8.9" or "gfx942"; may be empty
  bool host_links_only = false;    // cards reach each other over PCIe; false also when not known
  std::uint32_t count = 1;
};

// One card of the catalogue, as it ships.
CardMemory card_memory(const facts::Accelerator& card, std::uint32_t count = 1);

enum class Toggle { automatic, on, off };

// What the user asked. Empty optionals are filled by the engine's own defaults and reported.
struct Workload {
  std::optional<std::uint64_t> context;      // tokens per sequence
  std::optional<std::uint64_t> ctx_size;     // llama.cpp's total over its slots
  std::optional<std::uint64_t> concurrency;  // sequences at once
  std::optional<std::uint64_t> input, output;
  std::string dtype;                         // compute type: "bf16", "f16", "f32"; or empty
  std::string kv_k, kv_v;                    // formats; empty: the engine's default
  std::optional<double> memory_utilization;  // vLLM utilisation, SGLang mem_fraction_static
  std::optional<std::uint64_t> max_batched_tokens, max_num_seqs, ubatch;
  Toggle flash_attention = Toggle::automatic;
  Toggle cuda_graphs = Toggle::automatic;
  std::optional<std::int64_t> gpu_layers;
  std::string offload;  // "", "none", "cpu", "nvme"
  std::optional<std::uint64_t> images, image_width, image_height;
  std::uint64_t adapters = 0, adapter_rank = 0;
  std::uint64_t mtp = 0;                  // speculative depth by the model's own MTP layers
  std::optional<Bytes> kv_cache_memory;   // vLLM, SGLang: the pool itself, no profile
  std::optional<Bytes> free_before_load;  // SGLang: what it saw free; else card less its start
  std::string mla_mode;                   // ik_llama.cpp only: "0".."3"; empty for all else
  std::optional<std::uint64_t> attention_max_batch_mib;  // ik_llama.cpp -amb
};

struct Term {
  std::string name;  // weights kv_cache recurrent_state activations logits runtime cuda_graphs ...
  ByteFigure bytes;
  std::string formula;  // with the numbers in it
};

// One distinct rank. Ranks with the same sum are listed once, `repeats` says how many there are.
struct Rank {
  std::string name;  // "tp 0..3", "pp 0", "CUDA0"
  std::uint32_t repeats = 1;
  std::vector<Term> terms;
  ByteFigure total;
  ByteFigure free;  // budget less total; 0 when it does not fit
  Bytes host;       // bytes this rank keeps in host memory
  // Training: what PyTorch's allocator keeps, and what nvidia-smi shows of the process.
  std::optional<ByteFigure> reserved, process;
};

enum class Verdict { fits, tight, does_not_fit, not_established };
std::string_view verdict_word(Verdict verdict);

// Per card, on the binding rank.
struct Capacity {
  ByteFigure kv_bytes;                       // the pool
  std::optional<double> kv_tokens;           // tokens it really holds for this workload
  std::optional<double> kv_tokens_printed;   // the number that engine version prints
  std::optional<double> max_concurrency;     // at this context
  std::optional<double> max_context_tokens;  // at this concurrency
  // What the two largest figures were sought in, where that is not the pool (llama.cpp allocates
  // what is asked, the rest of the card is room).
  std::optional<ByteFigure> sought_in;
  std::string reason;  // why something is missing
};

struct Assumption {
  std::string name, value;
  Origin origin = Origin::assumed;  // assumed: our default; exact: from the config or asked
};

// llama.cpp's own buffers, as its log prints them.
struct Buffer {
  std::string device;  // "CUDA0", "CPU", "CUDA_Host"
  std::string kind;    // "model", "kv", "recurrent", "compute", "output"
  ByteFigure bytes;
};

struct Answer {
  Verdict verdict = Verdict::not_established;
  std::string reason;   // one sentence for the verdict line
  std::string refusal;  // why the engine does not do it, whatever the memory; else empty
  Engine engine;
  Placement placement;
  std::uint64_t context = 0;  // the length of a sequence that was sized
  std::optional<CardMemory> card;
  ByteFigure budget;  // what the engine lets itself use on one card
  std::vector<Rank> ranks;
  Capacity capacity;
  std::vector<Buffer> buffers;
  std::vector<Assumption> assumptions;
  std::vector<std::string> warnings;
  std::string launch;
  std::optional<TrainingFigures> training;

  const Rank& binding() const;  // the rank with the least room; ranks is never empty
};

struct Request {
  Engine engine;
  Placement placement;
  std::optional<CardMemory> card;  // none: the whole sum, verdict not_established
  Workload workload;
  std::shared_ptr<const model::Model> draft;  // speculative decoding by a second model; null: none
  std::optional<Training> training;  // set: a training run, which asks no engine and no workload
};

// Errors: usage (an illegal placement, an option the engine lacks), missing_field.
Result<Answer> size(const model::Model& model, const Request& request);

// Why the engine has nothing for the card, whatever the model. Empty: it runs there, or the card is
// only a size.
std::string refusal_of(const Engine& engine, const CardMemory& card);

// Bytes one more token of one sequence takes on one rank, over all layers that grow.
ByteFigure kv_bytes_per_token(const model::Model& model, const Request& request);

// A change that would make it fit, or that shows how much room there is.
struct Alternative {
  std::string change;  // "weights q4_k_m", "2 cards, tensor parallel 2", "context 4096"
  Request request;
  std::string weights;  // format when the change is one of weights, else empty
  Answer answer;
  std::string cost;  // in speed or quality, in a phrase; empty where the change itself says it
};
// Fewer bits, shorter context, fewer sequences, more cards; nearest change first.
std::vector<Alternative> alternatives(const model::Model& model, const Request& request);

}  // namespace steelyard::memory

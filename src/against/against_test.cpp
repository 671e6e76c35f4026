#include "against/against.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace steelyard::against {
namespace {

using memory::EngineKind;

// Qwen2.5-7B on an A10G, vLLM 0.8.1: the figures of vllm-project/vllm#15360.
constexpr std::string_view vllm_log =
    "INFO Initializing a V0 LLM engine (v0.8.1) with config: model='Qwen/Qwen2.5-7B-Instruct', "
    "dtype=torch.bfloat16, max_seq_len=6600, quantization=None\n"
    "INFO Model loading took 14.2487 GB and 24.9 seconds\n"
    "INFO the current vLLM instance can use total_gpu_memory (21.99GiB) x gpu_memory_utilization "
    "(0.90) = 19.79GiB\n"
    "INFO model weights take 14.25GiB; non_torch_memory takes 0.06GiB; PyTorch activation peak "
    "memory takes 1.43GiB; the rest of the memory reserved for KV Cache is 4.05GiB.\n"
    "INFO # cuda blocks: 4741, # CPU blocks: 4681\n"
    "INFO Maximum concurrency for 6600 tokens per request: 11.49x\n";

model::Model catalogue(const char* name) {
  auto model = model::catalogue_model(name);
  EXPECT_TRUE(model) << name;
  return model ? std::move(*model) : model::Model{};
}

memory::Request vllm_request() {
  memory::Request request;
  request.engine = {
      .kind = EngineKind::vllm, .version = memory::parse_version("0.8.1"), .v0 = true};
  request.card = memory::CardMemory{.name = "A10G", .usable = ByteFigure::exact(gib(21.99))};
  request.workload.context = 6600;
  request.workload.max_batched_tokens = 8192;
  request.workload.memory_utilization = 0.9;
  return request;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from, at)) {
    out.replace(at, from.size(), to);
    at += to.size();
  }
  return out;
}

Result<Comparison> compared(const model::Model& model, const memory::Request& request,
                            std::string_view text, Question question = {},
                            std::vector<Conflict> conflicts = {}) {
  auto log = logs::read_log(text);
  if (!log) return std::unexpected(log.error());
  return compare({.model = model,
                  .request = request,
                  .log = *log,
                  .question = question,
                  .conflicts = std::move(conflicts),
                  .taken = {}});
}

const Row* row_named(const Comparison& comparison, std::string_view name) {
  const auto found = std::ranges::find(comparison.rows, name, &Row::name);
  return found == comparison.rows.end() ? nullptr : &*found;
}

TEST(Against, AgreesWithALogThatIsAsPredicted) {
  const auto model = catalogue("Qwen/Qwen2.5-7B-Instruct");
  const auto out = compared(model, vllm_request(), vllm_log);
  ASSERT_TRUE(out) << out.error().what;
  EXPECT_EQ(out->standing, Standing::agrees) << out->reason;
  for (const char* name :
       {"budget", "weights", "activations", "runtime", "kv_pool", "pool_tokens", "concurrency"}) {
    const Row* row = row_named(*out, name);
    ASSERT_NE(row, nullptr) << name;
    EXPECT_EQ(row->standing, Standing::agrees) << name;
    EXPECT_GE(row->line, 2U) << name;
  }
}

TEST(Against, TheRoomFollowsTheLoggedPool) {
  const auto model = catalogue("Qwen/Qwen2.5-7B-Instruct");
  const auto out = compared(model, vllm_request(), replaced(vllm_log, "4.05GiB", "2.00GiB"),
                            {.context = 2048, .concurrency = 4});
  ASSERT_TRUE(out) << out.error().what;
  const Room& room = out->room;
  EXPECT_EQ(room.pool, gib(2.0));
  ASSERT_TRUE(room.tokens && room.sequences && room.longest && room.predicted_tokens);
  // 28 layers x 2 x 4 heads x 128 x 2 B; the log counts other blocks, which are believed.
  EXPECT_NEAR(*room.tokens, 4741 * 16, 64);
  EXPECT_NEAR(*room.sequences, *room.tokens / 2048, 0.5);
  EXPECT_NEAR(*room.longest, *room.tokens / 4, 16);
  EXPECT_EQ(room.started_for, 6600U);
  EXPECT_GT(*room.predicted_tokens, 70000);
}

struct OffCase {
  const char* from;
  const char* to;
  const char* row;
  const char* why;
};
// Each change of the log puts one figure off, and this is what the log shows for it.
const OffCase off_cases[] = {
    {"14.2487 GB and", "9.2487 GB and", "pool_tokens", ""},
    {"14.25GiB", "7.20GiB", "weights", "unexplained"},
    {"quantization=None", "quantization=fp8", "", ""},
    {"14.25GiB;", "7.20GiB; quantization=fp8", "weights", "unexplained"},
    {"1.43GiB; the rest of the memory reserved for KV Cache is 4.05GiB",
     "3.43GiB; the rest of the memory reserved for KV Cache is 2.05GiB", "kv_pool",
     "what the others leave of it: activations +"},
    {"4741", "9482", "pool_tokens", "are those of a fp8 cache"},
    {"4741", "3000", "pool_tokens", "unexplained"},
};

TEST(Against, NamesOnlyCausesThatTheLogShows) {
  const auto model = catalogue("Qwen/Qwen2.5-7B-Instruct");
  for (const OffCase& one : off_cases) {
    SCOPED_TRACE(one.to);
    const auto out = compared(model, vllm_request(), replaced(vllm_log, one.from, one.to));
    ASSERT_TRUE(out) << out.error().what;
    if (*one.why == 0) {
      EXPECT_EQ(out->standing, Standing::agrees) << out->reason;
      continue;
    }
    EXPECT_EQ(out->standing, Standing::off);
    const Row* row = row_named(*out, one.row);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->standing, Standing::off);
    EXPECT_NE(row->why.find(one.why), std::string::npos) << row->why;
  }
}

TEST(Against, NamesWhatTheLogSaysOfTheWeights) {
  const auto model = catalogue("Qwen/Qwen2.5-7B-Instruct");
  const std::string smaller = replaced(replaced(vllm_log, "14.25GiB", "7.20GiB"), "14.2487", "7.2");
  const struct {
    const char* from;
    const char* to;
    const char* why;
  } cases[] = {
      {"quantization=None", "quantization=fp8", "weights as fp8 (line 1), unquantised"},
      {"Qwen/Qwen2.5-7B-Instruct", "org/Other-3B", "loads \"org/Other-3B\" (line 1)"},
      {"max_seq_len=6600", "max_seq_len=6600, cpu_offload_gb=4", "to the host (line 1)"},
      {"max_seq_len=6600", "max_seq_len=6600, speculative_config=SpeculativeConfig(x",
       "speculates"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.to);
    const auto out = compared(model, vllm_request(), replaced(smaller, one.from, one.to));
    ASSERT_TRUE(out) << out.error().what;
    EXPECT_NE(row_named(*out, "weights")->why.find(one.why), std::string::npos)
        << row_named(*out, "weights")->why;
  }
}

TEST(Against, OneFormatUnderTwoNamesIsNoCause) {
  const auto model = model::with_weights(catalogue("Qwen/Qwen2.5-7B-Instruct"), "nf4");
  ASSERT_TRUE(model);
  for (const auto& [logged, named] : {std::pair("bitsandbytes", false), {"awq_marlin", true}}) {
    const auto out =
        compared(*model, vllm_request(),
                 replaced(vllm_log, "quantization=None", std::string("quantization=") + logged));
    ASSERT_TRUE(out) << out.error().what;
    const Row* row = row_named(*out, "weights");
    EXPECT_EQ(row->standing, Standing::off) << logged;
    EXPECT_EQ(row->why.find("the log loads weights as") == 0, named) << row->why;
  }
}

TEST(Against, AConflictIsTheFirstCause) {
  const auto model = catalogue("Qwen/Qwen2.5-7B-Instruct");
  memory::Request request = vllm_request();
  request.workload.kv_k = request.workload.kv_v = "fp8";
  const auto out = compared(model, request, vllm_log, {},
                            {{.option = "--kv", .given = "fp8", .logged = "bf16", .line = 1}});
  ASSERT_TRUE(out) << out.error().what;
  const Row* row = row_named(*out, "pool_tokens");
  EXPECT_EQ(row->standing, Standing::off);
  EXPECT_EQ(row->why, "--kv fp8 was given, the log says bf16 (line 1)");
}

TEST(Against, AStartWithoutAPoolSaysWhatStopsIt) {
  const auto model = catalogue("Qwen/Qwen2.5-7B-Instruct");
  const auto out = compared(model, vllm_request(),
                            "INFO Model loading took 14.2487 GB and 24.9 seconds\n"
                            "torch.OutOfMemoryError: CUDA out of memory.\n");
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().kind, ErrorKind::bad_input);
  EXPECT_EQ(out.error().field, "line 2");
  EXPECT_NE(out.error().what.find("OutOfMemoryError"), std::string::npos);
}

// Meta-Llama-3-8B Q4_K - Medium on one card: XiongjieDai/GPU-Benchmarks-on-LLM-Inference, 3070.
constexpr std::string_view llama_log =
    "llm_load_tensors:        CPU buffer size =   281.81 MiB\n"
    "llm_load_tensors:      CUDA0 buffer size =  4403.49 MiB\n"
    "llama_new_context_with_model: n_ctx      = 8192\n"
    "llama_kv_cache_init:      CUDA0 KV buffer size =  1024.00 MiB\n"
    "llama_new_context_with_model:      CUDA0 compute buffer size =   560.00 MiB\n"
    "llama_new_context_with_model:  CUDA_Host compute buffer size =    24.01 MiB\n";

memory::Request llama_request() {
  memory::Request request;
  request.engine = {.kind = EngineKind::llama_cpp, .version = memory::parse_version("b2700")};
  request.workload.ctx_size = 8192;
  request.workload.concurrency = 1;
  request.workload.flash_attention = memory::Toggle::off;
  return request;
}

TEST(Against, ComparesEveryBuffer) {
  const auto plain = catalogue("meta-llama/Meta-Llama-3-8B");
  const auto model = model::with_weights(plain, "q4_k_m");
  ASSERT_TRUE(model);
  const auto out = compared(*model, llama_request(), llama_log);
  ASSERT_TRUE(out) << out.error().what;
  EXPECT_EQ(out->rows.size(), 5U);
  EXPECT_EQ(out->standing, Standing::agrees) << out->reason;
  EXPECT_EQ(out->room.sequences, 1);
  EXPECT_EQ(out->room.longest, 8192);

  // A card more than predicted, and a buffer that is too large.
  const auto other = compared(*model, llama_request(),
                              replaced(llama_log, " 1024.00", " 2048.00") +
                                  "llama_kv_cache_init:      CUDA1 KV buffer size =  10.00 MiB\n");
  ASSERT_TRUE(other) << other.error().what;
  EXPECT_EQ(other->standing, Standing::off);
  const auto odd = std::ranges::find(other->rows, "CUDA1", &Row::where);
  ASSERT_NE(odd, other->rows.end());
  EXPECT_EQ(odd->standing, Standing::open);
}

struct SlotCase {
  const char* unified;
  std::uint64_t context;
  double sequences, longest;
};
const SlotCase slot_cases[] = {
    {"true", 2048, 4, 8192},  // one cache for all: four of 2048, or one of all its cells
    {"true", 8192, 1, 8192},
    {"false", 2048, 4, 2048},  // a quarter each
    {"false", 4096, 0, 2048},
};

TEST(Against, SlotsShareACacheOrHaveTheirOwn) {
  const auto model = model::with_weights(catalogue("meta-llama/Meta-Llama-3-8B"), "q4_k_m");
  ASSERT_TRUE(model);
  for (const SlotCase& one : slot_cases) {
    SCOPED_TRACE(std::string(one.unified) + " " + std::to_string(one.context));
    const auto out = compared(*model, llama_request(),
                              "llama_context: n_seq_max     = 4\n"
                              "llama_context: n_ctx         = 8192\n"
                              "llama_context: kv_unified    = " +
                                  std::string(one.unified) +
                                  "\nllama_kv_cache:      CUDA0 KV buffer size =  1024.00 MiB\n",
                              {.context = one.context, .concurrency = {}});
    ASSERT_TRUE(out) << out.error().what;
    EXPECT_EQ(out->room.sequences, one.sequences);
    EXPECT_EQ(out->room.longest, one.longest);
  }
}

TEST(Against, LayersDividedOtherwiseAreNoOtherSum) {
  const auto plain = catalogue("meta-llama/Meta-Llama-3-8B");
  const auto model = model::with_weights(plain, "q4_k_m");
  ASSERT_TRUE(model);
  memory::Request request = llama_request();
  request.placement.pp = 2;
  const auto out = compared(*model, request,
                            "llm_load_tensors:        CPU buffer size =   281.81 MiB\n"
                            "llm_load_tensors:      CUDA0 buffer size =  1403.49 MiB\n"
                            "llm_load_tensors:      CUDA1 buffer size =  3000.00 MiB\n"
                            "llama_new_context_with_model: n_ctx      = 8192\n"
                            "llama_kv_cache_init:      CUDA0 KV buffer size =  544.00 MiB\n"
                            "llama_kv_cache_init:      CUDA1 KV buffer size =  480.00 MiB\n");
  ASSERT_TRUE(out) << out.error().what;
  const auto row = std::ranges::find(out->rows, "CUDA1", &Row::where);
  ASSERT_NE(row, out->rows.end());
  std::size_t named = 0;
  for (const Row& one : out->rows) named += one.why.find("the sum agrees") != std::string::npos;
  EXPECT_EQ(named, 2U);
}

}  // namespace
}  // namespace steelyard::against

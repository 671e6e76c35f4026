#include "logs/logs.h"

#include <gtest/gtest.h>

#include "logs/line.h"

namespace steelyard::logs {
namespace {

struct AmountCase {
  Program program;
  const char* line;
  Term term;
  const char* where;
  double mib, rounding_mib;
};

// One line each, as the engine of that time wrote it.
const AmountCase amount_cases[] = {
    // vLLM, from 0.4 to 0.27
    {Program::vllm, "INFO 04-12 08:20:00 model_runner.py:104] Loading model weights took 7.9692 GB",
     Term::weights, "", 7.9692 * 1024, 0.0512},
    {Program::vllm,
     "(VllmWorkerProcess pid=507) INFO 03-03 20:36:02 [model_runner.py:1117] Model loading took "
     "15.4137 GB and 9.036136 seconds",
     Term::weights, "pid 507", 15.4137 * 1024, 0.0512},
    {Program::vllm,
     "(VllmWorker rank=3 pid=88) INFO 05-01 10:00:00 [gpu_model_runner.py:1329] Model loading took "
     "34.4340 GiB and 20.1 seconds",
     Term::weights, "rank 3", 34.434 * 1024, 0.0512},
    {Program::vllm,
     "(EngineCore_DP0 pid=9) (Worker_TP1 pid=12) INFO 11-06 10:51:00 [gpu_model_runner.py:2653] "
     "Model loading took 11.62 GiB memory and 25.3 seconds",
     Term::weights, "TP1", 11.62 * 1024, 5.12},
    {Program::vllm,
     "INFO 04-12 08:21:19 [worker.py:267] the current vLLM instance can use total_gpu_memory "
     "(23.58GiB) x gpu_memory_utilization (0.99) = 23.35GiB",
     Term::budget, "", 23.35 * 1024, 5.12},
    {Program::vllm,
     "INFO 04-12 08:21:19 [worker.py:267] the current vLLM instance can use total_gpu_memory "
     "(23.58GiB) x gpu_memory_utilization (0.99) = 23.35GiB",
     Term::card_total, "", 23.58 * 1024, 5.12},
    {Program::vllm,
     "INFO worker.py:267] model weights take 2.88GiB; non_torch_memory takes 0.05GiB; PyTorch "
     "activation peak memory takes 1.40GiB; the rest of the memory reserved for KV Cache is "
     "15.52GiB.",
     Term::non_torch, "", 0.05 * 1024, 5.12},
    {Program::vllm,
     "INFO worker.py:267] model weights take 2.88GiB; non_torch_memory takes 0.05GiB; PyTorch "
     "activation peak memory takes 1.40GiB; the rest of the memory reserved for KV Cache is "
     "15.52GiB.",
     Term::activations, "", 1.40 * 1024, 5.12},
    {Program::vllm,
     "INFO worker.py:267] model weights take 2.88GiB; non_torch_memory takes 0.05GiB; PyTorch "
     "activation peak memory takes 1.40GiB; the rest of the memory reserved for KV Cache is "
     "15.52GiB.",
     Term::kv_pool, "", 15.52 * 1024, 5.12},
    {Program::vllm,
     "(Worker_DP1_TP0_EP0 pid=26347) INFO 11-06 10:51:48 [gpu_worker.py:349] Available KV cache "
     "memory: 2.30 GiB",
     Term::kv_pool, "DP1 TP0 EP0", 2.30 * 1024, 5.12},
    {Program::vllm,
     "(EngineCore_DP0 pid=1) INFO 02-02 18:25:01 [gpu_worker.py:300] Available KV cache memory: "
     "100.43 GiB\nINFO [gpu_model_runner.py:3480] Graph capturing finished in 8 secs, took 0.31 "
     "GiB",
     Term::graphs, "", 0.31 * 1024, 5.12},
    {Program::vllm,
     "(Worker_TP0 pid=447) INFO 08-14 14:07:22 [gpu_model_runner.py:6806] Estimated CUDA graph "
     "memory: 0.36 GiB total\nAvailable KV cache memory: 6.87 GiB",
     Term::graphs_estimate, "TP0", 0.36 * 1024, 5.12},
    {Program::vllm,
     "INFO [gpu_worker.py:391] Free memory on device (22.9/23.55 GiB) on startup. Desired GPU "
     "memory utilization is (0.9, 21.2 GiB). Actual usage is 15.27 GiB for weight, 1.3 GiB for "
     "peak activation, 0.08 GiB for non-torch memory, and 0.52 GiB for CUDAGraph memory.\nGPU KV "
     "cache size: 16 tokens",
     Term::card_free, "", 22.9 * 1024, 51.2},
    {Program::vllm,
     "INFO [gpu_worker.py:391] Free memory on device (22.9/23.55 GiB) on startup. Desired GPU "
     "memory utilization is (0.9, 21.2 GiB). Actual usage is 15.27 GiB for weight, 1.3 GiB for "
     "peak activation, 0.08 GiB for non-torch memory, and 0.52 GiB for CUDAGraph memory.\nGPU KV "
     "cache size: 16 tokens",
     Term::activations, "", 1.3 * 1024, 51.2},
    // SGLang: its GB are 2^30
    {Program::sglang, "[2025-10-16 09:06:10 TP5] Load weight begin. avail mem=137.29 GB",
     Term::card_free, "TP5", 137.29 * 1024, 5.12},
    {Program::sglang,
     "[2026-07-15 13:14:53] Load weight end. elapsed=19.09 s, type=Qwen3MoeForCausalLM, avail "
     "mem=230.20 GB, mem usage=56.98 GB.",
     Term::weights, "", 56.98 * 1024, 5.12},
    {Program::sglang,
     "[gpu=0] Load weight begin. avail mem=78.65 GB\n[gpu=0] Load weight end. "
     "type=Phi3ForCausalLM, dtype=torch.bfloat16, avail mem=71.38 GB",
     Term::weights, "", 7.27 * 1024, 10.24},
    {Program::sglang,
     "[2025-05-01 00:00:00 DP1 TP1] KV Cache is allocated. #tokens: 720206, KV size: 47.13 GB",
     Term::kv_pool, "DP1 TP1", 47.13 * 1024, 5.12},
    {Program::sglang,
     "[2026-05-15 08:40:32 TP0] Memory pool end. avail mem=10.12 GB\n[2026-05-15 08:40:32 TP0] "
     "Capture cuda graph end. Time elapsed: 54.61 s. mem usage=1.93 GB. avail mem=8.16 GB.\n"
     "max_total_num_tokens=1",
     Term::graphs, "TP0", 1.93 * 1024, 5.12},
    {Program::sglang,
     "KV Cache is allocated. #tokens: 1, K size: 1 GB, V size: 1 GB\nCapture target decode CUDA "
     "graph end. elapsed=3.1 s, mem usage=0.44 GB, avail mem=8.16 GB.",
     Term::graphs, "", 0.44 * 1024, 5.12},
    // llama.cpp, from February 2024 on
    {Program::llama_cpp, "llm_load_tensors:      CUDA0 buffer size =  4403.49 MiB",
     Term::model_buffer, "CUDA0", 4403.49, 0.005},
    {Program::llama_cpp,
     "0.00.027.445 I llm_load_tensors:   CPU_Mapped model buffer size =    63.84 MiB",
     Term::model_buffer, "CPU_Mapped", 63.84, 0.005},
    {Program::llama_cpp, "load_tensors: RPC0[192.168.1.60:50052] model buffer size =  6011.49 MiB",
     Term::model_buffer, "RPC0[192.168.1.60:50052]", 6011.49, 0.005},
    {Program::llama_cpp, "llama_kv_cache_init:  CUDA_Host KV buffer size =   384.00 MiB",
     Term::kv_buffer, "CUDA_Host", 384, 0.005},
    {Program::llama_cpp,
     "0.00.029.259 I init:    Vulkan0 KV buffer size =     9.00 MiB\nload_tensors:",
     Term::kv_buffer, "Vulkan0", 9, 0.005},
    {Program::llama_cpp, "llama_memory_recurrent:        CPU RS buffer size =    77.06 MiB",
     Term::recurrent_buffer, "CPU", 77.06, 0.005},
    {Program::llama_cpp, "sched_reserve:      CUDA0 compute buffer size =   560.00 MiB",
     Term::compute_buffer, "CUDA0", 560, 0.005},
    {Program::llama_cpp,
     "load_tensors: x\nllama_context:        CPU  output buffer size =     0.58 MiB",
     Term::output_buffer, "CPU", 0.58, 0.005},
    {Program::llama_cpp,
     "llama_model_load_from_file_impl: using device CUDA0 (NVIDIA TITAN RTX) (0000:01:00.0) - "
     "23850 MiB free\nload_tensors:",
     Term::card_free, "CUDA0", 23850, 0.5},
    {Program::ollama,
     "time=2025-08-24T08:26:00.310Z level=INFO source=server.go:383 msg=\"starting runner\"\n"
     "time=2025-08-24T08:26:00.310Z level=INFO source=backend.go:321 msg=\"kv cache\" "
     "device=CUDA0 size=\"936.0 MiB\"",
     Term::kv_buffer, "CUDA0", 936, 0.05},
};

TEST(Logs, ReadsEveryAmountWithItsRankAndRounding) {
  for (const AmountCase& one : amount_cases) {
    SCOPED_TRACE(one.line);
    const auto log = read_log(one.line);
    ASSERT_TRUE(log) << log.error().what;
    EXPECT_EQ(log->program, one.program);
    const Amount* amount = log->amount(one.term);
    ASSERT_NE(amount, nullptr);
    EXPECT_EQ(amount->where, one.where);
    EXPECT_NEAR(amount->bytes.as_mib(), one.mib, 0.011);
    EXPECT_NEAR(amount->rounding.as_mib(), one.rounding_mib, 0.0001);
    EXPECT_GE(amount->line, 1U);
    EXPECT_FALSE(amount->words.empty());
  }
}

struct SettingCase {
  const char* line;
  Setting setting;
  const char* value;
};
const SettingCase setting_cases[] = {
    {"(EngineCore_DP0 pid=3) INFO [core.py:77] Initializing a V1 LLM engine (v0.11.0) with config: "
     "model='/models/a b', dtype=torch.bfloat16, max_seq_len=8192, tensor_parallel_size=2, "
     "quantization=None, enforce_eager=True, kv_cache_dtype=fp8_e4m3",
     Setting::kv_format, "fp8_e4m3"},
    {"INFO Initializing an LLM engine (v0.5.4) with config: model='/models/a b', max_seq_len=4096",
     Setting::model, "/models/a b"},
    {"INFO [utils.py:233] non-default args: {'model': 'q', 'max_num_batched_tokens': 512, "
     "'gpu_memory_utilization': 0.8}\nGPU KV cache size: 16 tokens",
     Setting::batched_tokens, "512"},
    {"(EngineCore pid=310) INFO Initializing a V1 LLM engine (v0.20.2) with config: model='m', "
     "speculative_config=SpeculativeConfig(method='mtp', model='m', num_spec_tokens=3), "
     "tokenizer='m'",
     Setting::draft_tokens, "3"},
    {"$ vllm serve Qwen/Qwen3-8B --max-num-seqs=64 --gpu-memory-utilization 0.85\nGPU KV cache "
     "size: 16 tokens",
     Setting::sequences, "64"},
    {"INFO Chunked prefill is enabled with max_num_batched_tokens=8192.\nGPU KV cache size: 16 "
     "tokens\nINFO Chunked prefill is enabled with max_num_batched_tokens=8192.",
     Setting::batched_tokens, "8192"},
    {"[2026-01-01 00:00:00] server_args=ServerArgs(model_path='m', tp_size=4, dp_size=2, "
     "mem_fraction_static=0.88, max_running_requests=None)",
     Setting::tp, "4"},
    {"[2026-01-01 00:00:00 TP3] KV Cache is allocated. #tokens: 9, K size: 1 GB, V size: 1 GB",
     Setting::tp, "4"},
    {"max_total_num_tokens=9, chunked_prefill_size=4096, max_running_requests=48, context_len=8192",
     Setting::sequences, "48"},
    {"INFO 07-18 19:51:31 [config.py:1472] Using max model len 40960\nGPU KV cache size: 16 "
     "tokens\nINFO Using max model len 40960",
     Setting::context, "40960"},
    {"time=1 level=INFO source=runner.go:1405 msg=\"starting ollama engine\"\ntime=1 level=INFO "
     "source=runner.go:1278 msg=load request=\"{Operation:fit LoraPath:[] Parallel:1 "
     "BatchSize:512 FlashAttention:Enabled KvSize:32768 KvCacheType: NumThreads:6\"",
     Setting::total_context, "32768"},
    {"time=1 level=INFO source=runner.go:1405 msg=\"starting ollama engine\"\ntime=1 level=INFO "
     "source=ggml.go:136 msg=\"\" architecture=glm4moelite file_type=Q4_K_M name=\"\"",
     Setting::quantization, "Q4_K_M"},
    {"load_tensors: offloaded 25/37 layers to GPU", Setting::layers_on_cards, "25/37"},
    {"load_tensors:\nllama_context: n_ctx         = 4096", Setting::total_context, "4096"},
    {"load_tensors:\nllama_context: flash_attn    = auto\nsched_reserve: Flash Attention was auto, "
     "set to enabled",
     Setting::flash_attention, "1"},
    {"llama_kv_cache: size =  102.00 MiB (  8192 cells,  12 layers,  1/1 seqs), K (q8_0):   51.00 "
     "MiB, V (q4_0):   51.00 MiB",
     Setting::kv_values, "q4_0"},
    {"llm_load_tensors:\nllama_new_context_with_model: KV self size  =    9.00 MiB, K (f16):    "
     "4.50 MiB, V (f16):    4.50 MiB",
     Setting::kv_keys, "f16"},
    {"llama_model_loader: loaded meta data with 21 key-value pairs and 291 tensors from "
     "/m/x.gguf (version GGUF V3 (latest))",
     Setting::model, "/m/x.gguf"},
    {"load_tensors:\nprint_info: file type   = Q4_K - Medium", Setting::quantization,
     "Q4_K - Medium"},
};

TEST(Logs, ReadsWhatTheEngineWasTold) {
  for (const SettingCase& one : setting_cases) {
    SCOPED_TRACE(one.line);
    const auto log = read_log(one.line);
    ASSERT_TRUE(log) << log.error().what;
    const Option* option = log->option(one.setting);
    ASSERT_NE(option, nullptr);
    EXPECT_EQ(option->value, one.value);
  }
}

struct VersionCase {
  const char* text;
  const char* version;
  bool v0;
};
const VersionCase version_cases[] = {
    {"INFO Initializing a V1 LLM engine (v0.7.4.dev713+gb4961126) with config: x=1",
     "0.7.4.dev713+gb4961126", false},
    {"INFO Initializing an LLM engine (v0.5.4) with config: x=1", "0.5.4", true},
    {"INFO vLLM API server version 0.10.2", "0.10.2", false},
    {"build: 6123 (79c1160b) with cc\nload_tensors:", "b6123", false},
    {"main: build = 2700 (aed82f68)\nllm_load_tensors:", "b2700", false},
    {"build_info: b9450-1234abc\nload_tensors:", "b9450", false},
    {"time=1 level=INFO source=routes.go:1 msg=\"Listening on 127.0.0.1:11434 (version 0.11.6)\"",
     "0.11.6", false},
    {"INFO the CMake build: 12 of 20\nload_tensors:", "", false},
};

TEST(Logs, ReadsTheVersion) {
  for (const VersionCase& one : version_cases) {
    SCOPED_TRACE(one.text);
    const auto log = read_log(one.text);
    ASSERT_TRUE(log) << log.error().what;
    EXPECT_EQ(log->version, one.version);
    EXPECT_EQ(log->v0, one.v0);
  }
}

struct BadCase {
  const char* text;
  std::optional<Program> only;
  const char* says;
};
const BadCase bad_cases[] = {
    {"", std::nullopt, "empty"},
    {"\n\n", std::nullopt, "no line of an engine's start"},
    {"GET /v1/models 200\n", std::nullopt, "no line of an engine's start"},
    {"Available KV cache memory: 99999999999.0 GiB", std::nullopt, "more than any machine"},
    {"GPU KV cache size: 999,999,999,999,999 tokens", std::nullopt, "more than any machine"},
    {"load_tensors: CUDA0 model buffer size = 9999999999999999999999999 MiB", std::nullopt,
     "more than any machine"},
    {"GPU KV cache size: 16 tokens\nload_tensors: CUDA0 model buffer size = 1 MiB", std::nullopt,
     "two engines"},
    {"GPU KV cache size: 16 tokens", Program::sglang, "not of sglang"},
    {"load_tensors:", Program::ollama, "not of ollama"},
};

TEST(Logs, RefusesWhatIsNoStart) {
  for (const BadCase& one : bad_cases) {
    SCOPED_TRACE(one.text);
    const auto log = read_log(one.text, one.only);
    ASSERT_FALSE(log);
    EXPECT_NE(log.error().what.find(one.says), std::string::npos) << log.error().what;
    EXPECT_FALSE(log.error().try_this.empty());
  }
  const auto binary = read_log(std::string_view("GPU\0KV", 6));
  ASSERT_FALSE(binary);
  EXPECT_EQ(binary.error().field, "line 1");
}

constexpr std::string_view vllm_start =
    "INFO vLLM API server version 0.11.0\n"
    "(EngineCore_DP0 pid=1) INFO Available KV cache memory: 10.00 GiB\n"
    "(EngineCore_DP0 pid=1) INFO GPU KV cache size: 1,600 tokens\n"
    "INFO:     Application startup complete.\n";

TEST(Logs, TakesTheLastStartThatCameToItsPool) {
  std::string text(vllm_start);
  text += "INFO request said: Available KV cache memory: 99.00 GiB\n";  // served: not a figure
  const auto one = read_log(text);
  ASSERT_TRUE(one);
  EXPECT_NEAR(one->amount(Term::kv_pool)->bytes.as_gib(), 10, 1e-6);
  EXPECT_EQ(one->starts, 1U);

  std::string second(vllm_start);
  second.replace(second.find("10.00"), 5, "11.00");
  const auto two = read_log(text + second);
  ASSERT_TRUE(two);
  EXPECT_NEAR(two->amount(Term::kv_pool)->bytes.as_gib(), 11, 1e-6);
  EXPECT_EQ(two->starts, 2U);
  EXPECT_EQ(two->first_line, 6U);

  const auto failed = read_log(text +
                               "INFO vLLM API server version 0.11.0\n"
                               "torch.OutOfMemoryError: CUDA out of memory.\n");
  ASSERT_TRUE(failed);
  EXPECT_TRUE(failed->complete);
  EXPECT_EQ(failed->later_failed, 6U);
}

TEST(Logs, SaysWhyAStartFailed) {
  const char* const texts[] = {
      "INFO vLLM API server version 0.11.0\ntorch.OutOfMemoryError: CUDA out of memory.",
      "INFO vLLM API server version 0.11.0\nValueError: No available memory for the cache blocks.",
      "INFO vLLM API server version 0.11.0\nAvailable KV cache memory: -0.41 GiB",
      "[x] Load weight begin. avail mem=10.00 GB\nRuntimeError: Not enough memory. Please try to "
      "increase --mem-fraction-static.",
      "load_tensors: a\nggml_backend_cuda_buffer_type_alloc_buffer: allocating 9 MiB on device 0: "
      "cudaMalloc failed: out of memory",
  };
  for (const char* const text : texts) {
    SCOPED_TRACE(text);
    const auto log = read_log(text);
    ASSERT_TRUE(log) << log.error().what;
    EXPECT_FALSE(log->complete);
    ASSERT_EQ(log->failures.size(), 1U);
    EXPECT_EQ(log->failures[0].line, 2U);
  }
}

TEST(Logs, KeepsTheLargerOfTwoContextsAndLeavesDraftsOut) {
  const auto log = read_log(
      "load_tensors: CUDA0 model buffer size = 100.00 MiB\n"
      "llama_context: n_ctx         = 4096\n"
      "llama_kv_cache: CUDA0 KV buffer size = 64.00 MiB\n"
      "llama_context: CUDA0 compute buffer size = 8.00 MiB\n"
      "llama_context: CUDA0 compute buffer size = 9.00 MiB\n"
      "llama_context: n_ctx         = 512\n"
      "llama_kv_cache: CUDA0 KV buffer size = 8.00 MiB\n"
      "srv load_model: loading draft model 'd.gguf'\n"
      "load_tensors: CUDA0 model buffer size = 7.00 MiB\n");
  ASSERT_TRUE(log) << log.error().what;
  EXPECT_NEAR(log->amount(Term::kv_buffer)->bytes.as_mib(), 64, 1e-6);
  EXPECT_NEAR(log->amount(Term::compute_buffer)->bytes.as_mib(), 9, 1e-6);
  EXPECT_NEAR(log->amount(Term::model_buffer)->bytes.as_mib(), 100, 1e-6);
  EXPECT_EQ(log->notes.size(), 2U);
}

TEST(Logs, SumsTheTwoPoolsOfWindowedLayersAndNotTheDrafts) {
  const auto log = read_log(
      "[t TP0] KV Cache is allocated. #tokens: 300288, K size: 8.00 GB, V size: 5.00 GB\n"
      "[t TP0] KV Cache is allocated. #tokens: 375360, K size: 2.00 GB, V size: 1.00 GB\n"
      "[t TP0] Memory pool end. avail mem=8.40 GB\n"
      "[t TP0] KV Cache is allocated. #tokens: 375360, K size: 1.08 GB, V size: 1.08 GB\n"
      "[t TP0] Memory pool end. avail mem=6.23 GB\n");
  ASSERT_TRUE(log) << log.error().what;
  double pool = 0;
  for (const Amount& one : log->amounts) {
    if (one.term == Term::kv_pool) pool += one.bytes.as_gib();
  }
  EXPECT_NEAR(pool, 16, 1e-6);
  EXPECT_NEAR(log->amount(Term::card_left)->bytes.as_gib(), 8.4, 1e-6);
}

TEST(Logs, ReadsTheSameInPiecesColoursAndWideCharacters) {
  std::string coloured, wide("\xFF\xFE");
  for (const char c : vllm_start) {
    if (c == '\n') coloured += "\r";
    if (c == 'A') coloured += "\033[1;32m";
    coloured += c;
    wide += c;
    wide += '\0';
  }
  for (const std::string& text : {coloured, wide, "\xEF\xBB\xBF" + std::string(vllm_start)}) {
    for (const std::size_t piece : {1UL, 7UL, 4096UL}) {
      Reader reader;
      for (std::size_t at = 0; at < text.size(); at += piece) {
        ASSERT_TRUE(reader.feed(std::string_view(text).substr(at, piece)));
      }
      const auto log = reader.finish();
      ASSERT_TRUE(log) << log.error().what;
      EXPECT_EQ(log->version, "0.11.0");
      EXPECT_NEAR(log->amount(Term::kv_pool)->bytes.as_gib(), 10, 1e-6);
      EXPECT_EQ(log->amount(Term::kv_pool)->line, 2U);
    }
  }
}

TEST(Logs, HoldsOneStartOfBoundedSize) {
  std::string line = "load_tensors: CUDA0 model buffer size = 1.00 MiB\n";
  std::string text;
  for (int i = 0; i < 9000; ++i) text += line;
  const auto log = read_log(text);
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().kind, ErrorKind::too_large);
  // A line without an end is read to its limit only.
  Reader reader;
  const std::string block(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(reader.feed(block));
  EXPECT_FALSE(reader.finish());
}

TEST(Logs, ReadsNumbersWithTheirUnits) {
  EXPECT_EQ(number_at(" 1,234 tokens", 0)->value, 1234);
  EXPECT_EQ(number_at("12, 13", 0)->value, 12);
  EXPECT_DOUBLE_EQ(number_at("78.65", 0)->rounding, 0.005);
  EXPECT_TRUE(number_at("-0.41", 0)->negative);
  EXPECT_FALSE(number_at("x1", 0));
  EXPECT_EQ(unit_at(" GiB", 0), 1073741824.0);
  EXPECT_FALSE(unit_at(" seconds", 0));
  EXPECT_FALSE(unit_at(" GBs", 0));
  EXPECT_EQ(value_of("{'a_b': 'c, d', 'e': 5}", "a_b"), "c, d");
  EXPECT_EQ(value_of("xa_b=1, a_b=2)", "a_b"), "2");
  EXPECT_EQ(value_of("a_b=None", "a_b"), "");
  EXPECT_EQ(value_of("serve --a-b 7 --c", "a_b"), "7");
}

}  // namespace
}  // namespace steelyard::logs

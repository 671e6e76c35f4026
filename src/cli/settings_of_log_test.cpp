#include "cli/settings_of_log.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace steelyard::cli {
namespace {

logs::StartupLog log_of(std::string_view text) {
  auto log = logs::read_log(text);
  EXPECT_TRUE(log) << text;
  return log ? std::move(*log) : logs::StartupLog{};
}

constexpr std::string_view vllm_line =
    "(EngineCore_DP0 pid=3) INFO Initializing a V1 LLM engine (v0.11.0) with config: model='m', "
    "dtype=torch.bfloat16, max_seq_len=8192, tensor_parallel_size=2, data_parallel_size=4, "
    "enable_expert_parallel=True, enforce_eager=True, kv_cache_dtype=fp8_e4m3, "
    "gpu_memory_utilization=0.90, quantization=awq_marlin";

TEST(SettingsOfLog, BecomeOptionsWithTheirLines) {
  const auto from = settings_of_log({}, log_of(vllm_line));
  ASSERT_TRUE(from);
  const std::pair<const char*, const char*> expected[] = {{"--engine", "vllm@0.11.0"},
                                                          {"--dtype", "bf16"},
                                                          {"--context", "8192"},
                                                          {"--tp", "2"},
                                                          {"--dp", "4"},
                                                          {"--ep", "8"},
                                                          {"--cuda-graphs", "off"},
                                                          {"--kv", "fp8"},
                                                          {"--memory-utilization", "0.90"}};
  for (const auto& [option, value] : expected) {
    EXPECT_EQ(from->arguments.value(option), value) << option;
    const auto taken = std::ranges::find(from->taken, option, &against::Taken::name);
    ASSERT_NE(taken, from->taken.end()) << option;
    EXPECT_EQ(taken->line, 1U) << option;
  }
  EXPECT_TRUE(from->conflicts.empty());
  FromLog weights = *from;
  take_weights(log_of(vllm_line), weights);
  EXPECT_EQ(weights.arguments.value("--weights"), "awq");
}

struct GivenCase {
  const char* option;
  const char* given;
  bool conflict;
};
const GivenCase given_cases[] = {
    {"--tp", "2", false},
    {"--tp", "4", true},
    {"--memory-utilization", "0.9", false},
    {"--memory-utilization", "0.92", true},
    {"--kv", "FP8", false},
    {"--kv", "bf16", true},
    {"--cuda-graphs", "on", true},
    {"--engine", "vllm", false},
    {"--engine", "vllm@0.11.0", false},
    {"--engine", "vllm@0.8.3", true},
    {"--context", "4k", false},  // a question, never a contradiction
};

TEST(SettingsOfLog, WhatWasGivenWinsAndAContradictionIsNamed) {
  for (const GivenCase& one : given_cases) {
    SCOPED_TRACE(std::string(one.option) + " " + one.given);
    Arguments arguments;
    arguments.values[one.option] = {one.given};
    const auto from = settings_of_log(arguments, log_of(vllm_line));
    ASSERT_TRUE(from);
    ASSERT_EQ(from->conflicts.size(), one.conflict ? 1U : 0U);
    if (one.conflict) {
      EXPECT_EQ(from->conflicts[0].option, one.option);
      EXPECT_EQ(from->arguments.value(one.option), one.given);
    }
  }
}

TEST(SettingsOfLog, TheUsersLengthIsTheQuestion) {
  Arguments arguments;
  arguments.values["--context"] = {"4k"};
  arguments.values["--concurrency"] = {"16"};
  const auto from = settings_of_log(arguments, log_of(vllm_line));
  ASSERT_TRUE(from);
  EXPECT_EQ(from->question.context, 4096U);
  EXPECT_EQ(from->question.concurrency, 16U);
  EXPECT_EQ(from->arguments.value("--context"), "8192");
  arguments.values["--context"] = {"4kb"};
  EXPECT_FALSE(settings_of_log(arguments, log_of(vllm_line)));
}

TEST(SettingsOfLog, FileTypesAreWeightFormats) {
  const std::pair<const char*, const char*> cases[] = {{"Q4_K - Medium", "Q4_K_M"},
                                                       {"Q3_K - Small", "Q3_K_S"},
                                                       {"IQ3_XXS - 3.0625 bpw", "IQ3_XXS"},
                                                       {"mostly Q4_0", "Q4_0"},
                                                       {"F16", "F16"}};
  for (const auto& [logged, word] : cases) {
    const auto log = log_of("load_tensors:\nprint_info: file type   = " + std::string(logged));
    FromLog from;
    take_weights(log, from);
    EXPECT_EQ(from.arguments.value("--weights"), word);
    FromLog given;
    given.arguments.values["--weights"] = {lower(word)};
    take_weights(log, given);
    EXPECT_TRUE(given.conflicts.empty()) << logged;
    given.arguments.values["--weights"] = {"q8_0"};
    take_weights(log, given);
    EXPECT_EQ(given.conflicts.size(), 1U) << logged;
  }
}

TEST(SettingsOfLog, LlamaCppCountsItsCards) {
  const auto two = settings_of_log({}, log_of("load_tensors: CUDA0 model buffer size = 1.00 MiB\n"
                                              "load_tensors: CUDA1 model buffer size = 1.00 MiB\n"
                                              "load_tensors: CPU_Mapped model buffer size = 1.00 "
                                              "MiB\nllama_context: n_ctx = 4096\n"));
  ASSERT_TRUE(two);
  EXPECT_EQ(two->cards, 2U);
  EXPECT_EQ(two->arguments.value("--ctx-size"), "4096");
  EXPECT_FALSE(two->arguments.has("--gpu-layers"));
  const auto none =
      settings_of_log({}, log_of("load_tensors: CPU_Mapped model buffer size = 1.00 MiB\n"));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->arguments.value("--gpu-layers"), "0");
}

}  // namespace
}  // namespace steelyard::cli

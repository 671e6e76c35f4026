#include "model/name_match.h"

#include <gtest/gtest.h>

#include "model/model.h"
#include "model/typical_shape.h"

namespace steelyard::model {
namespace {

struct Good {
  const char* asked;
  double parameters;   // of the shape it must find, in units of 1e9, within 6 %
  const char* method;  // quantisation method that must come out
};

// Parameters are those of the published model, as its card rounds them.
constexpr Good kGood[] = {
    {"Qwen/Qwen3-32B", 32.8, ""},
    {"qwen3-32b", 32.8, ""},
    {"QWEN3-32B", 32.8, ""},
    {"Qwen3_32B", 32.8, ""},
    {"Qwen3 32B", 32.8, ""},
    {"qwen3 32b", 32.8, ""},
    {"Qwen3-8B", 8.2, ""},
    {"Qwen/Qwen3-8B-Base", 8.2, ""},
    {"Qwen3-8B-AWQ", 8.2, "awq"},
    {"Qwen/Qwen3-32B-AWQ", 32.8, "awq"},
    {"Qwen3-8B-FP8", 8.2, "fp8"},
    {"Qwen/Qwen3-0.6B-FP8", 0.6, "fp8"},
    {"Qwen3-14B", 14.8, ""},
    {"Qwen3-4B-Instruct-2507", 4.0, ""},
    {"Qwen3-4B-Thinking-2507", 4.0, ""},
    {"Qwen3-30B-A3B", 30.5, ""},
    {"qwen3-30b-a3b-fp8", 30.5, "fp8"},
    {"Qwen/Qwen3-30B-A3B-GPTQ-Int4", 30.5, "gptq"},
    {"Qwen3-235B-A22B-Thinking-2507", 235, ""},
    {"Qwen/Qwen3-Next-80B-A3B-Instruct", 80, ""},
    {"Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8", 30.5, "fp8"},
    {"Qwen/Qwen3-VL-8B-Instruct", 8.77, ""},
    {"Qwen3-VL-32B-Instruct-AWQ", 33.4, "awq"},
    {"Qwen3.5-9B", 9.65, ""},
    {"Qwen3.5-35B-A3B-AWQ-4bit", 36, "awq"},
    {"Qwen3.5-122B-A10B", 125, ""},
    {"qwen3.8-27b-fp8", 27.8, "fp8"},
    {"Qwen3.8-27B NVFP4", 27.8, "nvfp4"},
    {"nvidia/Qwen3.8-27B-NVFP4", 27.8, "nvfp4"},
    {"Qwen3.8-27B bf16", 27.8, ""},
    {"Qwen3.6-35B-A3B NVFP4", 36, "nvfp4"},
    {"Qwen2___5-7B-Instruct", 7.6, ""},
    {"Qwen2.5-7B", 7.6, ""},
    {"qwen-2.5-7b", 7.6, ""},
    {"Qwen/Qwen2.5-0.5B", 0.49, ""},
    {"Qwen/Qwen2.5-1.5B", 1.54, ""},
    {"Qwen2.5-3B", 3.09, ""},
    {"Qwen2.5-14B-Instruct", 14.8, ""},
    {"Qwen2.5-32B-Instruct-AWQ", 32.8, "awq"},
    {"Qwen2.5-72B-Instruct-GPTQ-Int4", 72.7, "gptq"},
    {"Qwen2.5-7B GPTQ-Int4", 7.6, "gptq"},
    {"Qwen2.5-7B-Instruct-Q4_K_M.gguf", 7.6, "q4_k_m"},
    {"Qwen2.5-VL-72B-Instruct", 73.4, ""},
    {"Qwen/Qwen2.5-VL-7B-Instruct-AWQ", 8.3, "awq"},
    {"Qwen2.5-Coder-7B", 7.6, ""},
    {"Qwen2-72B-Instruct-GPTQ-Int4", 72.7, "gptq"},
    {"Qwen/Qwen2-7B-Instruct-GPTQ-Int8", 7.6, "gptq"},
    {"Qwen2-VL-7B-Instruct", 8.3, ""},
    {"Qwen2-Audio-7B-Instruct", 8.4, ""},
    {"Qwen-14B-Chat-Int4", 14.2, "int4"},
    {"QwQ-32B", 32.8, ""},
    {"Meta-Llama-3.1-70B-Instruct", 70.6, ""},
    {"meta-llama/llama-3-1-70b-instruct", 70.6, ""},
    {"meta-llama/Llama-3.1-8B-Instruct", 8.03, ""},
    {"Llama-3.1-8B-Instruct", 8.03, ""},
    {"llama-3.1-8b", 8.03, ""},
    {"llama3.1-8b", 8.03, ""},
    {"llama-3-8b", 8.03, ""},
    {"llama-3-8b-instruct", 8.03, ""},
    {"llama3-8b", 8.03, ""},
    {"llama-4-scout", 109, ""},
    {"llama-4-maverick", 402, ""},
    {"llama-3.3", 70.6, ""},
    {"Meta-Llama-3-8B-Instruct", 8.03, ""},
    {"neuralmagic/Meta-Llama-3-8B-Instruct-FP8", 8.03, "fp8"},
    {"hugging-quants/Meta-Llama-3.1-405B-Instruct-AWQ-INT4", 405.9, "awq"},
    {"unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", 8.03, "bnb-nf4"},
    {"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8", 8.03, "int8"},
    {"RedHatAI/Meta-Llama-3.1-70B-Instruct-quantized.w4a16", 70.6, "int4"},
    {"RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic", 70.6, "fp8"},
    {"Llama-3.3-70B", 70.6, ""},
    {"meta-llama/Llama-3.2-1B", 1.24, ""},
    {"meta-llama/Llama-3.2-3B-Instruct", 3.2, ""},
    {"meta-llama/Llama-3.2-11B-Vision", 10.67, ""},
    {"meta-llama/Llama-2-7b-chat-hf", 6.74, ""},
    {"Llama-2-7b-chat-hf", 6.74, ""},
    {"meta-llama/Llama-2-70b", 69, ""},
    {"TheBloke/Llama-2-13B-chat-GPTQ", 13.0, "gptq"},
    {"TheBloke/Llama-2-13B-chat-AWQ", 13.0, "awq"},
    {"Llama-4-Scout-17B-16E", 108.6, ""},
    {"codellama/CodeLlama-34b-Instruct-hf", 33.7, ""},
    {"mistralai/Mistral-7B", 7.24, ""},
    {"mistralai/Mistral-7B-Instruct-v0.2", 7.24, ""},
    {"mistralai/Mistral-7B-Instruct-v0.1", 7.24, ""},
    {"mistralai/Mistral-7B-v0.3", 7.25, ""},
    {"Mistral-Nemo-Instruct-2407", 12.2, ""},
    {"mistralai/Mixtral-8x22B", 140.6, ""},
    {"mixtral-8x7b", 46.7, ""},
    {"TheBloke/Mixtral-8x7B-Instruct-v0.1-AWQ", 46.7, "awq"},
    {"mistralai/Mistral-Small-24B-Instruct-2501", 23.6, ""},
    {"unsloth/Mistral-Small-24B-Instruct-2501-unsloth-bnb-4bit", 23.6, "bnb-nf4"},
    {"google/gemma-3-27b-it", 27.4, ""},
    {"Gemma-3-27b", 27.4, ""},
    {"google/gemma-3 (27B)", 27.4, ""},
    {"gemma-2-9b", 9.24, ""},
    {"google/gemma-2b-it", 2.5, ""},
    {"google/gemma-4-31B-it", 31.3, ""},
    {"deepseek-ai/DeepSeek-R1", 684, "fp8"},
    {"deepseek-r1", 684, "fp8"},
    {"DeepSeek-V3", 684, "fp8"},
    {"DeepSeek-V3.1", 684, "fp8"},
    {"DeepSeek-V2-Lite-Chat", 15.7, ""},
    {"DeepSeek-R1-Distill-Qwen-32B", 32.8, ""},
    {"DeepSeek-R1-Distill-Qwen-32B-Q4_K_M.gguf", 32.8, "q4_k_m"},
    {"jakiAJK/DeepSeek-R1-Distill-Qwen-7B_GPTQ-int4", 7.6, "gptq"},
    {"openai/gpt-oss-120b", 116.8, "mxfp4"},
    {"gpt-oss-20b", 20.9, "mxfp4"},
    {"moonshotai/Kimi-K2-Instruct-0905", 1026, "fp8"},
    {"facebook/opt-125m", 0.125, ""},
    {"facebook_opt-125m", 0.125, ""},
    {"facebook/opt-13b", 12.85, ""},
    {"facebook/opt-1.3b", 1.32, ""},
    {"facebook/opt-2.7b", 2.65, ""},
    {"starcoder2-15b", 15.7, ""},
    {"microsoft/Phi-3.5-mini-instruct", 3.82, ""},
    {"microsoft/Phi-3-mini-4k-instruct", 3.82, ""},
    {"phi-4_quantized_8bit", 14.7, "int8"},
    {"bge-m3", 0.568, ""},
    {"BAAI/bge-base-en-v1.5", 0.109, ""},
    {"chatglm3-6b", 6.24, ""},
    {"openai/whisper-large-v3", 1.54, ""},
    {"intfloat/e5-mistral-7b-instruct", 7.11, ""},
    {"zephyr-7b-alpha.Q8_0.gguf", 7.24, "q8_0"},
    {"ibm-research/PowerMoE-3b", 3.3, ""},
    {"/models/hub/Qwen3-8B/", 8.2, ""},
    {"Qwen3-8B (ollama)", 8.2, ""},
    {"Qwen/Qwen3-VL (8B shape)", 8.77, ""},
    {"Qwen3-30B-A3B (24 GB card, 80B)", 30.5, ""},
    {"tinyllama_tinyllama-1.1b-chat-v1.0", 1.1, ""},
    {"mistralai_Mistral-7B-Instruct-v0.2", 7.24, ""},
    {"qwen2-1_5b-instruct", 1.54, ""},
    {"deepseek-ai/DeepSeek-V3/R1", 685, "fp8"},
    {"Qwen3.6-35B-A3B-MTP", 36, ""},
    {"ai21labs/AI21-Jamba-1.5-Mini", 51.6, ""},
};

TEST(Names, FindTheShapeTheyMean) {
  for (const Good& good : kGood) {
    const auto model = catalogue_model(good.asked);
    const std::string method = good.method;
    const bool gguf = method.starts_with("q");
    if (!model && gguf) continue;  // GGUF mixes have their own reader and test
    ASSERT_TRUE(model) << good.asked << ": " << describe(model.error());
    const double found = static_cast<double>(model->parameters()) / 1e9;
    EXPECT_NEAR(found / good.parameters, 1, 0.06) << good.asked << " gave " << model->name;
    if (!method.ends_with('?') && !gguf) {
      EXPECT_EQ(model->quantisation.method, method) << good.asked << " gave " << model->name;
    }
  }
}

// Words that fit nothing: never another size, family or generation.
constexpr const char* kBad[] = {"",
                                "qwen",
                                "llama",
                                "llama3",
                                "llama-3.1",
                                "llama-4",
                                "mixtral",
                                "Qwen3",
                                "Qwen3-33B",
                                "Qwen2.5-33B",
                                "Qwen3-7B",
                                "Qwen2.5-30B",
                                "Llama-3.1-7B",
                                "Llama-3.2-8B",
                                "Llama-3-13B",
                                "llama-5-8b",
                                "Mistral-8B",
                                "Mixtral-8x9B",
                                "gemma-3-26b",
                                "gemma-9-27b",
                                "DeepSeek",
                                "DeepSeek-V9",
                                "DeepSeek-R2",
                                "gpt-oss",
                                "gpt-oss-70b",
                                "Qwen3-30B",
                                "Qwen3-235B",
                                "Qwen3-30B-A4B",
                                "Qwen2.5-Audio-7B",
                                "Qwen3-VL-9B",
                                "opt-130m",
                                "Phi-9",
                                "unknown",
                                "(1B class)",
                                "XVERSE-MoE-A4.2B-Chat",
                                "openbmb/MiniCPM-SALA",
                                "8b",
                                "instruct",
                                "AWQ",
                                "v0.1",
                                "///",
                                "....",
                                "Mistral-7B-v0.9",
                                "Qwen3-VL (9B shape)",
                                "Qwen3 (size not told)",
                                "AI21-Jamba-1.5-Large",
                                "DeepSeek-V9/R1",
                                "qwen_33b",
                                "sophosympatheia/Midnight-Miqu-70B-v1.0",
                                "lightonai/LightOnOCR-2-1B"};

TEST(Names, ThatFitNothingAreRefusedWithThreeNearest) {
  for (const char* name : kBad) {
    const auto model = catalogue_model(name);
    ASSERT_FALSE(model) << name << " gave " << model->name;
    EXPECT_EQ(model.error().kind, ErrorKind::not_found) << name;
    EXPECT_TRUE(model.error().try_this.starts_with("nearest: ")) << name;
  }
  const auto model = catalogue_model("Qwen3-33B");
  EXPECT_NE(model.error().try_this.find("Qwen/Qwen3-32B"), std::string::npos)
      << model.error().try_this;
}

TEST(Names, WithoutASizeListThoseOfThatName) {
  const std::pair<const char*, const char*> cases[] = {
      {"llama3", "Meta-Llama-3-8B"}, {"mixtral", "Mixtral-8x7B"}, {"qwen3", "Qwen3-8B"},
      {"gpt-oss", "gpt-oss-20b"},    {"kimi", "Kimi-K2"},         {"gemma", "gemma-7b"},
      {"llama-3.1", "Llama-3.1-8B"}};
  for (const auto& [name, near] : cases) {
    const auto model = catalogue_model(name);
    ASSERT_FALSE(model) << name;
    EXPECT_NE(model.error().try_this.find(near), std::string::npos)
        << name << ": " << model.error().try_this;
  }
}

TEST(Names, SayWhatWasAssumed) {
  const auto model = catalogue_model("Qwen3-8B-AWQ");
  ASSERT_TRUE(model);
  bool said = false;
  for (const std::string& note : model->notes) said = said || note.find("awq") != std::string::npos;
  EXPECT_TRUE(said);
  EXPECT_LT(model->weight_bytes().as_gib(), 6.0);
}

TEST(Names, LongOnesCostNothing) {
  EXPECT_FALSE(catalogue_model(std::string(100000, 'q')));
  EXPECT_FALSE(catalogue_model(std::string(299, '-')));
}

}  // namespace
}  // namespace steelyard::model

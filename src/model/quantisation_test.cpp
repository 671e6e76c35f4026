#include "model/quantisation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/model.h"
#include "model/module_pattern.h"

namespace steelyard::model {
namespace {

TEST(Packing, BytesOfOneMatrix) {
  // 4096 x 4096, counted by hand from each format's tensors.
  constexpr std::uint64_t n = 4096, all = n * n;
  struct Case {
    const char* name;
    Packing packing;
    std::uint64_t bytes;
  };
  const Case cases[] = {
      {"awq", awq_packing(4, 128), all / 2 + n * 32 * 2 + n * 32 / 2},
      {"gptq", gptq_packing(4, 128), all / 2 + n * 32 * 2 + n * 32 / 2 + n * 4},
      {"gptq 8", gptq_packing(8, 128), all + n * 32 * 2 + n * 32 + n * 4},
      {"gptq 3", gptq_packing(3, 128), all * 3 / 8 + n * 32 * 2 + n * 32 * 3 / 8 + n * 4},
      {"gptq, one group", gptq_packing(4, 0), all / 2 + n * 2 + n / 2 + n * 4},
      {"int4", packed_int_packing(4, 128, true, false), all / 2 + n * 32 * 2 + 16},
      {"int8", int8_channel_packing(), all + n * 4},
      {"fp8", fp8_tensor_packing(), all + 8},
      {"fp8 block", fp8_block_packing(128, 128), all + 32 * 32 * 4},
      {"nvfp4", nvfp4_packing(), all / 2 + all / 16 + 8},
      {"mxfp4", mxfp4_packing(), all / 2 + all / 32},
      {"nf4", nf4_packing(false), all / 2 + all / 64 * 4 + 64},
      {"nf4 twice", nf4_packing(true), all / 2 + all / 64 + all / 64 / 256 * 4 + 4 + 64 + 1024},
  };
  for (const Case& c : cases) EXPECT_EQ(c.packing.bytes(n, n), c.bytes) << c.name;
  // Odd shapes round up.
  EXPECT_EQ(fp8_block_packing(128, 128).bytes(129, 1), 129u + 2 * 4);
}

TEST(ModulePattern, NamesGlobsAndExpressions) {
  struct Case {
    const char *pattern, *module;
    bool yes;
  };
  constexpr Case cases[] = {
      {"lm_head", "lm_head", true},
      {"gate", "model.layers.0.block_sparse_moe.gate", true},
      {"gate", "model.layers.0.mlp.gate_proj", false},
      {"model.layers.1", "model.layers.1.mlp.up_proj", true},
      {"model.layers.1", "model.layers.10.mlp.up_proj", false},
      {"model.layers.0*", "model.layers.0.mlp.up_proj", true},
      {"model.layers.1.*", "model.layers.10.mlp.up_proj", false},
      {"model.layers.*.self_attn", "model.layers.7.self_attn.q_proj", true},
      {"*.mlp.shared_expert.*", "model.layers.3.mlp.shared_expert.up_proj", true},
      {"mtp*", "mtp.layers.0.self_attn.q_proj", true},
      {"language_model.model.layers.3.self_attn*", "model.layers.3.self_attn.q_proj", true},
      {"re:.*self_attn.*", "model.layers.3.self_attn.q_proj", true},
      {"re:.*shared_experts.*", "model.layers.3.mlp.experts.*.up_proj", false},
      {"re:.*mlp\\.(gate|up|gate_up|down)_proj.*", "model.layers.0.mlp.up_proj", true},
      {"re:.*mlp\\.(gate|up|gate_up|down)_proj.*", "model.layers.0.mlp.experts.*.up_proj", false},
      {"re:model\\.layers\\.[0-3]\\..*", "model.layers.2.mlp.up_proj", true},
      {"re:model\\.layers\\.[0-3]\\..*", "model.layers.4.mlp.up_proj", false},
      {"re:^a+$", "aaa", true},
      {"re:(a|b)?c", "bc", true},
      {"re:(((((a*)*)*)*)*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
      {"re:(", "x", false},
      {"re:[", "x", false},
      {"re:\\", "x", false},
      {"", "x", false},
  };
  for (const Case& c : cases) EXPECT_EQ(names_module(c.pattern, c.module), c.yes) << c.pattern;
}

std::uint64_t stored(const Model& model, std::string_view end) {
  for (const Tensor& tensor : model.tensors) {
    if (model.name_of(tensor).ends_with(end)) return tensor.bytes.value();
  }
  ADD_FAILURE() << "no tensor " << end;
  return 0;
}

Model tiny(const std::string& quantisation) {
  const std::string json = fmt::format(
      R"({{"model_type":"qwen3_moe","hidden_size":512,"num_hidden_layers":2,"num_attention_heads":4,
"num_key_value_heads":2,"head_dim":128,"intermediate_size":1024,"moe_intermediate_size":256,
"num_experts":8,"num_experts_per_tok":2,"mlp_only_layers":[0],"vocab_size":1000,
"torch_dtype":"bfloat16","quantization_config":{}}})",
      quantisation);
  auto model = read_config(json, "tiny");
  EXPECT_TRUE(model) << (model ? "" : describe(model.error()));
  return model ? *model : Model{};
}

TEST(QuantisationConfig, DecidesTensorByTensor) {
  const std::uint64_t up = 512 * 1024, q = 512 * 512, expert = 8 * 256 * 512;
  struct Case {
    const char* config;
    const char* method;
    std::uint64_t up_bytes, q_bytes, expert_bytes;
  };
  const Case cases[] = {
      {R"({"quant_method":"fp8","weight_block_size":[128,128]})", "fp8", up + 32 * 4, q + 16 * 4,
       expert + 8 * 8 * 4},
      {R"({"quant_method":"fp8","modules_to_not_convert":["self_attn"]})", "fp8", up + 4, 2 * q,
       expert + 8 * 4},
      {R"({"quant_method":"mxfp4"})", "mxfp4", 2 * up, 2 * q, expert / 2 + expert / 32},
      {R"({"quant_method":"modelopt","quant_algo":"NVFP4","ignore":["model.layers.0*"]})", "nvfp4",
       2 * up, 2 * q, expert / 2 + expert / 16 + 8 * 8},
      // An excerpt: what it shows of one layer holds in all.
      {R"({"quant_algo":"NVFP4","ignore":["model.layers.7.self_attn*","... 9 entries"]})", "nvfp4",
       up / 2 + up / 16 + 8, 2 * q, expert / 2 + expert / 16 + 8 * 8},
      {R"({"quant_method":"awq","bits":4,"group_size":128})", "awq", up / 2 + 1024 * 4 * 5 / 2,
       q / 2 + 512 * 4 * 5 / 2, expert / 2 + 8 * 256 * 4 * 5 / 2},
      {R"({"quant_method":"gptq","bits":4,"group_size":-1})", "gptq",
       up / 2 + 1024 * 5 / 2 + 512 * 4, q / 2 + 512 * 5 / 2 + 512 * 4,
       expert / 2 + 8 * (256 * 5 / 2 + 512 * 4)},
      {R"({"quant_method":"compressed-tensors","format":"pack-quantized",
"ignore":["re:.*self_attn.*"],
"config_groups":{"g":{"targets":["Linear"],"weights":{"num_bits":4,"type":"int","group_size":32,
"strategy":"group","symmetric":true}}}})",
       "compressed-tensors", up / 2 + 1024 * 16 * 2 + 16, 2 * q,
       expert / 2 + 8 * (256 * 16 * 2 + 16)},
      {R"({"quant_method":"bitsandbytes","load_in_8bit":true})", "bnb-int8", up + 1024 * 4,
       q + 512 * 4, expert + 8 * 256 * 4},
      {R"({"quant_method":"aqlm"})", "aqlm", 2 * up, 2 * q, 2 * expert},
  };
  for (const Case& c : cases) {
    const Model model = tiny(c.config);
    EXPECT_EQ(model.quantisation.method, c.method) << c.config;
    EXPECT_EQ(stored(model, "layers.0.mlp.up_proj.weight"), c.up_bytes) << c.config;
    EXPECT_EQ(stored(model, "layers.0.self_attn.q_proj.weight"), c.q_bytes) << c.config;
    EXPECT_EQ(stored(model, "layers.1.mlp.experts.*.up_proj.weight"), c.expert_bytes) << c.config;
    EXPECT_EQ(stored(model, "lm_head.weight"), 2u * 512 * 1000) << c.config;
    EXPECT_EQ(stored(model, "layers.1.mlp.gate.weight"), 2u * 512 * 8) << c.config;
  }
}

TEST(QuantisationConfig, FourBitExpertsBesideFp8) {
  const auto flash = catalogue_model("deepseek-ai/DeepSeek-V4-Flash");
  ASSERT_TRUE(flash);
  EXPECT_EQ(flash->quantisation.method, "mxfp4");
  const auto bytes = static_cast<double>(flash->weight_bytes().value());
  EXPECT_NEAR(bytes / static_cast<double>(flash->parameters()), 0.55, 0.02);
}

TEST(WithWeights, EachFormatAndNoOther) {
  const auto base = catalogue_model("Meta-Llama-3.1-8B");
  ASSERT_TRUE(base);
  struct Case {
    const char* format;
    double gib, tolerance;
  };
  // Published files: bf16 14.96 GiB, FP8 8.46, AWQ and GPTQ 5.3-5.4, W8A8 8.46, NF4 5.3.
  for (const Case& c :
       {Case{"bf16", 14.96, 0.01}, Case{"fp16", 14.96, 0.01}, Case{"fp32", 29.92, 0.02},
        Case{"fp8", 8.46, 0.03}, Case{"int8", 8.46, 0.03}, Case{"awq", 5.33, 0.05},
        Case{"GPTQ", 5.34, 0.05}, Case{"nf4", 5.31, 0.1}, Case{"nvfp4", 5.62, 0.1},
        Case{"int4", 5.31, 0.1}, Case{"mxfp4", 5.42, 0.1}}) {
    const auto model = with_weights(*base, c.format);
    ASSERT_TRUE(model) << c.format;
    EXPECT_NEAR(model->weight_bytes().as_gib(), c.gib, c.tolerance) << c.format;
    EXPECT_EQ(model->parameters(), base->parameters()) << c.format;
    EXPECT_FALSE(model->quantisation.description.empty()) << c.format;
  }
  for (const char* word : {"", "fp7", "int5", "awqq", "none"}) {
    EXPECT_FALSE(with_weights(*base, word)) << word;
  }
}

}  // namespace
}  // namespace steelyard::model

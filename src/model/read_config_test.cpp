#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/catalogue.h"
#include "model/model.h"

namespace steelyard::model {
namespace {

std::string with(std::string_view field, std::string_view value) {
  std::string json =
      R"({"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,)"
      R"("intermediate_size":128,"vocab_size":100)";
  if (!field.empty()) json += fmt::format(R"(,"{}":{})", field, value);
  return json + "}";
}

TEST(ReadConfig, RefusesHostileInputAndSaysWhere) {
  struct Case {
    std::string json;
    ErrorKind kind;
    const char* field;  // "" when it is not one field
  };
  const std::string deep(100000, '[');
  const Case cases[] = {
      {"", ErrorKind::bad_input, ""},
      {"   ", ErrorKind::bad_input, ""},
      {"not json", ErrorKind::bad_input, ""},
      {"[1,2]", ErrorKind::bad_input, ""},
      {"{}", ErrorKind::missing_field, "model_type"},
      {"{\"a\":1}", ErrorKind::missing_field, "model_type"},
      {"{\"model_type\":\"llama\"", ErrorKind::bad_input, ""},
      {"{\"model_type\":\"llama\"}", ErrorKind::missing_field, "hidden_size"},
      {"{\"a\":" + deep, ErrorKind::too_large, ""},
      {std::string(17 << 20, ' '), ErrorKind::too_large, ""},
      {with("num_key_value_heads", "-1"), ErrorKind::too_large, "num_key_value_heads"},
      {with("num_key_value_heads", "1e300"), ErrorKind::too_large, "num_key_value_heads"},
      {with("num_key_value_heads", "99999999999999999999"), ErrorKind::too_large,
       "num_key_value_heads"},
      {with("num_key_value_heads", "NaN"), ErrorKind::bad_input, "num_key_value_heads"},
      {with("head_dim", "-Infinity"), ErrorKind::bad_input, "head_dim"},
      {with("head_dim", "1.5"), ErrorKind::too_large, "head_dim"},
      {with("head_dim", "\"64\""), ErrorKind::bad_input, "head_dim"},
      {with("head_dim", "[64]"), ErrorKind::bad_input, "head_dim"},
      {with("num_experts", "65537"), ErrorKind::too_large, "num_experts"},
      {with("tie_word_embeddings", "\"yes\""), ErrorKind::bad_input, "tie_word_embeddings"},
      {with("layer_types", "[\"full_attention\"]"), ErrorKind::bad_input, "layer_types"},
      {with("quantization_config", R"({"quant_method":"awq","bits":"four"})"), ErrorKind::bad_input,
       "quantization_config.bits"},
      {with("quantization_config", R"({"quant_method":"gptq","bits":0})"), ErrorKind::bad_input,
       "quantization_config.bits"},
      {with("quantization_config", R"({"quant_method":"awq","bits":32})"), ErrorKind::bad_input,
       "quantization_config.bits"},
      {with("num_key_value_heads", "0"), ErrorKind::bad_input, "num_key_value_heads"},
      {with("num_key_value_heads", "3"), ErrorKind::bad_input, "num_key_value_heads"},
      {with("num_key_value_heads", "8"), ErrorKind::bad_input, "num_key_value_heads"},
      {with("head_dim", "0"), ErrorKind::bad_input, "head_dim"},
      {R"({"model_type":"mixtral","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,)"
       R"("intermediate_size":128,"vocab_size":100,"num_local_experts":4,)"
       R"("num_experts_per_tok":8})",
       ErrorKind::bad_input, "num_experts_per_tok"},
      {with("rope_theta", "1e400"), ErrorKind::too_large, ""},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", ErrorKind::bad_input, ""},
      {std::string("\xff\xfe{\0}\0", 6), ErrorKind::bad_input, ""},
      {"<!DOCTYPE html>", ErrorKind::bad_input, ""},
      {R"({"model_type":"llama","num_hidden_layers":1000000000})", ErrorKind::missing_field,
       "hidden_size"},
  };
  for (const Case& c : cases) {
    const auto model = read_config(c.json, "x/config.json");
    const std::string shown = c.json.substr(0, 200);
    ASSERT_FALSE(model) << shown;
    EXPECT_EQ(model.error().kind, c.kind) << shown << describe(model.error());
    EXPECT_EQ(model.error().field, c.field) << shown << describe(model.error());
    EXPECT_FALSE(model.error().try_this.empty()) << shown;
    EXPECT_EQ(model.error().file, "x/config.json") << shown;
  }
}

TEST(ReadConfig, GivesTheByteOfASyntaxError) {
  const auto model = read_config("{\"model_type\": llama}", "c");
  ASSERT_FALSE(model);
  ASSERT_TRUE(model.error().byte);
  EXPECT_EQ(*model.error().byte, 15u);
}

TEST(ReadConfig, ReadsWhatToolsWriteLoosely) {
  EXPECT_TRUE(read_config(with("num_key_value_heads", "2.0"), "c"));
  EXPECT_TRUE(read_config(with("time_step_limit", "[0.0, Infinity]"), "c"));
  EXPECT_TRUE(read_config(with("head_dim", "null"), "c"));
}

TEST(ReadConfig, UnknownArchitectureIsDerivedAndSaysSo) {
  std::string json = with("", "");
  json.replace(json.find("llama"), 5, "zebra");
  const auto model = read_config(json, "c");
  ASSERT_TRUE(model);
  ASSERT_FALSE(model->notes.empty());
  EXPECT_EQ(model->layers.size(), 2u);
}

TEST(ReadConfig, UnknownArchitectureWithoutTheUsualFieldsIsNotEstablished) {
  const auto model = read_config(R"({"model_type":"zebra","width":12})", "c");
  ASSERT_TRUE(model);
  EXPECT_NE(model->not_established.find("zebra"), std::string::npos);
  EXPECT_TRUE(model->layers.empty());
  EXPECT_TRUE(model->tensors.empty());
}

struct Kinds {
  const char* name;
  std::size_t full, sliding, mla, recurrent, cross, none;
};

TEST(ReadConfig, LayerKindsOfHybridsAndWindows) {
  constexpr Kinds rows[] = {
      {"Qwen/Qwen3-8B", 36, 0, 0, 0, 0, 0},
      {"google/gemma-3-27b-it", 10, 52, 0, 0, 0, 0},
      {"google/gemma-2-9b-it", 21, 21, 0, 0, 0, 0},
      {"openai/gpt-oss-120b", 18, 18, 0, 0, 0, 0},
      {"Qwen/Qwen3.5-27B", 16, 0, 0, 48, 0, 0},
      {"deepseek-ai/DeepSeek-V3", 0, 0, 61, 0, 0, 0},
      {"meta-llama/Llama-3.2-11B-Vision-Instruct", 32, 0, 0, 0, 8, 0},
      {"ai21labs/Jamba-v0.1-or-1.5-Mini-shape", 4, 0, 0, 28, 0, 0},
      {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 6, 0, 0, 23, 0, 23},
      {"mistralai/Mistral-7B-v0.1", 0, 32, 0, 0, 0, 0},
      {"Qwen/Qwen2.5-7B-Instruct", 28, 0, 0, 0, 0, 0},
      {"ibm-granite/granite-4.0-h-small", 4, 0, 0, 36, 0, 0},
      {"openai/whisper-large-v3-turbo", 4, 0, 0, 0, 4, 0},
  };
  for (const Kinds& row : rows) {
    const auto model = catalogue_model(row.name);
    ASSERT_TRUE(model) << row.name;
    const auto count = [&](Mixer mixer) {
      return static_cast<std::size_t>(
          std::ranges::count(model->layers, mixer, [](const Layer& l) { return l.mixer; }));
    };
    EXPECT_EQ(count(Mixer::full), row.full) << row.name;
    EXPECT_EQ(count(Mixer::sliding), row.sliding) << row.name;
    EXPECT_EQ(count(Mixer::mla), row.mla) << row.name;
    EXPECT_EQ(count(Mixer::recurrent), row.recurrent) << row.name;
    EXPECT_EQ(count(Mixer::cross), row.cross) << row.name;
    EXPECT_EQ(count(Mixer::none), row.none) << row.name;
  }
}

// Names are kept without the numbers of the layers that share them; asked for, they are whole.
TEST(ReadConfig, NamesTensorsAsTheFilesDo) {
  struct Named {
    const char* model;
    const char* tensor;
    std::int32_t layer;  // of ours; -2: there is no such tensor
  };
  const Named rows[] = {
      {"Qwen/Qwen3-8B", "model.embed_tokens.weight", -1},
      {"Qwen/Qwen3-8B", "model.layers.0.self_attn.q_proj.weight", 0},
      {"Qwen/Qwen3-8B", "model.layers.35.mlp.down_proj.weight", 35},
      {"Qwen/Qwen3-8B", "model.layers.36.mlp.down_proj.weight", -2},
      {"Qwen/Qwen3-8B", "model.layers..mlp.down_proj.weight", -2},
      {"deepseek-ai/DeepSeek-R1", "model.layers.2.mlp.up_proj.weight", 2},
      {"deepseek-ai/DeepSeek-R1", "model.layers.3.mlp.up_proj.weight", -2},
      {"deepseek-ai/DeepSeek-R1", "model.layers.60.mlp.experts.*.up_proj.weight", 60},
      {"deepseek-ai/DeepSeek-R1", "model.layers.61.eh_proj.weight", 61},
      {"llava-hf/llava-1.5-7b-hf", "language_model.model.layers.31.self_attn.v_proj.weight", 31},
      {"llava-hf/llava-1.5-7b-hf", "language_model.model.norm.weight", -1},
      {"llava-hf/llava-1.5-7b-hf", "vision_tower.encoder.layers.10.attn.q.weight", -1},
      {"openai/whisper-large-v3", "model.encoder.layers.31.fc1.weight", -1},
      {"openai/whisper-large-v3", "model.decoder.layers.7.encoder_attn.k_proj.weight", 15},
  };
  for (const Named& row : rows) {
    const auto model = catalogue_model(row.model);
    ASSERT_TRUE(model) << row.model;
    std::vector<std::int32_t> layers;
    for (const Tensor& tensor : model->tensors) {
      if (model->name_of(tensor) == row.tensor) layers.push_back(tensor.layer);
    }
    const std::vector<std::int32_t> one{row.layer}, none;
    EXPECT_EQ(layers, row.layer == -2 ? none : one) << row.model << " " << row.tensor;
  }
}

}  // namespace
}  // namespace steelyard::model

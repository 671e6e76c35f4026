#include <gtest/gtest.h>

#include <cstring>

#include "model/gguf_writer_for_tests.h"
#include "model/model.h"

namespace steelyard::model {
namespace {

constexpr const char* kConfig = R"({"architectures":["LlamaForCausalLM"],"model_type":"llama",
  "hidden_size":64,"intermediate_size":128,"num_hidden_layers":2,"num_attention_heads":4,
  "num_key_value_heads":2,"vocab_size":256,"max_position_embeddings":128,
  "torch_dtype":"bfloat16"})";

// One tensor of 8 x 16 BF16, with its data.
std::string shard(const std::string& name) {
  const std::string json =
      "{\"" + name + R"(":{"dtype":"BF16","shape":[8,16],"data_offsets":[0,256]}})";
  std::string length(8, '\0');
  const std::uint64_t size = json.size();
  std::memcpy(length.data(), &size, 8);
  return length + json + std::string(256, 'd');
}

const std::string kIndex = R"({"metadata":{"total_size":512},"weight_map":{
  "model.layers.0.mlp.up_proj.weight":"model-1.safetensors",
  "model.layers.1.mlp.up_proj.weight":"model-2.safetensors"}})";
const std::string kOne = shard("model.layers.0.mlp.up_proj.weight");
const std::string kTwo = shard("model.layers.1.mlp.up_proj.weight");
const std::string kPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n";

std::string gguf() {
  GgufWriter writer;
  writer.string("general.architecture", "llama");
  writer.u32("llama.block_count", 1);
  writer.u32("llama.embedding_length", 64);
  writer.u32("llama.attention.head_count", 4);
  writer.tensor("token_embd.weight", {64, 32}, 0, 8192);
  return writer.header() + std::string(8192 + 64, 'd');
}

std::string with_layers(int count) {
  std::string config = kConfig;
  const std::string key = "\"num_hidden_layers\":";
  return config.replace(config.find(key), key.size() + 1, key + std::to_string(count));
}

TEST(ReadModel, AGgufOfOneLayerOfEightIsNotEstablished) {
  GgufWriter writer;
  writer.string("general.architecture", "llama");
  writer.u32("llama.block_count", 8);
  writer.u32("llama.embedding_length", 64);
  writer.u32("llama.attention.head_count", 4);
  writer.tensor("blk.0.attn_q.weight", {64, 64}, 0, 16384);
  os::FilesTwin twin;
  twin.files["m.gguf"] = writer.header() + std::string(16384 + 64, 'd');
  const auto model = read_model(twin, "m.gguf");
  ASSERT_TRUE(model) << describe(model.error());
  EXPECT_NE(model->not_established.find("1 of its 8 layers"), std::string::npos);
}

TEST(ReadModel, HeadersComeBeforeTheConfigAndTakeItsLayers) {
  struct Case {
    const char* why;
    std::map<std::string, std::string> files;
    const char* argument;
    Reading reading;
    std::size_t layers;
    std::uint64_t bytes;  // 0: what the config implies, more than the files hold
  };
  const std::map<std::string, std::string> snapshot = {{"d/config.json", kConfig},
                                                       {"d/model.safetensors.index.json", kIndex},
                                                       {"d/model-1.safetensors", kOne},
                                                       {"d/model-2.safetensors", kTwo}};
  const Case table[] = {
      {"a snapshot: index, shards, config", snapshot, "d", Reading::catalogue_and_header, 2, 512},
      {"the same by its index", snapshot, "d/model.safetensors.index.json",
       Reading::catalogue_and_header, 2, 512},
      {"a folder with one file",
       {{"d/config.json", kConfig}, {"d/model.safetensors", kOne}},
       "d/",
       Reading::catalogue_and_header,
       2,
       256},
      {"one file, the config beside it",
       {{"d/config.json", kConfig}, {"d/model.safetensors", kOne}},
       "d/model.safetensors",
       Reading::catalogue_and_header,
       2,
       256},
      {"one file alone",
       {{"model.safetensors", kOne}},
       "model.safetensors",
       Reading::safetensors,
       0,
       256},
      {"a shard is missing",
       {{"d/config.json", kConfig},
        {"d/model.safetensors.index.json", kIndex},
        {"d/model-1.safetensors", kOne}},
       "d",
       Reading::config,
       2,
       0},
      {"only pointers to the shards",
       {{"d/config.json", kConfig}, {"d/model.safetensors", kPointer}},
       "d",
       Reading::config,
       2,
       0},
      {"only a config", {{"d/config.json", kConfig}}, "d", Reading::config, 2, 0},
      {"a GGUF in a folder",
       {{"d/m.gguf", gguf()}, {"d/mmproj-m.gguf", "GGUF"}},
       "d",
       Reading::gguf,
       1,
       8192},
      {"a GGUF beside a config",
       {{"d/m.gguf", gguf()}, {"d/config.json", kConfig}},
       "d",
       Reading::gguf,
       1,
       8192},
  };
  for (const Case& c : table) {
    os::FilesTwin twin;
    twin.files = c.files;
    const auto model = read_model(twin, c.argument);
    ASSERT_TRUE(model) << c.why << ": " << describe(model.error());
    EXPECT_EQ(static_cast<int>(model->reading), static_cast<int>(c.reading)) << c.why;
    EXPECT_EQ(model->layers.size(), c.layers) << c.why;
    const std::uint64_t bytes = model->weight_bytes().value();
    EXPECT_TRUE(c.bytes > 0 ? bytes == c.bytes : bytes > 512) << c.why << ": " << bytes;
  }
}

// A part of a download must not be weighed as the whole.
TEST(ReadModel, PartsOfADownloadAreWeighedByTheConfig) {
  const std::map<std::string, std::string> part = {{"d/config.json", kConfig},
                                                   {"d/model-00001-of-00004.safetensors", kOne}};
  const std::map<std::string, std::string> thin = {{"d/config.json", with_layers(12)},
                                                   {"d/model.safetensors", kOne}};
  const std::tuple<const char*, std::map<std::string, std::string>, const char*> table[] = {
      {"one file of four, no index", part, "d"},
      {"one file of four, by its name", part, "d/model-00001-of-00004.safetensors"},
      {"a file with one layer of twelve", thin, "d"},
  };
  for (const auto& [why, content, argument] : table) {
    os::FilesTwin twin;
    twin.files = content;
    const auto model = read_model(twin, argument);
    ASSERT_TRUE(model) << why << ": " << describe(model.error());
    EXPECT_EQ(static_cast<int>(model->reading), static_cast<int>(Reading::config)) << why;
    EXPECT_GT(model->weight_bytes().value(), 512u) << why;
    EXPECT_FALSE(model->notes.empty()) << why;
  }
}

TEST(ReadModel, FoldersThatTellNothing) {
  const std::pair<const char*, std::map<std::string, std::string>> table[] = {
      {"nothing of a model", {{"d/README.md", "x"}}},
      {"several GGUF models", {{"d/a.gguf", gguf()}, {"d/b.gguf", gguf()}}},
      {"a broken header", {{"d/config.json", kConfig}, {"d/model.safetensors", "1234567"}}},
      {"pointers and no config", {{"d/model.safetensors", kPointer}}},
      {"an index and no shard", {{"d/model.safetensors.index.json", kIndex}}},
  };
  for (const auto& [why, content] : table) {
    os::FilesTwin twin;
    twin.files = content;
    const auto model = read_model(twin, "d");
    ASSERT_FALSE(model) << why;
    EXPECT_FALSE(model.error().file.empty()) << why;
    EXPECT_FALSE(model.error().try_this.empty()) << why;
  }
}

}  // namespace
}  // namespace steelyard::model

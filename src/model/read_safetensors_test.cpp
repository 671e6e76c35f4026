#include <gtest/gtest.h>

#include <cstring>
#include <tuple>

#include "model/model.h"

namespace steelyard::model {
namespace {

std::string file(const std::string& json, std::size_t data = 0) {
  std::string length(8, '\0');
  const std::uint64_t size = json.size();
  std::memcpy(length.data(), &size, 8);
  return length + json + std::string(data, 'd');
}
std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   std::uint64_t begin, std::uint64_t end) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
}
Result<Model> read(const std::string& bytes) {
  os::FilesTwin twin;
  twin.files["m.safetensors"] = bytes;
  return read_safetensors(twin, "m.safetensors");
}

TEST(ReadSafetensors, PackedFormatsCountWeights) {
  struct Case {
    const char* why;
    std::string json;
    std::uint64_t parameters, bytes;
  };
  const std::string p = "model.layers.0.self_attn.q_proj";
  const Case table[] = {
      {"bf16", tensor(p + ".weight", "BF16", "[64,128]", 0, 16384), 8192, 16384},
      {"AWQ",
       tensor(p + ".qweight", "I32", "[128,8]", 0, 4096) + "," +
           tensor(p + ".qzeros", "I32", "[1,8]", 4096, 4128) + "," +
           tensor(p + ".scales", "F16", "[1,64]", 4128, 4256),
       8192, 4256},
      {"GPTQ 4",
       tensor(p + ".qweight", "I32", "[16,64]", 0, 4096) + "," +
           tensor(p + ".qzeros", "I32", "[1,8]", 4096, 4128) + "," +
           tensor(p + ".scales", "F16", "[1,64]", 4128, 4256) + "," +
           tensor(p + ".g_idx", "I32", "[128]", 4256, 4768),
       8192, 4768},
      {"GPTQ 8",
       tensor(p + ".qweight", "I32", "[32,64]", 0, 8192) + "," +
           tensor(p + ".qzeros", "I32", "[1,16]", 8192, 8256) + "," +
           tensor(p + ".scales", "F16", "[1,64]", 8256, 8384),
       8192, 8384},
      {"FP8 blocks",
       tensor(p + ".weight", "F8_E4M3", "[64,128]", 0, 8192) + "," +
           tensor(p + ".weight_scale_inv", "F32", "[1,1]", 8192, 8196),
       8192, 8196},
      {"NVFP4",
       tensor(p + ".weight", "U8", "[64,64]", 0, 4096) + "," +
           tensor(p + ".weight_scale", "F8_E4M3", "[64,8]", 4096, 4608) + "," +
           tensor(p + ".weight_scale_2", "F32", "[]", 4608, 4612),
       8192, 4612},
      {"MXFP4 experts",
       tensor("model.layers.0.mlp.experts.gate_up_proj_blocks", "U8", "[4,64,4,16]", 0, 16384) +
           "," +
           tensor("model.layers.0.mlp.experts.gate_up_proj_scales", "U8", "[4,64,4]", 16384, 17408),
       32768, 17408},
      {"bitsandbytes",
       tensor(p + ".weight", "U8", "[4096,1]", 0, 4096) + "," +
           tensor(p + ".weight.absmax", "U8", "[128]", 4096, 4224) + "," +
           tensor(p + ".weight.quant_state.bitsandbytes__nf4", "U8", "[90]", 4224, 4314),
       8192, 4314},
      {"experts one by one",
       tensor("model.layers.0.mlp.experts.0.up_proj.weight", "BF16", "[8,16]", 0, 256) + "," +
           tensor("model.layers.0.mlp.experts.1.up_proj.weight", "BF16", "[8,16]", 256, 512),
       256, 512},
  };
  for (const Case& c : table) {
    const auto model = read(file("{" + c.json + "}"));
    ASSERT_TRUE(model) << c.why << ": " << describe(model.error());
    EXPECT_EQ(model->parameters(), c.parameters) << c.why;
    EXPECT_EQ(model->weight_bytes().value(), c.bytes) << c.why;
    std::size_t with_weights = 0;
    for (const Tensor& t : model->tensors) with_weights += t.parameters() > 0;
    EXPECT_EQ(with_weights, 1u) << c.why;
  }
}

TEST(ReadSafetensors, HostileHeaders) {
  const std::string good = tensor("a", "F32", "[2]", 0, 8);
  const std::pair<const char*, std::string> table[] = {
      {"empty", ""},
      {"seven bytes", "1234567"},
      {"length past the end", file("{}").substr(0, 9)},
      {"4 GB claim", std::string("\0\0\0\0\1\0\0\0{}", 10)},
      {"2^63 claim", std::string("\0\0\0\0\0\0\0\x80{}", 10)},
      {"no JSON", file("GGUF")},
      {"no tensors", file("{}")},
      {"cut", file("{" + good)},
      {"list", file("[" + good + "]")},
      {"deep", file("{\"__metadata__\":" + std::string(100000, '[') + "}")},
      {"dtype number", file("{\"a\":{\"dtype\":3,\"shape\":[2],\"data_offsets\":[0,8]}}")},
      {"dtype unknown", file("{" + tensor("a", "F99", "[2]", 0, 8) + "}")},
      {"negative shape", file("{" + tensor("a", "F32", "[-2]", 0, 8) + "}")},
      {"NaN shape", file("{" + tensor("a", "F32", "[NaN]", 0, 8) + "}")},
      {"float shape", file("{" + tensor("a", "F32", "[2.0]", 0, 8) + "}")},
      {"2^63 squared",
       file("{" + tensor("a", "F32", "[9223372036854775808,9223372036854775808]", 0, 8) + "}")},
      {"beyond 64 bits", file("{" + tensor("a", "F32", "[99999999999999999999999]", 0, 8) + "}")},
      {"9 dimensions", file("{" + tensor("a", "F32", "[1,1,1,1,1,1,1,1,2]", 0, 8) + "}")},
      {"offsets turned", file("{" + tensor("a", "F32", "[2]", 8, 0) + "}")},
      {"offsets too near", file("{" + tensor("a", "F32", "[2]", 0, 4) + "}")},
      {"overlap", file("{" + good + "," + tensor("b", "F32", "[2]", 4, 12) + "}")},
      {"twice", file("{" + good + "," + tensor("a", "F32", "[2]", 8, 16) + "}")},
      {"no offsets", file("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}")},
      {"trailing", file("{" + good + "} x")},
  };
  for (const auto& [why, bytes] : table) {
    const auto model = read(bytes);
    ASSERT_FALSE(model) << why;
    EXPECT_EQ(model.error().file, "m.safetensors") << why;
    EXPECT_TRUE(model.error().byte.has_value()) << why;
    EXPECT_FALSE(model.error().try_this.empty()) << why;
  }
}

TEST(ReadSafetensors, TruncatedAtEveryByte) {
  const std::string whole = file("{\"__metadata__\":{\"format\":\"pt\"}," +
                                 tensor("lm_head.weight", "BF16", "[4,2]", 0, 16) + "}");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read(whole.substr(0, size))) << "cut at " << size;
  }
  EXPECT_TRUE(read(whole));
}

TEST(ReadSafetensors, ClaimsAllocateNothing) {
  os::FilesTwin twin;
  twin.files["m.safetensors"] = std::string("\0\0\0\0\1\0\0\0", 8) + std::string(1000, '{');
  EXPECT_FALSE(read_safetensors(twin, "m.safetensors"));
  for (const std::string& call : twin.calls) {
    if (call.starts_with("read")) {
      EXPECT_EQ(call, "read m.safetensors 0 8");
    }
  }
}

TEST(ReadSafetensors, IndexReadsTheShardsThatAreThere) {
  os::FilesTwin twin;
  twin.files["d/model.safetensors.index.json"] =
      R"({"metadata":{"total_size":32},"weight_map":{"a":"model-1.safetensors",)"
      R"("b":"model-2.safetensors"}})";
  ASSERT_FALSE(read_safetensors(twin, "d"));
  twin.files["d/model-1.safetensors"] = file("{" + tensor("a", "F32", "[4]", 0, 16) + "}");
  auto model = read_safetensors(twin, "d");
  ASSERT_TRUE(model) << describe(model.error());
  EXPECT_EQ(model->weight_bytes().value(), 16u);
  EXPECT_NE(model->not_established.find("1 of 2 weight files"), std::string::npos);
  twin.files["d/model-2.safetensors"] = file("{" + tensor("b", "F32", "[4]", 0, 16) + "}");
  EXPECT_EQ(read_safetensors(twin, "d/model.safetensors.index.json")->weight_bytes().value(), 32u);
  twin.files["d/model-2.safetensors"] = file("{}");
  const auto lacking = read_safetensors(twin, "d");
  ASSERT_FALSE(lacking);
  EXPECT_EQ(lacking.error().what, "the index names 2 tensors, the files hold 1");
  for (const char* shard : {"../x.safetensors", "/etc/passwd", ""}) {
    twin.files["d/model.safetensors.index.json"] =
        std::string(R"({"weight_map":{"a":")") + shard + "\"}}";
    EXPECT_FALSE(read_safetensors(twin, "d")) << shard;
  }
}

TEST(ReadSafetensors, NamesMeanRoles) {
  const std::tuple<const char*, Role, int> table[] = {
      {"model.layers.3.self_attn.k_proj.weight", Role::attention_k, 3},
      {"model.language_model.layers.3.mlp.down_proj.weight", Role::ffn_down, 3},
      {"model.layers.61.mlp.shared_experts.up_proj.weight", Role::shared_up, 61},
      {"model.layers.5.mlp.gate.weight", Role::router, 5},
      {"model.layers.5.mlp.experts.7.gate_proj.weight", Role::expert_gate, 5},
      {"model.layers.5.block_sparse_moe.experts.7.w2.weight", Role::expert_down, 5},
      {"transformer.h.2.attn.c_attn.weight", Role::attention_qkv, 2},
      {"transformer.h.2.mlp.c_proj.weight", Role::ffn_down, 2},
      {"transformer.h.2.attn.c_proj.weight", Role::attention_output, 2},
      {"model.layers.0.self_attn.kv_a_proj_with_mqa.weight", Role::mla_kv_a, 0},
      {"model.layers.0.linear_attn.in_proj_qkvz.weight", Role::recurrent_in, 0},
      {"model.layers.0.linear_attn.out_proj.weight", Role::recurrent_out, 0},
      {"model.layers.0.input_layernorm.weight", Role::norm, 0},
      {"visual.blocks.3.attn.qkv.weight", Role::vision, -1},
      {"model.vision_tower.encoder.layers.1.mlp.fc1.weight", Role::vision, -1},
      {"model.multi_modal_projector.linear_1.weight", Role::projector, -1},
      {"lm_head.weight", Role::output_head, -1},
      {"model.embed_tokens.weight", Role::token_embedding, -1},
      {"something.else", Role::other, -1},
  };
  for (const auto& [name, role, layer] : table) {
    const auto model = read(file("{" + tensor(name, "BF16", "[2,2]", 0, 8) + "}"));
    ASSERT_TRUE(model) << name;
    EXPECT_EQ(static_cast<int>(model->tensors.front().role), static_cast<int>(role)) << name;
    EXPECT_EQ(model->tensors.front().layer, layer) << name;
  }
}

}  // namespace
}  // namespace steelyard::model

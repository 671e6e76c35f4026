#include <gtest/gtest.h>

#include "model/gguf_writer_for_tests.h"
#include "model/model.h"

namespace steelyard::model {
namespace {

constexpr std::uint64_t kBig = 1ull << 63;

Result<Model> read(const std::string& bytes) {
  os::FilesTwin twin;
  twin.files["m.gguf"] = bytes;
  return read_gguf(twin, "m.gguf");
}

TEST(ReadGguf, ReadsLayersAndTensors) {
  const auto model = read(small_llama_gguf().header());
  ASSERT_TRUE(model) << describe(model.error());
  EXPECT_EQ(model->architecture, "llama");
  ASSERT_EQ(model->layers.size(), 2u);
  EXPECT_EQ(model->layers[1].attention.kv_heads, 2u);
  EXPECT_EQ(model->layers[1].attention.key_dim, 16u);
  EXPECT_EQ(model->layers[1].feed_forward.intermediate, 128u);
  EXPECT_EQ(model->vocab, 32u);
  EXPECT_FALSE(model->tied_embeddings);
  const std::uint64_t matrices = 2 * 64 * 32 + 2 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128);
  EXPECT_EQ(model->parameters(), matrices + 3 * 64);
  EXPECT_EQ(model->weight_bytes().value(), 2 * matrices + 4 * 3 * 64);
}

// Every prefix is an error or a model; never a crash, and never an error without its place.
TEST(ReadGguf, TruncatedAtEveryByte) {
  const std::string whole = small_llama_gguf().header();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto model = read(whole.substr(0, size));
    ASSERT_FALSE(model) << "cut at " << size;
    EXPECT_EQ(model.error().file, "m.gguf") << "cut at " << size;
    EXPECT_TRUE(model.error().byte.has_value()) << "cut at " << size;
    EXPECT_FALSE(model.error().try_this.empty()) << "cut at " << size;
  }
}

struct Bad {
  const char* why;
  std::string bytes;
  ErrorKind kind;
  std::string field;
};

std::string with(const GgufWriter& writer) {
  return writer.header();
}

TEST(ReadGguf, HostileHeaders) {
  const auto raw64 = GgufWriter::raw<std::uint64_t>;
  const auto raw32 = GgufWriter::raw<std::uint32_t>;
  const auto one = [](auto change) {
    GgufWriter w = small_llama_gguf();
    change(w);
    return with(w);
  };
  const std::string array = raw32(9);
  const std::vector<Bad> table = {
      {"not GGUF", "PK\3\4 and so on", ErrorKind::bad_input, "magic"},
      {"GGML", "lmgg0000", ErrorKind::unsupported, "magic"},
      {"version 1", "GGUF" + raw32(1) + raw64(0) + raw64(0), ErrorKind::unsupported, "version"},
      {"big-endian", "GGUF" + raw32(0x03000000) + raw64(0), ErrorKind::unsupported, "version"},
      {"2^63 tensors", "GGUF" + raw32(3) + raw64(kBig) + raw64(0), ErrorKind::too_large,
       "tensor_count"},
      {"2^63 pairs", "GGUF" + raw32(3) + raw64(0) + raw64(kBig), ErrorKind::too_large,
       "metadata_kv_count"},
      {"key of 2^63 bytes", "GGUF" + raw32(3) + raw64(0) + raw64(1) + raw64(kBig) + "xxxxxxxxxxxxx",
       ErrorKind::too_large, "metadata key 0"},
      {"text of 4 GB", one([&](auto& w) { w.pair("a", raw32(8) + raw64(4ull << 30)); }),
       ErrorKind::bad_input, "a"},
      {"array of 2^63", one([&](auto& w) { w.pair("a", array + raw32(4) + raw64(kBig)); }),
       ErrorKind::too_large, "a"},
      {"array of 2^63 texts", one([&](auto& w) { w.pair("a", array + raw32(8) + raw64(kBig)); }),
       ErrorKind::too_large, "a"},
      {"nested array", one([&](auto& w) { w.pair("a", array + raw32(9) + raw64(1)); }),
       ErrorKind::unsupported, "a"},
      {"unknown type", one([&](auto& w) { w.pair("a", raw32(77) + raw64(1)); }),
       ErrorKind::bad_input, "a"},
      {"same key twice", one([&](auto& w) { w.u32("llama.block_count", 2); }), ErrorKind::bad_input,
       "llama.block_count"},
      {"alignment 3", one([&](auto& w) { w.u32("general.alignment", 3); }), ErrorKind::bad_input,
       "general.alignment"},
      {"too many layers",
       [&] {
         GgufWriter w;
         w.string("general.architecture", "llama");
         w.u32("llama.block_count", 4000000000u);
         return with(w);
       }(),
       ErrorKind::too_large, "llama.block_count"},
      {"no architecture",
       [&] {
         GgufWriter w;
         w.tensor("x", {32}, 0, 128);
         return with(w);
       }(),
       ErrorKind::missing_field, "general.architecture"},
      {"same tensor twice", one([](auto& w) { w.tensor("output.weight", {64}, 0, 256); }),
       ErrorKind::bad_input, "output.weight"},
      {"5 dimensions", one([](auto& w) { w.tensor("t", {1, 1, 1, 1, 1}, 0, 4); }),
       ErrorKind::bad_input, "t"},
      {"2^63 x 2^63", one([](auto& w) { w.tensor("t", {kBig, kBig}, 0, 4); }), ErrorKind::too_large,
       "t"},
      {"unknown tensor type", one([](auto& w) { w.tensor("t", {32}, 4711, 4); }),
       ErrorKind::unsupported, "t"},
      {"half a block", one([](auto& w) { w.tensor("t", {31}, 2, 18); }), ErrorKind::bad_input, "t"},
      {"overlap", one([](auto& w) {
         w.tensor("t", {64}, 0, 32);
         w.tensor("u", {64}, 0, 256);
       }),
       ErrorKind::bad_input, "u"},
  };
  for (const Bad& bad : table) {
    const auto model = read(bad.bytes);
    ASSERT_FALSE(model) << bad.why;
    EXPECT_EQ(kind_name(model.error().kind), kind_name(bad.kind))
        << bad.why << ": " << describe(model.error());
    EXPECT_EQ(model.error().field, bad.field) << bad.why << ": " << describe(model.error());
    EXPECT_EQ(model.error().file, "m.gguf") << bad.why;
  }
}

TEST(ReadGguf, ReadsNoMoreThanTheHeader) {
  os::FilesTwin twin;
  twin.files["m.gguf"] = small_llama_gguf().header() + std::string(8 << 20, 'x');
  ASSERT_TRUE(read_gguf(twin, "m.gguf"));
  for (const std::string& call : twin.calls) {
    if (call.starts_with("read")) {
      EXPECT_EQ(call, "read m.gguf 0 65536");
    }
  }
}

TEST(ReadGguf, SplitFilesAreSummed) {
  GgufWriter first = small_llama_gguf(), second;
  second.u32("split.no", 1);
  second.tensor("blk.1.extra.weight", {64, 64}, 1, 8192);
  os::FilesTwin twin;
  twin.files["d/m-00001-of-00002.gguf"] = first.header();
  const auto missing = read_gguf(twin, "d/m-00001-of-00002.gguf");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().what, "part 2 of 2 is missing");
  twin.files["d/m-00002-of-00002.gguf"] = second.header();
  const auto whole = read_gguf(twin, "d/m-00002-of-00002.gguf");
  ASSERT_TRUE(whole) << describe(whole.error());
  EXPECT_EQ(whole->weight_bytes().value(), read(first.header())->weight_bytes().value() + 8192);
}

TEST(ReadGguf, UnknownArchitectureStillHasWeights) {
  GgufWriter w;
  w.string("general.architecture", "something-new");
  w.tensor("blk.0.strange.weight", {64, 32}, 2, 1152);
  const auto model = read(w.header());
  ASSERT_TRUE(model) << describe(model.error());
  EXPECT_TRUE(model->layers.empty());
  EXPECT_FALSE(model->not_established.empty());
  EXPECT_EQ(model->weight_bytes().value(), 64u * 32 / 32 * 18);
}

}  // namespace
}  // namespace steelyard::model

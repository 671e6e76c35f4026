#include <gtest/gtest.h>

#include "model/catalogue.h"
#include "model/gguf_layers.h"
#include "model/gguf_mix.h"
#include "model/model.h"

namespace steelyard::model {
namespace {

Model llama31_8b() {
  return *from_gguf_metadata(gguf_metadata_of({.architecture = "llama",
                                               .layers = 32,
                                               .embedding = 4096,
                                               .heads = 32,
                                               .kv_heads = 8,
                                               .key_width = 1024,
                                               .value_width = 1024,
                                               .feed_forward = 14336,
                                               .vocab = 128256}));
}

TEST(GgufMix, LlamaEightBillionAsFourBits) {
  const auto model = with_gguf_weights(llama31_8b(), "Q4_K_M");
  ASSERT_TRUE(model) << describe(model.error());
  EXPECT_EQ(model->parameters(), 8030261248u);
  EXPECT_EQ(model->weight_bytes().value(), 4912898048u);
}

// Sizes that llama.cpp prints for this shape, GiB with two decimals.
TEST(GgufMix, LlamaEightBillionInEveryMix) {
  const std::pair<const char*, double> table[] = {
      {"q2_k", 2.95},   {"q3_k_s", 3.41}, {"q3_k_m", 3.74}, {"q3_k_l", 4.02}, {"q4_0", 4.33},
      {"q4_k_s", 4.36}, {"q4_k_m", 4.58}, {"q5_0", 5.21},   {"q5_k_s", 5.21}, {"q5_k_m", 5.33},
      {"q6_k", 6.14},   {"q8_0", 7.95},   {"f16", 14.96},   {"iq4_xs", 4.13},
  };
  for (const auto& [name, gib] : table) {
    const auto model = with_gguf_weights(llama31_8b(), name);
    ASSERT_TRUE(model) << name;
    EXPECT_NEAR(model->weight_bytes().as_gib(), gib, 0.012 * gib) << name;
  }
}

TEST(GgufMix, NamesAndTheirSpellings) {
  for (const char* name : {"Q4_K - Medium", "mostly Q4_0", "IQ3_XXS - 3.0625 bpw", "q5_k", "bf16",
                           "iq4_nl", "tq2_0", "mxfp4_moe", "Q8_0"}) {
    EXPECT_TRUE(with_gguf_weights(llama31_8b(), name)) << name;
  }
  for (const char* name : {"", "q7_x", "q4_k_xl", "awq", "4"}) {
    const auto model = with_gguf_weights(llama31_8b(), name);
    ASSERT_FALSE(model) << name;
    EXPECT_EQ(model.error().kind, ErrorKind::usage) << name;
  }
}

// What ik_llama.cpp's logs of DeepSeek-V3-0324 print: 672.05 B with the split latent matrices
// beside the whole ones in some files, 671.026 B without; Q8_0 665.31 GiB.
TEST(GgufMix, DeepSeekV3HasNoMtpLayer) {
  const auto published = catalogue_model("deepseek-ai/DeepSeek-V3-0324");
  ASSERT_TRUE(published);
  EXPECT_GT(published->parameters(), 684'000'000'000u);
  const auto model = with_gguf_weights(*published, "q8_0");
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->mtp_layers.empty());
  EXPECT_NEAR(static_cast<double>(model->parameters()), 671.026e9, 0.001e9);
  EXPECT_NEAR(model->weight_bytes().as_gib(), 665.31, 0.003 * 665.31);
}

// Rows that do not fill blocks of 256 take the type with blocks of 32.
TEST(GgufMix, ShortRowsFallBack) {
  const auto model =
      with_gguf_weights(*from_gguf_metadata(gguf_metadata_of({.architecture = "llama",
                                                              .layers = 1,
                                                              .embedding = 96,
                                                              .heads = 3,
                                                              .feed_forward = 100,
                                                              .vocab = 64})),
                        "q4_k_m");
  ASSERT_TRUE(model);
  for (const Tensor& t : model->tensors) {
    if (t.cols == 96 && t.role == Role::attention_q) {
      EXPECT_EQ(t.format.name, "q5_0") << model->name_of(t);
    }
    if (t.cols == 100) {
      EXPECT_EQ(t.format.name, "f16") << model->name_of(t);
    }
  }
}

}  // namespace
}  // namespace steelyard::model

#include "facts/quality.h"

#include <gtest/gtest.h>

namespace steelyard::facts {
namespace {

TEST(Quality, EverySentenceHasItsSource) {
  for (const char* format : {"bf16",   "fp16",    "f32",   "q8_0",   "q6_k",
                             "q5_k_m", "q4_k_m",  "q4_0",  "q3_k_m", "q2_k",
                             "iq4_xs", "iq2_xxs", "iq1_s", "fp8",    "int8",
                             "int4",   "awq",     "gptq",  "nvfp4",  "compressed-tensors",
                             "Q4_K_M"}) {
    const auto quality = weight_quality(format);
    ASSERT_TRUE(quality) << format;
    EXPECT_FALSE(quality->sentence.empty()) << format;
    EXPECT_FALSE(quality->source.empty()) << format;
    EXPECT_EQ(quality->confidence, "read") << format;
  }
  for (const char* format : {"auto", "bf16", "fp8", "q8_0", "q5_1"}) {
    EXPECT_TRUE(cache_quality(format)) << format;
  }
}

TEST(Quality, NoSourceNoSentence) {
  for (const char* format : {"", "mxfp4", "bnb-nf4", "tq1_0", "no such format"}) {
    EXPECT_FALSE(weight_quality(format)) << format;
  }
  for (const char* format : {"", "q4_0", "nvfp4"}) EXPECT_FALSE(cache_quality(format)) << format;
}

}  // namespace
}  // namespace steelyard::facts

#include "facts/format.h"

#include <gtest/gtest.h>

#include <set>

namespace steelyard::facts {
namespace {

TEST(Format, BitsPerWeightOfEveryGgufType) {
  // Published figures, written down independently of the block layouts.
  const std::pair<const char*, double> bits[] = {
      {"f32", 32},        {"f16", 16},         {"bf16", 16},       {"q4_0", 4.5},
      {"iq4_nl", 4.5},    {"q4_1", 5.0},       {"q5_0", 5.5},      {"q5_1", 6.0},
      {"q8_0", 8.5},      {"q8_1", 9.0},       {"mxfp4", 4.25},    {"nvfp4", 4.5},
      {"q2_k", 2.625},    {"q3_k", 3.4375},    {"iq3_s", 3.4375},  {"q4_k", 4.5},
      {"q5_k", 5.5},      {"q6_k", 6.5625},    {"q8_k", 9.125},    {"iq1_s", 1.5625},
      {"iq1_m", 1.75},    {"iq2_xxs", 2.0625}, {"tq2_0", 2.0625},  {"iq2_xs", 2.3125},
      {"iq2_s", 2.5625},  {"iq3_xxs", 3.0625}, {"iq4_xs", 4.25},   {"tq1_0", 1.6875},
      {"q1_0", 1.125},    {"q2_0", 2.25},      {"iq2_k", 2.375},   {"iq3_k", 3.4375},
      {"iq4_k", 4.5},     {"iq5_k", 5.5},      {"iq6_k", 6.625},   {"iq4_ks", 4.25},
      {"iq4_kss", 4.0},   {"iq2_ks", 2.1875},  {"iq3_ks", 3.1875}, {"iq5_ks", 5.25},
      {"iq2_kl", 2.6875}, {"iq1_kt", 1.75},    {"iq2_kt", 2.125},  {"iq3_kt", 3.125},
      {"iq4_kt", 4.0},    {"q6_0", 6.5},       {"iq1_bn", 1.625},  {"iq2_bn", 2.0}};
  for (const auto& [name, want] : bits) {
    const auto format = find_format(name);
    ASSERT_TRUE(format) << name;
    EXPECT_DOUBLE_EQ(format->bits_per_element(), want) << name;
    EXPECT_EQ(format->name, name);
  }
}

TEST(Format, InterleavedRowsHoldTheSameBytes) {
  for (const FormatRow& row : format_rows()) {
    const std::string name(row.name);
    const auto cut = name.find("_r");
    if (cut == std::string::npos || name.starts_with("iq1_") || name.starts_with("q8_k")) continue;
    const auto plain = find_format(name.substr(0, cut));
    ASSERT_TRUE(plain) << name;
    EXPECT_EQ(plain->matrix_bytes(16, 4096), find_format(name)->matrix_bytes(16, 4096)) << name;
  }
}

TEST(Format, GgufNumbers) {
  const std::pair<std::uint32_t, const char*> numbers[] = {
      {0, "f32"},     {1, "f16"},      {2, "q4_0"},     {3, "q4_1"},      {6, "q5_0"},
      {7, "q5_1"},    {8, "q8_0"},     {9, "q8_1"},     {10, "q2_k"},     {11, "q3_k"},
      {12, "q4_k"},   {13, "q5_k"},    {14, "q6_k"},    {15, "q8_k"},     {16, "iq2_xxs"},
      {17, "iq2_xs"}, {18, "iq3_xxs"}, {19, "iq1_s"},   {20, "iq4_nl"},   {21, "iq3_s"},
      {22, "iq2_s"},  {23, "iq4_xs"},  {24, "i8"},      {25, "i16"},      {26, "i32"},
      {27, "i64"},    {28, "f64"},     {29, "iq1_m"},   {30, "bf16"},     {34, "tq1_0"},
      {35, "tq2_0"},  {39, "mxfp4"},   {40, "nvfp4"},   {41, "q1_0"},     {42, "q2_0"},
      {137, "iq2_k"}, {139, "iq4_k"},  {144, "iq4_ks"}, {146, "iq4_kss"}, {338, "iq3_k_r4"}};
  for (const auto& [number, name] : numbers) {
    const auto format = gguf_format(number);
    ASSERT_TRUE(format) << number;
    EXPECT_EQ(format->name, name);
  }
  for (const std::uint32_t number : {4u, 5u, 36u, 43u, 100u, 1000u, ~0u}) {
    EXPECT_FALSE(gguf_format(number)) << number;
  }
}

TEST(Format, SafetensorsWords) {
  const std::pair<const char*, double> words[] = {
      {"F64", 64},    {"F32", 32},    {"F16", 16},    {"BF16", 16},   {"F8_E4M3", 8},
      {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"I64", 64},    {"I32", 32},    {"I16", 16},
      {"I8", 8},      {"U64", 64},    {"U32", 32},    {"U16", 16},    {"U8", 8},
      {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"C64", 64}};
  for (const auto& [word, bits] : words) {
    const auto format = safetensors_format(word);
    ASSERT_TRUE(format) << word;
    EXPECT_DOUBLE_EQ(format->bits_per_element(), bits) << word;
  }
  for (const char* word : {"", "f32", "Q4_0", "F8", "F128", "BF16 ", "I4"}) {
    EXPECT_FALSE(safetensors_format(word)) << word;
  }
}

TEST(Format, AnySpelling) {
  const std::pair<const char*, const char*> good[] = {
      {"BF16", "bf16"},         {"bfloat16", "bf16"},    {"torch.bfloat16", "bf16"},
      {"fp16", "f16"},          {"half", "f16"},         {"torch.float16", "f16"},
      {"FP8", "f8_e4m3"},       {"fp8_e4m3", "f8_e4m3"}, {"float8_e4m3fn", "f8_e4m3"},
      {"fp8_e5m2", "f8_e5m2"},  {"F8_E4M3", "f8_e4m3"},  {"Q4_K", "q4_k"},
      {"q4-k", "q4_k"},         {"Q8_0", "q8_0"},        {"int8", "i8"},
      {"int4", "i4"},           {"MXFP4", "mxfp4"},      {"IQ4_XS", "iq4_xs"},
      {"IQ3_K_R4", "iq3_k_r4"}, {"ｆｐ１６", "f16"},     {" fp32 ", "f32"}};
  for (const auto& [text, want] : good) {
    const auto format = find_format(text);
    ASSERT_TRUE(format) << text;
    EXPECT_EQ(format->name, want) << text;
  }
  for (const char* text : {"", "q4_k_m", "Q5_K_S", "iq3_m", "awq", "gptq", "nf4", "int3", "torch",
                           "q4", "fp", "bf", "auto"}) {
    EXPECT_FALSE(find_format(text)) << text;
  }
}

TEST(Format, NamesAndNumbersAreUnique) {
  std::set<std::string> keys;
  std::set<int> numbers;
  for (const FormatRow& row : format_rows()) {
    EXPECT_TRUE(keys.insert(name_key(row.name)).second) << row.name;
    for (const std::string_view spelling : split(row.spellings, ' ')) {
      if (!spelling.empty()) {
        EXPECT_TRUE(keys.insert(name_key(spelling)).second) << spelling;
      }
    }
    if (row.gguf_type >= 0) {
      EXPECT_TRUE(numbers.insert(row.gguf_type).second) << row.name;
    }
  }
}

TEST(Format, MatricesPadRowsAndSaturate) {
  EXPECT_EQ(find_format("q4_0")->matrix_bytes(2, 33), Bytes(2 * 2 * 18));
  EXPECT_EQ(find_format("i4")->matrix_bytes(3, 5), Bytes(3 * 3));
  // 4096 x 4096 in iq4_ks: 16 blocks of 136 bytes and a 4-byte scale per row.
  EXPECT_EQ(find_format("iq4_ks")->matrix_bytes(4096, 4096), Bytes(4096u * (16 * 136 + 4)));
  EXPECT_EQ(find_format("f32")->matrix_bytes(~0ull, ~0ull), Bytes(~0ull));
}

}  // namespace
}  // namespace steelyard::facts

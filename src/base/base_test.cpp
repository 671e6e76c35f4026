#include "base/base.h"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(Quantity, ReadsTokens) {
  const std::pair<const char*, std::uint64_t> good[] = {
      {"8k", 8192},   {"8192", 8192}, {"32,768", 32768}, {"1m", 1048576},
      {"1.5k", 1536}, {"８ｋ", 8192}, {" 4k ", 4096},    {"1e3", 1000}};
  for (const auto& [text, want] : good) {
    const auto got = parse_tokens(text, "--context");
    ASSERT_TRUE(got) << text;
    EXPECT_EQ(*got, want) << text;
  }
  for (const char* text :
       {"", "0", "-1", "k", "1.5", "8kb", "nan", "inf", "1e40", "8 k k", "0x10"}) {
    const auto got = parse_tokens(text, "--context");
    ASSERT_FALSE(got) << text;
    EXPECT_EQ(got.error().kind, ErrorKind::usage) << text;
    EXPECT_EQ(got.error().field, "--context") << text;
  }
}

TEST(Quantity, TellsGbFromGib) {
  const std::pair<const char*, std::uint64_t> good[] = {
      {"24GB", 24000000000u}, {"24GiB", 25769803776u}, {"24g", 25769803776u},
      {"1.5 MiB", 1572864u},  {"100B", 100u},          {"２４ＧＢ", 24000000000u},
      {"25769803776", 25769803776u}};
  for (const auto& [text, want] : good) {
    const auto got = parse_bytes(text, "--gpu-memory");
    ASSERT_TRUE(got) << text;
    EXPECT_EQ(got->value(), want) << text;
  }
  for (const char* text : {"", "GB", "24XB", "-3GB", "1e30GB", "24GBps", "24", "24576"}) {
    EXPECT_FALSE(parse_bytes(text, "--gpu-memory")) << text;
  }
}

TEST(Quantity, ReadsFractionsAndDurations) {
  EXPECT_DOUBLE_EQ(*parse_fraction("0.92", "f"), 0.92);
  EXPECT_DOUBLE_EQ(*parse_fraction("92%", "f"), 0.92);
  for (const char* text : {"0", "1.01", "x", "101%"})
    EXPECT_FALSE(parse_fraction(text, "f")) << text;
  EXPECT_DOUBLE_EQ(parse_duration("90s", "d")->value(), 90);
  EXPECT_DOUBLE_EQ(parse_duration("500ms", "d")->value(), 0.5);
  for (const char* text : {"0s", "5", "4q"}) EXPECT_FALSE(parse_duration(text, "d")) << text;
}

TEST(Quantity, ShowsThreeDigits) {
  EXPECT_EQ(format_bytes(Bytes(512)), "512 B");
  EXPECT_EQ(format_bytes(mib(12.5)), "12.5 MiB");
  EXPECT_EQ(format_bytes(gib(1.5)), "1.50 GiB");
  EXPECT_EQ(format_bytes(gib(130.4)), "130 GiB");
  EXPECT_EQ(format_bytes(gib(1048576)), "1024 TiB");
  EXPECT_EQ(format_bytes(Bytes(~std::uint64_t{0})), "over 16 EiB");
}

TEST(Units, SaturateInsteadOfWrapping) {
  const Bytes huge(~std::uint64_t{0});
  EXPECT_EQ(huge + Bytes(1), huge);
  EXPECT_EQ(huge * 3, huge);
  EXPECT_EQ(Bytes(1) - Bytes(2), Bytes(0));
  EXPECT_EQ(bytes_from(-1.0), Bytes(0));
  EXPECT_EQ(bytes_from(std::nan("")), Bytes(0));
  EXPECT_EQ(bytes_from(1e300), huge);
  EXPECT_EQ(round_up(513, 256), 768u);
}

TEST(Figures, SumsCarryTheWeakerOrigin) {
  const ByteFigure sum = ByteFigure::exact(Bytes(10)) +
                         ByteFigure::banded(Bytes(5), Bytes(4), Bytes(7), Origin::predicted);
  EXPECT_EQ(sum.origin, Origin::predicted);
  EXPECT_EQ(sum.low, Bytes(14));
  EXPECT_EQ(sum.high, Bytes(17));
}

TEST(Text, FoldsAndCompares) {
  EXPECT_EQ(name_key("NVIDIA GeForce RTX-4090"), "nvidiageforcertx4090");
  EXPECT_EQ(fold_width("ＲＴＸ　４０９０"), "RTX 4090");
  EXPECT_EQ(edit_distance("h100", "h010"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(nearest("rtx 409", {"A100", "RTX 4090", "RTX 3090"}, 1).at(0), "RTX 4090");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_TRUE(contains_icase("CUDA out of Memory", "OUT OF"));
}

TEST(Csv, ReadsQuotedCells) {
  const auto table = parse_csv("a,b\r\n1,\"x, \"\"y\"\"\nz\"\n\n2,\n");
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows.size(), 2u);
  EXPECT_EQ(table->cell(0, "b"), "x, \"y\"\nz");
  EXPECT_EQ(table->cell(1, "b"), "");
  EXPECT_EQ(table->cell(1, "none"), "");
  EXPECT_EQ(csv_cell("x, \"y\""), "\"x, \"\"y\"\"\"");
  for (const char* text : {"a,b\n1\n", "a\n\"open\n"}) EXPECT_FALSE(parse_csv(text)) << text;
}

TEST(Errors, SayWhatWhereAndTheWayOut) {
  const Error error{.kind = ErrorKind::bad_input,
                    .what = "a count is larger than the file",
                    .file = "m.gguf",
                    .field = "tensor_count",
                    .byte = 8,
                    .try_this = "download the file again"};
  EXPECT_EQ(describe(error),
            "a count is larger than the file\n  where  m.gguf, tensor_count, byte 8\n"
            "  try    download the file again");
}

}  // namespace
}  // namespace steelyard

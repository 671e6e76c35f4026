#include "base/printable.h"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(Printable, ReplacesWhatATerminalWouldObey) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"plain\n\ttext", "plain\n\ttext"},
      {"显卡 é 🎉", "显卡 é 🎉"},
      {"\033[1;31mNO\033[0m", "\033[1;31mNO\033[0m"},
      {"\033[2J", "\uFFFD[2J"},
      {"\033]0;title\a", "\uFFFD]0;title\uFFFD"},
      {"\033[31", "\uFFFD[31"},
      {"\r\b\x7f", "\uFFFD\uFFFD\uFFFD"},
      {"\xC2\x9B"
       "2J",
       "\uFFFD2J"},
      {"\xE2\x80\xAE"
       "evil",
       "\uFFFD"
       "evil"},
      {"\xFF\xFE", "\uFFFD\uFFFD"},
      {"\xC0\xAF", "\uFFFD\uFFFD"},
      {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
      {"\xE6\x98", "\uFFFD\uFFFD"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(printable(text), want) << text;
}

TEST(Printable, OneLineHoldsNoOther) {
  EXPECT_EQ(one_line("a\nYES  fits\t\033[32mx"), "a\uFFFDYES  fits\uFFFD\uFFFD[32mx");
  EXPECT_EQ(one_line("显卡 RTX 4090"), "显卡 RTX 4090");
}

}  // namespace
}  // namespace steelyard

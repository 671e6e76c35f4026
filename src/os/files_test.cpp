#include "os/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace steelyard::os {
namespace {

TEST(Files, RealAndTwinAgree) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("steelyard-files-" + std::to_string(::getpid())))
          .string();
  std::filesystem::create_directory(folder);
  FilesTwin twin;
  const auto real = real_files();
  for (Files* files : {static_cast<Files*>(&twin), real.get()}) {
    ASSERT_TRUE(files->write(folder + "/b", "0123456789"));
    ASSERT_TRUE(files->write(folder + "/a", ""));
    EXPECT_EQ(files->kind(folder), EntryKind::folder);
    EXPECT_EQ(files->kind(folder + "/b"), EntryKind::file);
    EXPECT_EQ(files->kind(folder + "/c"), EntryKind::missing);
    EXPECT_EQ(*files->size(folder + "/b"), 10u);
    EXPECT_EQ(*files->read(folder + "/b", 4, 3), "456");
    EXPECT_EQ(*files->read(folder + "/b", 8, 1ull << 40), "89");
    EXPECT_EQ(*files->read(folder + "/b", 1ull << 50, 4), "");
    EXPECT_EQ(*files->list(folder), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(files->read(folder + "/c", 0, 1).error().kind, ErrorKind::not_found);
    EXPECT_EQ(read_whole(*files, folder + "/b", 9).error().kind, ErrorKind::too_large);
    EXPECT_EQ(*read_whole(*files, folder + "/b", 10), "0123456789");
  }
  std::filesystem::remove_all(folder);
}

TEST(Files, TwinRecordsAndFails) {
  FilesTwin twin;
  twin.files["x"] = "abc";
  twin.faults["x"] = {.kind = ErrorKind::io, .what = "disk gone"};
  EXPECT_EQ(twin.read("x", 0, 2).error().what, "disk gone");
  EXPECT_EQ(twin.calls.back(), "read x 0 2");
}

}  // namespace
}  // namespace steelyard::os

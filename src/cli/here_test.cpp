#include "cli/here.h"

#include <gtest/gtest.h>

namespace steelyard::cli {
namespace {

Result<Machine> machine_with(os::FilesTwin& files) {
  os::HttpTwin http;
  World world{
      .files = files, .http = http, .environment = {}, .out = {}, .err = {}, .in = {}, .today = {}};
  const auto catalogue = facts::Catalogue::embedded();
  if (!catalogue) return std::unexpected(catalogue.error());
  return this_machine(world, *catalogue);
}

TEST(Here, NamesTheDriversCard) {
  os::FilesTwin files;
  for (const char* bus : {"0000:01:00.0", "0000:02:00.0"}) {
    files.files[std::string("/proc/driver/nvidia/gpus/") + bus + "/information"] =
        "Model: \t\t NVIDIA H200\nIRQ:   \t\t 120\n";
  }
  const auto machine = machine_with(files);
  ASSERT_TRUE(machine) << describe(machine.error());
  EXPECT_TRUE(machine->description.starts_with("2x NVIDIA H200")) << machine->description;
  EXPECT_GT(machine->request.card->usable.value, gib(135));
  EXPECT_LT(machine->request.card->usable.value, gib(141));
}

TEST(Here, FallsBackToHostMemoryAndItsContainersLimit) {
  os::FilesTwin files;
  files.files["/proc/meminfo"] = "MemTotal:       65536000 kB\nMemAvailable:   33554432 kB\n";
  auto machine = machine_with(files);
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->request.card->usable.value, gib(32));
  EXPECT_EQ(machine->request.card->usable.origin, Origin::measured);
  files.files["/sys/fs/cgroup/memory.max"] = "max\n";
  EXPECT_EQ(machine_with(files)->request.card->usable.value, gib(32));
  files.files["/sys/fs/cgroup/memory.max"] = "8589934592\n";
  machine = machine_with(files);
  EXPECT_EQ(machine->request.card->usable.value, gib(8));
  EXPECT_NE(machine->description.find("container"), std::string::npos) << machine->description;
}

TEST(Here, SaysWhenNothingCanBeRead) {
  for (const char* text : {"", "MemAvailable: x kB\n", "MemTotal: 5 kB\n"}) {
    os::FilesTwin files;
    if (*text != 0) files.files["/proc/meminfo"] = text;
    EXPECT_FALSE(machine_with(files)) << text;
  }
}

}  // namespace
}  // namespace steelyard::cli

#include "memory/typical_band.h"

#include <gtest/gtest.h>

namespace steelyard::memory {
namespace {

model::Model named(const char* name) {
  os::FilesTwin files;
  auto model = model::read_model(files, name);
  EXPECT_TRUE(model) << name;
  return model ? std::move(*model) : model::Model{};
}

TEST(TypicalBand, ASizeIsNeverExactAndAModelIs) {
  for (const auto& [name, exact] :
       {std::pair("27b", false), {"30b-a3b", false}, {"Qwen/Qwen3-8B", true}}) {
    const auto answer = size(named(name), Request{});
    ASSERT_TRUE(answer) << name;
    bool any = false;
    for (const Term& term : answer->ranks.front().terms) {
      any |= term.bytes.origin == Origin::exact;
      if (exact || (term.name != "weights" && term.name != "kv_cache")) continue;
      EXPECT_EQ(term.bytes.origin, Origin::assumed) << name << " " << term.name;
      EXPECT_LT(term.bytes.low, term.bytes.value) << name << " " << term.name;
      EXPECT_GT(term.bytes.high, term.bytes.value) << name << " " << term.name;
    }
    EXPECT_EQ(any, exact) << name;
  }
}

}  // namespace
}  // namespace steelyard::memory

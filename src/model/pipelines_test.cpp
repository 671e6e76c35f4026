#include "model/pipelines.h"

#include <gtest/gtest.h>

#include "model/model.h"

namespace steelyard::model {
namespace {

TEST(Pipelines, EverySpellingFindsItsOwn) {
  ASSERT_FALSE(pipelines().empty());
  for (const Pipeline& one : pipelines()) {
    EXPECT_EQ(find_pipeline(one.name), &one) << one.name;
    for (const std::string& word : one.also) EXPECT_EQ(find_pipeline(word), &one) << word;
    // A language model's name must not be taken.
    EXPECT_FALSE(catalogue_model(one.name).has_value()) << one.name;
    for (const Component& part : one.components) {
      EXPECT_FALSE(part.role.empty() || part.file.empty() || part.source.empty()) << one.name;
    }
  }
  EXPECT_EQ(find_pipeline("black-forest-labs/FLUX.1-dev"), find_pipeline("flux dev"));
  for (const char* name : {"", "///", "qwen3-32b", "flux", "sd", "70b"}) {
    EXPECT_EQ(find_pipeline(name), nullptr) << name;
  }
}

TEST(Pipelines, SumsWhatIsKnown) {
  const Pipeline* flux = find_pipeline("flux.1-dev");
  ASSERT_NE(flux, nullptr);
  EXPECT_TRUE(flux->complete());
  EXPECT_EQ(flux->largest().role, "transformer");
  EXPECT_EQ(flux->known_bytes().value(), 23802932552ULL + 9787841024 + 246144152 + 335304388);
  const Pipeline* video = find_pipeline("HunyuanVideo");
  ASSERT_NE(video, nullptr);
  EXPECT_FALSE(video->complete());
}

}  // namespace
}  // namespace steelyard::model

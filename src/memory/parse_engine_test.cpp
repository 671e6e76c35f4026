#include <gtest/gtest.h>

#include "memory/engines/engine.h"

namespace steelyard::memory {
namespace {

TEST(ParseVersion, ReadsWhatEnginesWrite) {
  struct Case {
    const char* text;
    std::array<std::uint32_t, 3> parts;
  };
  for (const Case& c : std::initializer_list<Case>{{"0.8.3", {0, 8, 3}},
                                                   {"1.0.0rc3", {1, 0, 0}},
                                                   {"b6123", {6123, 0, 0}},
                                                   {"v0.20.2rc1.dev249+glm", {0, 20, 2}},
                                                   {"0.9.1.dev148+gfba064270", {0, 9, 1}},
                                                   {"0.11", {0, 11, 0}},
                                                   {"0.6.3.post1", {0, 6, 3}}}) {
    const auto version = parse_version(c.text);
    ASSERT_TRUE(version) << c.text;
    EXPECT_EQ(version->parts, c.parts) << c.text;
  }
}

TEST(ParseVersion, RefusesOtherWords) {
  for (const char* text : {"", "dev", "latest", "x1", "b", "99999999999", "1x"}) {
    EXPECT_FALSE(parse_version(text)) << text;
  }
}

TEST(ParseEngine, KnowsEveryNameAndItsSpellings) {
  for (const EngineRules& rules : engine_list()) {
    const auto engine = parse_engine(rules.name);
    ASSERT_TRUE(engine) << rules.name;
    EXPECT_EQ(engine->kind, rules.kind) << rules.name;
    EXPECT_EQ(engine_name(engine->kind), rules.name);
  }
  EXPECT_EQ(parse_engine("trtllm")->kind, EngineKind::tensorrt_llm);
  EXPECT_EQ(parse_engine("VLLM@0.8.3")->version->parts[1], 8U);
  EXPECT_FALSE(parse_engine("vllm@0.8.3")->v0);
  EXPECT_TRUE(parse_engine("vllm-v0@0.8.3")->v0);
}

TEST(ParseEngine, NamesTheKnownOnes) {
  for (const char* text : {"", "tgi", "vllm@soon", "@0.8", "sglang-v0@0.4", "vllm-v2"}) {
    const auto engine = parse_engine(text);
    ASSERT_FALSE(engine) << text;
    EXPECT_EQ(engine.error().kind, ErrorKind::usage) << text;
  }
  EXPECT_NE(parse_engine("tgi").error().try_this.find("sglang"), std::string::npos);
}

}  // namespace
}  // namespace steelyard::memory

#include "memory/vllm_versions.h"

#include <gtest/gtest.h>

namespace steelyard::memory {
namespace {

TEST(VllmVersions, WhichEngineRuns) {
  struct Case {
    const char* version;
    VllmRun run;
    bool v1, counts_context;
  };
  const Case table[] = {
      {"0.6.2", {}, false, false},
      {"0.6.3.post1", {}, false, true},
      {"0.6.4", {}, false, true},
      {"0.6.5", {}, false, false},
      {"0.7.3", {}, false, false},
      {"0.8.0", {}, true, true},
      {"0.9.1", {.capability = "9.0"}, true, true},
      {"0.9.2", {.capability = "9.0"}, true, false},
      {"0.9.1", {.v0 = true}, false, false},
      {"0.9.1", {.capability = "7.5"}, false, false},
      {"0.9.1", {.fp8_cache = true}, false, false},
      {"0.10.0", {.fp8_cache = true}, true, false},
      {"0.10.0", {.v0 = true}, false, false},
      {"0.11.0", {.v0 = true}, true, false},  // V0 was taken out
      {"0.10.1", {.encoder_decoder = true}, false, false},
      {"0.10.2", {.encoder_decoder = true}, true, false},
      {"", {}, true, false},
  };
  for (const Case& c : table) {
    const VllmRules rules = vllm_rules_of(parse_version(c.version), c.run);
    EXPECT_EQ(rules.v1, c.v1) << c.version << " " << c.run.capability;
    EXPECT_EQ(rules.counts_context, c.counts_context) << c.version << " " << c.run.capability;
  }
}

TEST(VllmVersions, StepOfV0) {
  model::Model text;
  text.layers.resize(1);
  model::Model latent = text, image = text;
  latent.layers[0].mixer = model::Mixer::mla;
  image.vision = model::Encoder{.hidden = 64};
  struct Case {
    const char* why;
    const model::Model& model;
    std::uint64_t length, tokens;
  };
  const Case table[] = {
      {"short prompts", text, 512, 2048},
      {"a whole prompt", text, 32768, 32768},
      {"chunks of long ones", text, 65536, 2048},
      {"latent attention is not cut", latent, 65536, 65536},
      {"room for images", image, 1024, 5120},
      {"nor are images", image, 65536, 65536},
  };
  const auto version = parse_version("0.7.3");
  const VllmRules rules = vllm_rules_of(version, {});
  for (const Case& c : table) {
    EXPECT_EQ(vllm_step_defaults(version, rules, {}, c.length, {}, c.model).batched_tokens,
              c.tokens)
        << c.why;
  }
}

}  // namespace
}  // namespace steelyard::memory

#include "report/models.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace steelyard::report {
namespace {

// Bytes per token from published KV sizes: Llama-3.1-8B 131072, DeepSeek-V3 70272, Qwen3-8B 147456.
TEST(ModelsReport, CacheOfAThousandTokens) {
  struct Case {
    const char* name;
    std::uint64_t per_token;
  };
  for (const Case& c : {Case{"Meta-Llama-3.1-8B", 131072}, Case{"DeepSeek-V3", 70272},
                        Case{"Qwen3-8B", 147456}, Case{"Qwen3.5-27B", 65536}}) {
    const auto model = model::catalogue_model(c.name);
    ASSERT_TRUE(model) << c.name;
    const auto cache = cache_per_thousand_tokens(*model);
    ASSERT_TRUE(cache) << c.name;
    EXPECT_EQ(cache->value(), 1000 * c.per_token) << c.name;
  }
  EXPECT_FALSE(cache_per_thousand_tokens(*model::catalogue_model("bge-m3")));
}

TEST(ModelsReport, TextAndJsonSayTheSame) {
  const std::vector<model::Model> models = {*model::catalogue_model("Qwen3-30B-A3B"),
                                            *model::catalogue_model("bge-m3")};
  const std::string table = models_table(models);
  EXPECT_NE(table.find("Qwen/Qwen3-30B-A3B"), std::string::npos) << table;
  for (const auto line : split(table, '\n')) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_NE(model_in_full(models[0]).find("48 x full attention"), std::string::npos);
  const auto document = nlohmann::json::parse(models_json(models));
  EXPECT_EQ(document["schema"], "steelyard.models/1");
  ASSERT_EQ(document["models"].size(), 2u);
  EXPECT_EQ(document["models"][0]["parameters"], models[0].parameters());
  EXPECT_TRUE(document["models"][1]["kv_bytes_per_1k_tokens"].is_null());
  EXPECT_TRUE(document["models"][1].contains("kv_bytes_per_1k_tokens_reason"));
}

}  // namespace
}  // namespace steelyard::report

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/model.h"

namespace steelyard::model {
namespace {

std::string config(std::string_view type, std::string_view more) {
  return fmt::format(
      R"({{"model_type":"{}","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,)"
      R"("intermediate_size":128,"vocab_size":100,"max_position_embeddings":1000{}}})",
      type, more);
}

TEST(Rotary, TablesAreAsLongAsTheScalingSays) {
  struct Case {
    const char* type;
    const char* more;
    std::uint64_t positions, values;
  };
  const Case table[] = {
      {"llama", "", 1000, 16},
      {"llama", R"(,"rope_scaling":null)", 1000, 16},
      {"llama", R"(,"rope_scaling":{"type":"linear","factor":8.0})", 8000, 16},
      {"llama", R"(,"rope_scaling":{"type":"dynamic","factor":2.5})", 2500, 16},
      {"llama",
       R"(,"rope_scaling":{"rope_type":"llama3","factor":8.0,)"
       R"("original_max_position_embeddings":8192})",
       1000, 16},
      {"llama",
       R"(,"rope_scaling":{"type":"yarn","factor":4.0,)"
       R"("original_max_position_embeddings":500})",
       2000, 16},
      {"llama", R"(,"rope_parameters":{"rope_type":"linear","factor":2.0})", 2000, 16},
      {"llama", R"(,"partial_rotary_factor":0.5)", 1000, 8},
      {"llama", R"(,"rope_scaling":{"type":"linear","factor":1e7})", 1000, 16},
      {"llama", R"(,"rope_scaling":{"type":"linear","factor":0.1})", 1000, 16},
  };
  for (const Case& c : table) {
    std::string json = config(c.type, c.more);
    const auto model = read_config(json, "config.json");
    ASSERT_TRUE(model) << c.more << describe(model.error());
    ASSERT_EQ(model->rotary.size(), 1U) << c.more;
    EXPECT_EQ(model->rotary[0].positions, c.positions) << c.more;
    EXPECT_EQ(model->rotary[0].values, c.values) << c.more;
  }
}

TEST(Rotary, LocalLayersAndSectionsHaveTheirOwn) {
  const auto gemma = catalogue_model("google/gemma-3-27b-it");
  ASSERT_TRUE(gemma);
  ASSERT_EQ(gemma->rotary.size(), 2U);
  EXPECT_EQ(gemma->rotary[0].positions, 8U * 131072);
  EXPECT_EQ(gemma->rotary[1].positions, 131072U);
  const auto qwen = catalogue_model("Qwen/Qwen2.5-VL-7B-Instruct");
  ASSERT_TRUE(qwen);
  ASSERT_EQ(qwen->rotary.size(), 1U);
  EXPECT_TRUE(qwen->rotary[0].sections);
  const auto opt = catalogue_model("facebook/opt-125m");
  ASSERT_TRUE(opt);
  EXPECT_TRUE(opt->rotary.empty()) << "learned positions";
}

}  // namespace
}  // namespace steelyard::model

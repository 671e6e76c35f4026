#include "model/check_layers.h"

#include <gtest/gtest.h>

namespace steelyard::model {
namespace {

Layer attention(std::uint32_t heads, std::uint32_t kv, std::uint32_t dim,
                Mixer mixer = Mixer::full) {
  Layer layer{.mixer = mixer};
  layer.attention = {.query_heads = heads, .kv_heads = kv, .key_dim = dim, .value_dim = dim};
  return layer;
}

Layer experts(std::uint32_t count, std::uint32_t used) {
  Layer layer = attention(4, 4, 64);
  layer.feed_forward = {.kind = FeedForwardKind::moe, .experts = count, .experts_per_token = used};
  return layer;
}

TEST(CheckLayers, NamesTheFigureThatCannotBe) {
  struct Case {
    Layer layer;
    const char* field;  // "" when the layer is good
  };
  const Case cases[] = {
      {attention(4, 4, 64), ""},
      {attention(32, 8, 128), ""},
      {attention(4, 1, 64, Mixer::sliding), ""},
      {attention(128, 1, 192, Mixer::mla), ""},
      {attention(0, 0, 0, Mixer::recurrent), ""},
      {attention(0, 0, 0, Mixer::none), ""},
      {experts(8, 2), ""},
      {attention(0, 4, 64), "num_attention_heads"},
      {attention(4, 0, 64), "num_key_value_heads"},
      {attention(4, 8, 64), "num_key_value_heads"},
      {attention(6, 4, 64, Mixer::sliding), "num_key_value_heads"},
      {attention(4, 4, 0), "head_dim"},
      {experts(0, 0), "num_experts"},
      {experts(8, 9), "num_experts_per_tok"},
  };
  for (const Case& c : cases) {
    Model model;
    model.layers = {attention(4, 4, 64), c.layer};
    const Status status = check_layers(model, config_words());
    EXPECT_EQ(status ? "" : status.error().field, c.field);
    if (!status) {
      EXPECT_TRUE(status.error().what.starts_with("layer 1: ")) << status.error().what;
    }
  }
}

}  // namespace
}  // namespace steelyard::model

#include "model/typical_shape.h"

#include <gtest/gtest.h>

namespace steelyard::model {
namespace {

TEST(TypicalShape, HoldsTheParametersAsked) {
  struct Case {
    const char* text;
    double parameters, active;
  };
  for (const Case& c : {Case{"0.1b", 0.1e9, 0},
                        Case{"0.5b", 0.5e9, 0},
                        Case{"1.5b", 1.5e9, 0},
                        Case{"3b", 3e9, 0},
                        Case{"7b", 7e9, 0},
                        Case{"8.03b", 8.03e9, 0},
                        Case{"13B", 13e9, 0},
                        Case{"27b", 27e9, 0},
                        Case{"40b", 40e9, 0},
                        Case{"70b", 70e9, 0},
                        Case{"123b", 123e9, 0},
                        Case{"405b", 405e9, 0},
                        Case{"3000b", 3000e9, 0},
                        Case{"350m", 0.35e9, 0},
                        Case{"1.6t", 1.6e12, 0},
                        Case{"30b-a3b", 30e9, 3e9},
                        Case{"235b-a22b", 235e9, 22e9},
                        Case{"671b-a37b", 671e9, 37e9},
                        Case{"1000b-a32b", 1000e9, 32e9},
                        Case{"7b-a1b", 7e9, 1e9},
                        Case{"120b-a5b", 120e9, 5e9}}) {
    const auto size = parse_size(c.text);
    ASSERT_TRUE(size) << c.text;
    EXPECT_DOUBLE_EQ(size->parameters, c.parameters) << c.text;
    const auto model = typical_model(*size);
    ASSERT_TRUE(model) << c.text << ": " << describe(model.error());
    EXPECT_NEAR(static_cast<double>(model->parameters()) / c.parameters, 1, 0.01) << c.text;
    if (c.active > 0) {
      EXPECT_NEAR(static_cast<double>(model->active_parameters()) / c.active, 1, 0.12) << c.text;
    }
    EXPECT_GE(model->notes.size(), 4u) << c.text;
    EXPECT_EQ(model->reading, Reading::typical_shape);
    EXPECT_GT(model->layers.front().attention.kv_heads, 0u) << c.text;
  }
}

TEST(TypicalShape, RefusesOtherWords) {
  for (const char* text : {"", "b", "7", "7x", "-7b", "b7", "qwen3-8b", "7b-", "7b-a", "7b-a3",
                           "7b-x3b", "nanb", "infb", "0b", "7bb", "1e9b9", "30b-a3b-x"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(TypicalShape, RefusesImpossibleSizes) {
  for (const char* text : {"0.01b", "5000b", "30b-a40b", "1m", "100000t"}) {
    const auto size = parse_size(text);
    ASSERT_TRUE(size) << text;
    const auto model = typical_model(*size);
    ASSERT_FALSE(model) << text;
    EXPECT_EQ(model.error().kind, ErrorKind::usage) << text;
  }
}

}  // namespace
}  // namespace steelyard::model

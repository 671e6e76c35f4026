#include "model/module_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace steelyard::model {
namespace {

const std::vector<std::string> kPatterns = {
    "lm_head",
    "gate",
    "model.layers.0.mlp",
    "layers.1.self_attn.q_proj",
    "model.language_model.layers.12.mlp.gate_proj",
    "model.layers.*.self_attn",
    "model.layers.2.mlp*",
    "*.router",
    "model.layers.?.mlp.down_proj",
    "re:.*layers\\.(0|13)\\..*",
    "re:.*\\.gate$",
    "re:visual.*",
    "",
    ".",
    "layers.3.",
    "odd..name",
    "mtp.0",
};

const std::vector<std::string> kModules = {
    "lm_head",
    "model.lm_head",
    "model.layers.0.mlp.gate",
    "model.layers.0.mlp.gate_proj",
    "model.layers.00.mlp",
    "model.layers.1.self_attn.q_proj",
    "model.layers.11.self_attn.q_proj",
    "language_model.layers.1.self_attn.q_proj",
    "model.layers.12.mlp.gate_proj",
    "model.layers.2.mlp.experts.*.up_proj",
    "model.layers.13.block_sparse_moe.router",
    "mtp_layers.1.self_attn.q_proj",
    "h.layers.2.mlp",
    "visual.blocks.3.attn.qkv",
    "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.b.c.d.e.f.g.h.i.layers.1.self_attn.q_"
    "proj",
    "layers.3.x",
    "odd..name",
    "mtp.0.head",
    "",
};

// Asked together, and one by one, patterns must say the same of every module.
TEST(ModulePatterns, AnswerAsEachPatternDoes) {
  int named = 0;
  for (std::size_t from = 0; from < kPatterns.size(); ++from) {
    for (std::size_t to = from + 1; to <= kPatterns.size(); ++to) {
      const std::vector<std::string> some(kPatterns.begin() + from, kPatterns.begin() + to);
      ModulePatterns together(some);
      for (const std::string& module : kModules) {
        const bool want = std::ranges::any_of(
            some, [&](const std::string& pattern) { return names_module(pattern, module); });
        EXPECT_EQ(together.name(module), want) << module << " by " << some.front() << " and on";
        EXPECT_EQ(together.name(module), want) << module << " asked again";
        named += want ? 1 : 0;
      }
    }
  }
  EXPECT_GT(named, 500);
}

}  // namespace
}  // namespace steelyard::model

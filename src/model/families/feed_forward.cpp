#include <algorithm>

#include <fmt/format.h>

#include "model/families/families.h"

namespace steelyard::model {
namespace {

// Which layers hold experts. One answer per layer, from whichever fields the config has.
std::vector<bool> expert_layers(const Fields& f, std::size_t count) {
  std::vector<bool> moe(count, true);
  const std::uint64_t dense_first =
      f.number({"first_k_dense_replace", "num_dense_layers"}, 0, kLayerLimit);
  const std::uint64_t step = std::max<std::uint64_t>(
      1, f.number({"interleave_moe_layer_step", "decoder_sparse_step"}, 1, kLayerLimit));
  const std::uint64_t period = f.number({"expert_layer_period"}, 0, kLayerLimit);
  const std::uint64_t offset = f.number({"expert_layer_offset"}, 0, kLayerLimit);
  const auto flags = f.numbers("moe_layer_freq", kLayerLimit);
  const std::uint64_t frequency =
      f.is_list("moe_layer_freq")
          ? 1
          : std::max<std::uint64_t>(1, f.number({"moe_layer_freq"}, 1, kLayerLimit));
  for (std::size_t i = 0; i < count; ++i) {
    if (i < dense_first || (i + 1) % step != 0 || i % frequency != 0) moe[i] = false;
    if (period > 0 && i % period != offset) moe[i] = false;
    if (!flags.empty() && (i >= flags.size() || flags[i] == 0)) moe[i] = false;
  }
  for (const std::uint64_t i : f.numbers("mlp_only_layers", kLayerLimit)) {
    if (i < count) moe[i] = false;
  }
  if (const auto listed = f.numbers("moe_layers", kLayerLimit); !listed.empty()) {
    std::fill(moe.begin(), moe.end(), false);
    for (const std::uint64_t i : listed) {
      if (i < count) moe[i] = true;
    }
  }
  return moe;
}

FeedForward experts_of(const Fields& f, std::uint64_t experts, std::uint64_t inner, bool gated) {
  FeedForward ff{.kind = FeedForwardKind::moe, .intermediate = 0, .gated = gated};
  ff.experts = u32(experts);
  ff.experts_per_token =
      u32(f.number({"num_experts_per_tok", "num_experts_per_token", "top_k_experts",
                    "experts_per_token", "moe_top_k", "moe_topk"},
                   1, kExpertLimit));
  ff.expert_intermediate = u32(inner);
  ff.shared_experts = u32(f.number({"n_shared_experts", "num_shared_experts"}, 0, kExpertLimit));
  ff.shared_intermediate =
      u32(f.number({"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
                    "shared_intermediate_size", "share_expert_dim"},
                   saturating_mul(ff.shared_experts, inner)));
  if (ff.shared_intermediate > 0 && ff.shared_experts == 0) ff.shared_experts = 1;
  return ff;
}

}  // namespace

void read_feed_forward(Draft& d, const DecoderDefaults& defaults) {
  const Fields& f = d.text;
  const std::uint64_t experts = f.number(
      {"num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts"}, 0, kExpertLimit);
  const std::uint64_t usual =
      f.number({"dense_intermediate_size", "intermediate_size_mlp", "intermediate_size",
                "ffn_hidden_size", "ffn_dim", "n_inner"},
               saturating_mul(d.model.hidden, defaults.inner_multiple));
  const std::uint64_t inner = f.number({"moe_intermediate_size", "intermediate_size"}, usual);
  if (usual == 0 && experts == 0) f.need({"intermediate_size"});
  if (experts > 0 && inner == 0) f.need({"moe_intermediate_size"});
  const FeedForward dense{
      .kind = FeedForwardKind::dense, .intermediate = u32(usual), .gated = defaults.gated};
  const FeedForward sparse =
      experts > 0 ? experts_of(f, experts, inner, defaults.gated) : FeedForward{};
  const std::vector<bool> moe = expert_layers(f, d.model.layers.size());
  for (std::size_t i = 0; i < d.model.layers.size(); ++i) {
    d.model.layers[i].feed_forward = experts > 0 && moe[i] ? sparse : dense;
  }
}

}  // namespace steelyard::model

#include <fmt/format.h>

#include "model/blocks.h"

namespace steelyard::model {

void emit_mlp(Draft& d, std::string_view prefix, std::uint64_t hidden, std::uint64_t intermediate,
              bool gated, bool shared) {
  const NameStyle& n = d.style.names;
  const auto name = [&](std::string_view part) { return joined_name(prefix, part); };
  const bool bias = d.style.mlp_bias;
  const Role up = shared ? Role::shared_up : Role::ffn_up;
  if (gated && !n.gate_up.empty()) {
    d.linear(name(n.gate_up), up, 2 * intermediate, hidden, Split::column, bias);
  } else {
    if (gated) {
      d.linear(name(n.gate), shared ? Role::shared_gate : Role::ffn_gate, intermediate, hidden,
               Split::column, bias);
    }
    d.linear(name(n.up), up, intermediate, hidden, Split::column, bias);
  }
  d.linear(name(n.down), shared ? Role::shared_down : Role::ffn_down, hidden, intermediate,
           Split::row, bias);
}

void emit_experts(Draft& d, const FeedForward& ff, std::uint64_t hidden) {
  const NameStyle& n = d.style.names;
  const std::uint64_t inner = ff.expert_intermediate;
  const std::string experts = joined_name(n.moe, n.experts);
  const auto expert = [&](std::string_view part) {
    return d.style.experts_fused ? fmt::format("{}.{}", experts, part)
                                 : fmt::format("{}.*.{}.weight", experts, part);
  };
  const auto bias = [&](std::string_view part, Role role, std::uint64_t size) {
    if (!d.style.expert_bias) return;
    d.add(fmt::format("{}.{}_bias", experts, part), role, size, 1, Split::expert, false,
          ff.experts);
  };
  if (d.style.experts_fused && ff.gated) {
    d.add(expert("gate_up_proj"), Role::expert_up, 2 * inner, hidden, Split::expert, true,
          ff.experts);
    bias("gate_up_proj", Role::expert_up, 2 * inner);
  } else {
    if (ff.gated) {
      d.add(expert(n.expert_gate), Role::expert_gate, inner, hidden, Split::expert, true,
            ff.experts);
    }
    d.add(expert(n.expert_up), Role::expert_up, inner, hidden, Split::expert, true, ff.experts);
  }
  d.add(expert(d.style.experts_fused ? "down_proj" : n.expert_down), Role::expert_down, hidden,
        inner, Split::expert, true, ff.experts);
  bias("down_proj", Role::expert_down, hidden);
}

void emit_feed_forward(Draft& d, const Layer& layer) {
  const FeedForward& ff = layer.feed_forward;
  const NameStyle& n = d.style.names;
  if (ff.kind == FeedForwardKind::none) return;
  if (ff.kind == FeedForwardKind::dense) {
    return emit_mlp(d, n.mlp, d.model.hidden, ff.intermediate, ff.gated);
  }
  d.linear(joined_name(n.moe, n.router), Role::router, ff.experts, d.model.hidden,
           Split::replicated, d.style.router_bias, false);
  if (d.style.router_correction) {
    d.vector(joined_name(n.moe, n.router + ".e_score_correction_bias"), Role::router, ff.experts);
  }
  const std::uint64_t narrow = d.style.expert_hidden;
  if (narrow > 0) {
    d.linear(joined_name(n.moe, "fc1_latent_proj"), Role::other, narrow, d.model.hidden,
             Split::replicated, d.style.mlp_bias);
    d.linear(joined_name(n.moe, "fc2_latent_proj"), Role::other, d.model.hidden, narrow,
             Split::replicated, d.style.mlp_bias);
  }
  emit_experts(d, ff, narrow > 0 ? narrow : d.model.hidden);
  if (ff.shared_intermediate > 0) {
    const std::string shared = joined_name(n.moe, n.shared);
    emit_mlp(d, shared, d.model.hidden, ff.shared_intermediate, ff.gated, true);
    if (d.style.shared_expert_gate) {
      d.linear(shared + "_gate", Role::router, 1, d.model.hidden, Split::replicated, false, false);
    }
  }
}

}  // namespace steelyard::model

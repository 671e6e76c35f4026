#include "memory/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace steelyard::memory {
namespace {

constexpr std::uint32_t largest_size = 65536;

bool heads_divide(const model::Model& model, std::uint32_t tp) {
  for (const model::Layer& layer : model.layers) {
    const model::Attention& a = layer.attention;
    if (layer.mixer == model::Mixer::none) continue;
    if (layer.mixer == model::Mixer::recurrent) {
      if (layer.recurrent.state_heads > 1 && layer.recurrent.state_heads % tp != 0) return false;
      continue;
    }
    if (a.query_heads % tp != 0) return false;
    if (layer.mixer == model::Mixer::mla || a.kv_heads == 0) continue;
    // Fewer heads than ranks: each head is held by several ranks, which must come out even.
    if (a.kv_heads >= tp ? a.kv_heads % tp != 0 : tp % a.kv_heads != 0) return false;
  }
  return true;
}

std::unexpected<Error> illegal(std::string what, std::string field, std::string try_this) {
  return fail({.kind = ErrorKind::usage,
               .what = std::move(what),
               .field = std::move(field),
               .try_this = std::move(try_this)});
}

Status check_sizes(const Placement& p) {
  for (const std::uint32_t size : {p.tp, p.pp, p.dp, p.ep, p.cp, p.attention_dp, p.dcp}) {
    if (size == 0 || size > largest_size) {
      return illegal("a parallel size must be between 1 and 65536", "--tp", "");
    }
  }
  if (p.tp % p.attention_dp != 0) {
    return illegal(fmt::format("attention data parallel {} does not divide tensor parallel {}",
                               p.attention_dp, p.tp),
                   "--attention-dp", "give a divisor of --tp");
  }
  if (p.tp % p.dcp != 0) {
    return illegal(
        fmt::format("decode context parallel {} does not divide tensor parallel {}", p.dcp, p.tp),
        "--dcp", "give a divisor of --tp");
  }
  return {};
}

}  // namespace

Placement spread(Placement placement) {
  if (!placement.experts_over_replicas()) return placement;
  placement.tp *= placement.dp;
  placement.attention_dp *= placement.dp;
  placement.dp = 1;
  return placement;
}

std::vector<Stage> pipeline_stages(std::size_t layers, std::uint32_t pp) {
  if (layers == 0 || pp <= 1) return {Stage{.first = 0, .last = layers}};
  std::vector<std::size_t> counts(pp, layers / pp);
  const std::size_t extra = layers % pp;
  for (std::size_t i = 0; i < extra; ++i) ++counts[pp - 2 - i % (pp - 1)];
  std::vector<Stage> stages;
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < pp; ++i) {
    stages.push_back({.first = at,
                      .last = at + counts[i],
                      .holds_embedding = i == 0,
                      .holds_head = i + 1 == pp});
    at += counts[i];
  }
  return stages;
}

std::vector<std::uint32_t> legal_tensor_parallel(const model::Model& model, std::uint32_t limit) {
  std::vector<std::uint32_t> legal;
  for (std::uint32_t tp = 1; tp <= limit; ++tp) {
    if (heads_divide(model, tp)) legal.push_back(tp);
  }
  return legal;
}

Status check_placement(const model::Model& model, const Placement& placement) {
  if (auto sizes = check_sizes(placement); !sizes) return sizes;
  const std::uint32_t attention_tp = placement.tp / placement.attention_dp;
  if (!heads_divide(model, attention_tp)) {
    return illegal(
        fmt::format("tensor parallel {} does not divide the attention heads of {}", attention_tp,
                    model.name),
        "--tp", fmt::format("legal values: {}", fmt::join(legal_tensor_parallel(model, 64), ", ")));
  }
  if (placement.pp > 1 && placement.pp > model.layers.size()) {
    return illegal(
        fmt::format("{} pipeline stages for {} layers", placement.pp, model.layers.size()), "--pp",
        fmt::format("at most {}", std::max<std::size_t>(1, model.layers.size())));
  }
  if (placement.ep > 1) {
    std::uint32_t experts = 0;
    for (const model::Layer& layer : model.layers) {
      experts = std::max(experts, layer.feed_forward.experts);
    }
    if (experts == 0) {
      return illegal(model.name + " has no experts to spread", "--ep", "leave --ep out");
    }
    if (placement.ep > experts) {
      return illegal(fmt::format("expert parallel {} for {} experts", placement.ep, experts),
                     "--ep", fmt::format("at most {}", experts));
    }
    if (placement.tp % placement.ep != 0) {
      return illegal(fmt::format("expert parallel {} over {} cards", placement.ep, placement.tp),
                     "--ep",
                     "the experts spread over the cards of --tp, or of --tp times --dp: give that "
                     "number or a divisor");
    }
  }
  return {};
}

}  // namespace steelyard::memory

#include "memory/engines/llama_cpp_placement.h"

#include <algorithm>

namespace steelyard::memory::llama_cpp {

namespace {

using model::Role;

std::uint32_t card_count(const Request& request) {
  const auto& p = request.placement;
  const std::uint64_t asked = saturating_mul(std::max(1U, p.pp), std::max(1U, p.tp));
  // One replica's cards; without a word on the split, all that were named.
  const std::uint64_t given = request.card && p.dp <= 1 ? request.card->count : 1;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(asked > 1 ? asked : given, 1, 256));
}

bool is_tower(Role role) {
  return role == Role::vision || role == Role::audio || role == Role::projector;
}

bool is_input(Role role) {
  return role == Role::token_embedding || role == Role::position_embedding;
}

}  // namespace

Layout layout_of(const model::Model& model, const Request& request, const Build& build) {
  Layout out;
  const auto& w = request.workload;
  const std::uint64_t layers = model.layers.size();
  const bool no_cards = w.gpu_layers && *w.gpu_layers <= 0 && !request.card;
  out.cards = no_cards ? 0 : card_count(request);
  out.rows_split = request.placement.tp > 1;
  out.experts_on_host = w.offload == "cpu" && has_experts(model);
  const std::uint64_t all = layers + 1;
  const std::uint64_t wanted =
      w.gpu_layers ? static_cast<std::uint64_t>(std::max<std::int64_t>(0, *w.gpu_layers)) : all;
  const std::uint64_t moved = out.cards == 0 ? 0 : std::min(wanted, all);
  const bool output_moved = build.counts_output_as_layer ? moved > 0 : moved > layers;
  // Older builds fill repeating layers first and the output last; newer ones begin with the output.
  const std::uint64_t repeating =
      build.counts_output_as_layer && moved > 0 ? moved - 1 : std::min(moved, layers);
  const std::uint64_t first = layers - repeating;
  const auto share = [&](std::uint64_t position) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(
        position * out.cards / std::max<std::uint64_t>(moved, 1), out.cards - 1));
  };
  for (std::uint64_t i = 0; i < layers; ++i) {
    out.layer_device.push_back(i < first ? out.host() : share(i - first));
  }
  out.output_device = output_moved ? share(moved - 1) : out.host();
  out.all_on_cards = out.cards > 0 && moved == all;
  return out;
}

ModelBuffers model_buffers(const model::Model& model, const Layout& layout, bool with_projector) {
  ModelBuffers out;
  out.device.resize(layout.cards + 1);
  const auto stored = [&](const model::Tensor& t, std::uint32_t device) {
    const std::uint64_t each = t.count > 1 ? t.bytes.value() : round_up(t.bytes.value(), 128);
    if (layout.rows_split && device != layout.host() && t.cols > 1 && layout.cards > 0) {
      for (std::uint32_t d = 0; d < layout.cards; ++d) {
        out.device[d] += Bytes(each / layout.cards);
      }
      return;
    }
    out.device[device] += Bytes(each);
  };
  const auto last_layer = static_cast<std::int32_t>(layout.layer_device.size());
  bool head = false;
  const model::Tensor* embedding = nullptr;
  Bytes span, pending;  // of the file, in its order: all bytes once the host's begin
  bool host_begun = false;
  for (const auto& t : model.tensors) {
    std::uint32_t device = layout.host();
    if (is_tower(t.role)) {
      if (!with_projector || layout.cards == 0) continue;
      device = 0;
    } else if (is_expert(t.role) && layout.experts_on_host) {
      device = layout.host();
    } else if (t.layer >= 0 && t.layer < last_layer) {
      device = layout.layer_device[static_cast<std::size_t>(t.layer)];
    } else if (t.layer >= last_layer || !is_input(t.role)) {
      device = layout.output_device;  // MTP layers, final norm, head
    }
    head = head || t.role == Role::output_head;
    if (t.layer < 0 && t.role == Role::token_embedding) embedding = &t;
    stored(t, device);
    host_begun = host_begun || device == layout.host();
    if (!host_begun) continue;
    pending += t.bytes;
    if (device == layout.host()) {
      span += pending;
      pending = Bytes(0);
    }
  }
  out.mapped_span = span;
  out.tied_copy =
      !head && embedding != nullptr && !model.encoder_only && layout.output_device != layout.host();
  if (out.tied_copy) stored(*embedding, layout.output_device);
  return out;
}

}  // namespace steelyard::memory::llama_cpp

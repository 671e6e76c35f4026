#include <algorithm>

#include "model/blocks.h"

namespace steelyard::model {
namespace {

void emit_layer_norms(Draft& d, const Layer& layer) {
  if (layer.mixer != Mixer::none) {
    for (const std::string& name : d.style.names.mixer_norms) d.norm(name, d.model.hidden);
  }
  if (layer.feed_forward.kind != FeedForwardKind::none) {
    for (const std::string& name : d.style.names.mlp_norms) d.norm(name, d.model.hidden);
  }
}

}  // namespace

void emit_mtp_joint(Draft& d) {
  const std::uint64_t hidden = d.model.hidden;
  d.norm("enorm", hidden);
  d.norm("hnorm", hidden);
  d.linear("eh_proj", Role::other, hidden, 2 * hidden, Split::replicated, false, false);
  d.norm("shared_head.norm", hidden);
  if (d.style.mtp_own_embedding) {
    d.linear("embed_tokens", Role::token_embedding, d.model.vocab, hidden, Split::vocabulary, false,
             false);
    d.linear("shared_head.head", Role::output_head, d.model.vocab, hidden, Split::vocabulary, false,
             false);
  }
}

void emit_layer_parts(Draft& d, const Layer& layer) {
  switch (layer.mixer) {
    case Mixer::none:
      break;
    case Mixer::recurrent:
      emit_recurrent(d, layer);
      break;
    default:
      emit_attention(d, layer);
  }
  emit_feed_forward(d, layer);
  emit_layer_norms(d, layer);
}

void emit_layer(Draft& d, std::size_t index, const Layer& layer) {
  d.enter_layer(index);
  emit_layer_parts(d, layer);
  d.leave_layer();
}

namespace {

// Most decoders have one or two kinds of layers: each is put together once.
void emit_layers(Draft& d) {
  struct Emitted {
    std::size_t layer, begin, end;
  };
  std::vector<Emitted> kinds;
  const auto& layers = d.model.layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto same = std::ranges::find_if(
        kinds, [&](const Emitted& kind) { return layers[kind.layer] == layers[i]; });
    if (same != kinds.end()) {
      d.enter_layer(i);
      d.repeat(same->begin, same->end);
      d.leave_layer();
      continue;
    }
    const std::size_t begin = d.model.tensors.size();
    emit_layer(d, i, layers[i]);
    if (kinds.size() < 8) kinds.push_back({i, begin, d.model.tensors.size()});
    if (i == 0) d.model.tensors.reserve((layers.size() + 2) * (d.model.tensors.size() + 2));
  }
}

}  // namespace

void emit_decoder(Draft& d) {
  const NameStyle& n = d.style.names;
  d.linear(n.embedding, Role::token_embedding, d.model.vocab, d.model.hidden, Split::vocabulary,
           false, false);
  if (d.style.positions > 0) {
    d.linear(n.positions, Role::position_embedding, d.style.positions, d.model.hidden,
             Split::replicated, false, false);
  }
  if (!n.embedding_norm.empty()) d.norm(n.embedding_norm, d.model.hidden);
  emit_layers(d);
  if (d.style.final_norm) d.norm(n.final_norm, d.model.hidden);
  if (!d.model.tied_embeddings && d.style.head) {
    d.linear(n.head, Role::output_head, d.model.vocab, d.model.hidden, Split::vocabulary,
             d.style.head_bias, false);
  }
  for (std::size_t i = 0; i < d.model.mtp_layers.size(); ++i) {
    d.enter_mtp(i);
    emit_layer_parts(d, d.model.mtp_layers[i]);
    emit_mtp_joint(d);
    d.leave_layer();
  }
}

}  // namespace steelyard::model

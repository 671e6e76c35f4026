// The tensors of a layer's parts, from its figures and the family's style.
#pragma once

#include "model/draft.h"

namespace steelyard::model {

// q, k, v, o (or fused), biases, norms of q and k, output gate, sinks. MLA by kv_lora_rank.
void emit_attention(Draft& draft, const Layer& layer);
void emit_mla(Draft& draft, const Layer& layer);
// The keys of a DeepSeek sparse indexer.
void emit_indexer(Draft& draft, const Layer& layer);

// Dense MLP, or router + experts + shared experts.
void emit_feed_forward(Draft& draft, const Layer& layer);
void emit_mlp(Draft& draft, std::string_view prefix, std::uint64_t hidden,
              std::uint64_t intermediate, bool gated, bool shared = false);
void emit_experts(Draft& draft, const FeedForward& ff, std::uint64_t hidden);

// Mamba-1, Mamba-2, gated delta net, Kimi delta, short convolution ... by layer.recurrent.kind.
void emit_recurrent(Draft& draft, const Layer& layer);

// Embedding, layers, final norm, head, MTP layers: the usual decoder around those parts.
void emit_decoder(Draft& draft);
void emit_layer(Draft& draft, std::size_t index, const Layer& layer);
// The parts of one layer, after Draft::enter_layer or enter_mtp.
void emit_layer_parts(Draft& draft, const Layer& layer);
// What joins an MTP layer to the model: two norms, the projection, a last norm.
void emit_mtp_joint(Draft& draft);

}  // namespace steelyard::model

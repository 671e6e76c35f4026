// Encoder-only models: BERT, RoBERTa and XLM-RoBERTa. No cache, one embedding per text.
#include <fmt/format.h>

#include "model/families/all.h"

namespace steelyard::model {
namespace {

void embeddings(Draft& d) {
  const std::uint64_t hidden = d.model.hidden;
  d.linear("embeddings.word_embeddings", Role::token_embedding, d.model.vocab, hidden,
           Split::vocabulary, false, false);
  d.linear("embeddings.position_embeddings", Role::position_embedding, d.model.max_context, hidden,
           Split::replicated, false, false);
  d.linear("embeddings.token_type_embeddings", Role::other, d.text.number({"type_vocab_size"}, 2),
           hidden, Split::replicated, false, false);
  d.norm("embeddings.LayerNorm", hidden);
}

bool classifies(const Draft& d) {
  return d.model.architecture.find("SequenceClassification") != std::string::npos;
}

}  // namespace

void build_bert(Draft& d) {
  Style& s = d.style;
  s.norm_bias = s.qkv_bias = s.o_bias = s.mlp_bias = true;
  NameStyle& n = s.names;
  n.layers = "encoder.layer";
  n.attention = "attention";
  n.q = "self.query";
  n.k = "self.key";
  n.v = "self.value";
  n.o = "output.dense";
  n.mlp = "";
  n.up = "intermediate.dense";
  n.down = "output.dense";
  n.mixer_norms = {"attention.output.LayerNorm"};
  n.mlp_norms = {"output.LayerNorm"};
  read_decoder(d, {.gated = false});
  d.model.encoder_only = true;
  d.model.encoder_layers = static_cast<std::uint32_t>(d.model.layers.size());
  embeddings(d);
  for (std::size_t i = 0; i < d.model.layers.size(); ++i) {
    d.model.layers[i].mixer = Mixer::bidirectional;
    emit_layer(d, i, d.model.layers[i]);
  }
  const std::uint64_t hidden = d.model.hidden;
  if (classifies(d)) {
    d.linear("classifier.dense", Role::other, hidden, hidden, Split::replicated, true, false);
    d.linear("classifier.out_proj", Role::other, d.text.number({"num_labels"}, 1), hidden,
             Split::replicated, true, false);
  } else {
    d.linear("pooler.dense", Role::other, hidden, hidden, Split::replicated, true, false);
  }
}

}  // namespace steelyard::model

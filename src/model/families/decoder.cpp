#include <algorithm>

#include <fmt/format.h>

#include "model/families/families.h"

namespace steelyard::model {
namespace {

void read_sizes(Draft& d, const DecoderDefaults& defaults) {
  const Fields& f = d.text;
  d.model.hidden = f.need({"hidden_size", "n_embd", "d_model"});
  const bool padded = f.has("padded_vocab_size");
  d.model.vocab = f.need({padded ? "padded_vocab_size" : "vocab_size"}, kVocabLimit);
  d.model.max_context = f.number({"max_position_embeddings", "n_positions", "n_ctx", "max_seq_len",
                                  "seq_length", "model_max_length", "context_length"},
                                 0, kContextLimit);
  const std::uint64_t count =
      f.need({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, kLayerLimit);
  d.model.layers.assign(count, Layer{});
  // The outer config and the text part may both say it; the text part is nearer.
  d.model.tied_embeddings =
      d.text.flag({"tie_word_embeddings"}, d.root.flag({"tie_word_embeddings"}, defaults.tied));
}

void read_mla(Draft& d, Attention& a) {
  const Fields& f = d.text;
  a.kv_lora_rank = u32(f.need({"kv_lora_rank"}));
  a.rope_dim = u32(f.need({"qk_rope_head_dim"}));
  d.style.nope_dim = f.need({"qk_nope_head_dim"});
  d.style.q_lora_rank = f.number({"q_lora_rank"}, 0);
  // The expanded sizes: what an engine without absorbed attention would cache.
  a.kv_heads = a.query_heads;
  a.key_dim = u32(d.style.nope_dim + a.rope_dim);
  a.value_dim = u32(f.need({"v_head_dim"}));
  a.indexer_dim = u32(f.number({"index_head_dim"}, 0));
  d.style.indexer_heads = f.number({"index_n_heads"}, 0);
}

}  // namespace

void read_attention(Draft& d, const DecoderDefaults& defaults) {
  const Fields& f = d.text;
  Attention a;
  const std::uint64_t heads = f.need({"num_attention_heads", "n_head", "n_heads"});
  a.query_heads = u32(heads);
  const bool multi_query = f.flag({"multi_query", "multi_query_attention"}, false);
  a.kv_heads =
      u32(f.number({"num_key_value_heads", "num_kv_heads", "multi_query_group_num", "n_head_kv"},
                   multi_query ? 1 : heads));
  const std::uint64_t by_width = heads > 0 ? d.model.hidden / heads : 0;
  a.key_dim = u32(f.number({"head_dim", "kv_channels", "attention_head_dim"},
                           defaults.head_dim > 0 ? defaults.head_dim : by_width));
  a.value_dim = u32(f.number({"v_head_dim"}, a.key_dim));
  Mixer mixer = Mixer::full;
  if (f.number({"kv_lora_rank"}, 0) > 0) {
    mixer = Mixer::mla;
    read_mla(d, a);
  }
  for (Layer& layer : d.model.layers) {
    layer.attention = a;
    layer.mixer = mixer;
  }
}

void read_decoder(Draft& d, const DecoderDefaults& defaults) {
  read_sizes(d, defaults);
  read_attention(d, defaults);
  read_windows(d, defaults);
  read_feed_forward(d, defaults);
  read_mtp(d);
}

void read_mtp(Draft& d) {
  const std::uint64_t count =
      d.text.number({"num_nextn_predict_layers", "mtp_num_hidden_layers"}, 0, 64);
  if (count == 0 || d.model.layers.empty()) return;
  d.model.mtp_layers.assign(count, d.model.layers.back());
}

}  // namespace steelyard::model

// Model families: which function reads which model_type, and the general rules they share.
#pragma once

#include <span>
#include <string_view>

#include "model/blocks.h"
#include "model/draft.h"

namespace steelyard::model {

struct Family {
  std::string_view model_type;
  void (*build)(Draft&);
};
// The one visible list. An unknown model_type goes through build_default.
std::span<const Family> families();
void build_default(Draft& draft);

// What a family's own code assumes where its config is silent.
struct DecoderDefaults {
  std::uint32_t full_every = 0;  // with a window: every n-th layer sees all (0: none does)
  std::uint32_t head_dim = 0;    // 0: hidden / heads
  bool gated = true;
  bool tied = false;
  std::uint32_t inner_multiple = 0;  // MLP width over hidden when no field says it (0: required)
};
// Reads the usual fields of a decoder into layers: attention kind and pattern, feed-forward kind,
// MTP layers. Decides by the fields that are there, whatever the family.
void read_decoder(Draft& draft, const DecoderDefaults& defaults = {});
void read_attention(Draft& draft, const DecoderDefaults& defaults);     // fills Layer::attention
void read_feed_forward(Draft& draft, const DecoderDefaults& defaults);  // fills Layer::feed_forward
void read_windows(Draft& draft, const DecoderDefaults& defaults);       // sliding, chunked, linear
void read_mtp(Draft& draft);

}  // namespace steelyard::model

#include "memory/typical_band.h"

namespace steelyard::memory {
namespace {

// Over the 209 catalogue models that carry a size in their name (5th and 95th percentile): real
// parameters are 0.97 to 1.31 times the name's figure (1.18 from 6B up), and keys and values of a
// token 0.20 to 5.1 times the typical shape's: multi-head and latent attention at the two ends.
struct Share {
  double low, high;
};
constexpr Share weights_share{0.97, 1.18}, small_weights_share{0.95, 1.31}, kv_share{0.20, 5.1};
constexpr std::uint64_t small_model = 6'000'000'000;

void widen(ByteFigure& figure, Share share) {
  const double value = figure.value.as_double();
  figure.low = std::min(figure.low, bytes_from(value * share.low));
  figure.high = std::max(figure.high, bytes_from(value * share.high));
  figure.origin = Origin::assumed;
}

}  // namespace

void widen_for_typical(const model::Model& model, Answer& answer) {
  if (model.reading != model::Reading::typical_shape) return;
  const Share weights = model.parameters() < small_model ? small_weights_share : weights_share;
  for (Rank& rank : answer.ranks) {
    for (Term& term : rank.terms) {
      const bool cache = term.name == "kv_cache" || term.name == "recurrent_state";
      const bool stored = term.name == "weights" || term.name == "offloaded_to_host";
      if (cache || stored) {
        widen(term.bytes, cache ? kv_share : weights);
      } else if (term.bytes.origin == Origin::exact) {
        term.bytes.origin = Origin::assumed;
      }
    }
  }
}

}  // namespace steelyard::memory

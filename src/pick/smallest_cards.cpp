#include <algorithm>
#include <numeric>

#include "pick/pick.h"

namespace steelyard::pick {
namespace {

using facts::Accelerator;

bool holds(const memory::Answer& answer) {
  return answer.verdict == memory::Verdict::fits || answer.verdict == memory::Verdict::tight;
}

// Cards worth naming: known memory, trusted figures, not a modified board, and new enough that
// current engines still support them.
bool nameable(const Accelerator& card) {
  const bool trusted =
      card.confidence == facts::Confidence::read || card.confidence == facts::Confidence::mixed;
  return trusted && card.reported && card.form != "consumer (modded)" &&
         card.launch_year.value_or(0) >= 2018;
}

std::optional<CardFit> try_card(const model::Model& model, memory::Request request,
                                const Accelerator& card, std::uint32_t count) {
  request.card = memory::card_memory(card, count);
  if (count > 1) {
    const bool by_layers = request.engine.kind == memory::EngineKind::llama_cpp ||
                           request.engine.kind == memory::EngineKind::ollama;
    (by_layers ? request.placement.pp : request.placement.tp) = count;
  }
  auto answer = memory::size(model, request);
  if (!answer || !holds(*answer)) return std::nullopt;
  return CardFit{&card, count, std::move(*answer)};
}

}  // namespace

std::vector<CardFit> smallest_cards(const model::Model& model, const memory::Request& request,
                                    const facts::Catalogue& catalogue, std::size_t limit) {
  std::vector<const Accelerator*> cards;
  for (const Accelerator& card : catalogue.accelerators()) {
    if (nameable(card)) cards.push_back(&card);
  }
  // Equal sizes: the newer card first.
  std::ranges::stable_sort(cards, [](const Accelerator* a, const Accelerator* b) {
    return *a->reported != *b->reported ? *a->reported < *b->reported
                                        : a->launch_year > b->launch_year;
  });
  std::vector<CardFit> fits;
  double last_gb = 0;
  for (const Accelerator* card : cards) {
    if (fits.size() == limit) return fits;
    if (card->sold_as_gb == last_gb) continue;
    if (auto fit = try_card(model, request, *card, 1)) {
      last_gb = card->sold_as_gb;
      fits.push_back(std::move(*fit));
    }
  }
  if (!fits.empty()) return fits;
  for (const std::uint32_t count : {2u, 4u, 8u, 16u, 32u}) {
    for (const Accelerator* card : cards) {
      if (card->form != "datacenter" || card->sold_as_gb == last_gb) continue;
      if (fits.size() == limit) return fits;
      if (auto fit = try_card(model, request, *card, count)) {
        last_gb = card->sold_as_gb;
        fits.push_back(std::move(*fit));
      }
    }
    if (!fits.empty()) return fits;
  }
  return fits;
}

}  // namespace steelyard::pick

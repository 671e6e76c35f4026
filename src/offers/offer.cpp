#include "offers/offers.h"

#include <fmt/format.h>

namespace steelyard::offers {
namespace {

const facts::Accelerator* resolve(const facts::Catalogue& catalogue, const Offer& offer) {
  if (offer.memory_gb) {
    const auto sized = catalogue.find_card(fmt::format("{} {:g}GB", offer.card, *offer.memory_gb));
    if (!sized.variants.empty()) return sized.variants.front();
  }
  const auto plain = catalogue.find_card(offer.card);
  return plain.variants.empty() ? nullptr : plain.variants.front();
}

}  // namespace

Money Offer::per_card_hour() const {
  constexpr double hours_of_a_month = 730;
  const double hourly = monthly ? price.amount / hours_of_a_month : price.amount;
  return {hourly / std::max<std::uint32_t>(1, count), price.currency};
}

const facts::Accelerator* CardFinder::card_of(const Offer& offer) {
  std::string key = offer.card;
  if (offer.memory_gb) key.append(1, '\n').append(std::to_string(*offer.memory_gb));
  const auto [found, fresh] = known_.try_emplace(std::move(key), nullptr);
  if (fresh) found->second = resolve(catalogue_, offer);
  return found->second;
}

}  // namespace steelyard::offers

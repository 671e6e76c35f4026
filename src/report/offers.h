// Price lists and instance types in every format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "offers/offers.h"

namespace steelyard::report {

struct OfferRow {
  offers::Offer offer;
  const facts::Accelerator* card = nullptr;  // null: the catalogue lacks it
  bool history = false;
};

struct OffersDocument {
  offers::Date as_of;
  std::vector<OfferRow> rows;  // cheapest per card and hour first, by currency
  std::size_t left_out = 0;    // history that was not asked for
  std::optional<offers::Instance> instance;
};

std::string offers_text(const OffersDocument& document);
std::string offers_csv(const OffersDocument& document);
std::string offers_markdown(const OffersDocument& document);
std::string offers_json(const OffersDocument& document);  // steelyard.offers/1

}  // namespace steelyard::report

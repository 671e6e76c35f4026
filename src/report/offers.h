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
  bool history = false;                      // older than a year
  bool superseded = false;                   // a newer price of the same thing is in the list
  bool is_current() const { return !history && !superseded; }
};

struct OffersDocument {
  offers::Date as_of;
  // By currency; current ones before the others, cheapest per card and hour first.
  std::vector<OfferRow> rows;
  std::size_t left_out = 0;             // older than a year, not asked for
  std::size_t left_out_superseded = 0;  // replaced by a newer price, not asked for
  std::size_t left_out_later = 0;       // seen after the day that was asked
  std::size_t unknown_cards = 0;        // rows whose card the catalogue lacks
  std::optional<offers::Instance> instance;
  std::string none;  // why no row is left, and the way out; empty when there are some
};

// What a type holds and how far that is known, as one paragraph.
std::string instance_lines(const offers::Instance& one);
std::string offers_text(const OffersDocument& document);
std::string offers_csv(const OffersDocument& document);
std::string offers_markdown(const OffersDocument& document);
std::string offers_json(const OffersDocument& document);  // steelyard.offers/1

}  // namespace steelyard::report

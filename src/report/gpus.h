// The catalogue of cards as text and as JSON. Pure: cards in, text out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "facts/facts.h"
#include "offers/offers.h"

namespace steelyard::report {

// What `gpus` shows: all cards, those that a name means, or two side by side.
struct GpusDocument {
  std::vector<std::string> asked;  // names as typed; empty for the whole catalogue
  std::vector<const facts::Accelerator*> cards;
  bool assumed = false;                     // a name fits several cards; the first is the commonest
  std::vector<offers::Instance> instances;  // types named instead of cards
};

// One line per card, at most 100 columns, grouped by maker.
std::string gpus_table(std::span<const facts::Accelerator* const> cards);
// Everything known about one card, with confidence and sources.
std::string gpus_card(const facts::Accelerator& card);
// Two cards beside each other, with the ratio second : first where both are numbers.
std::string gpus_side_by_side(const facts::Accelerator& first, const facts::Accelerator& second);
// The text for a document: one of the three above, and what the name also could mean.
std::string gpus_text(const GpusDocument& document);

// The document steelyard.gpus/1 (data/schemas/steelyard.gpus.1.json).
std::string gpus_json(const GpusDocument& document);

}  // namespace steelyard::report

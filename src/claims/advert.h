// The parts of an advert that stand in it as written: cards, count, words, figures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "claims/claims.h"

namespace steelyard::claims {

// A card's name in the text.
struct Named {
  facts::CardMatch match;
  // The same name without its last words, where that is another card: "4090" of "4090 48G".
  std::vector<const facts::Accelerator*> shorter;
  std::size_t at = 0, end = 0;
};

struct Advert {
  std::string text;  // widths folded
  std::string lowered;
  std::vector<Named> named;
  std::uint32_t count = 1;
  bool count_said = false;
  std::vector<Figure> figures;
};

std::vector<Named> find_cards(const facts::Catalogue& catalogue, const std::string& text);
std::vector<Figure> find_figures(const std::string& text);
std::optional<std::uint32_t> find_count(const std::string& text);

// Whether the part of the text around a figure, up to the next comma or line, has one of the words.
bool says(const Advert& advert, const Figure& figure,
          std::initializer_list<std::string_view> words);
bool says(const Advert& advert, std::initializer_list<std::string_view> words);

}  // namespace steelyard::claims

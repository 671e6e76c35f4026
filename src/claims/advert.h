// The parts of an advert that stand in it as written: cards, count, shares, figures, and the rest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "claims/claims.h"

namespace steelyard::claims {

struct Span {
  std::size_t at = 0, end = 0;
};

// A card's name in the text.
struct Named {
  facts::CardMatch match;
  // The same name without its last words, where that is another card: "4090" of "4090 48G".
  std::vector<const facts::Accelerator*> shorter;
  std::size_t at = 0, end = 0;
  std::size_t wide_end = 0;  // with words behind it that change nothing: "4090 24G"
};

// A part of a card: "1/4卡", "1g.10gb", "A10-8Q".
struct Share {
  enum class Kind { fraction, mig, vgpu } kind = Kind::fraction;
  std::string text;
  double fraction = 0;  // of the card; 0 when only a size is said
  int slices = 0;       // of a MIG profile
  double gb = 0;        // of a MIG or vGPU profile
  Span span;
};

struct Counted {
  // Every number of cards that a figure may be the sum of; one card is always among them.
  std::vector<std::uint32_t> all = {1};
  std::uint32_t count = 1;  // cards of a machine as said
  bool said = false;
  std::vector<Span> spans;
};

struct Advert {
  std::string text;  // as plain_text() gives it
  std::string lowered;
  std::vector<Named> named;
  Counted cards;
  std::vector<Share> shares;
  std::vector<Figure> figures;
  std::vector<bool> taken;  // bytes that some reader understood

  void take(Span span);
  bool is_taken(std::size_t at) const { return at < taken.size() && taken[at]; }
  bool allows(std::uint32_t cards_summed) const;
};

std::string plain_text(std::string_view written);
std::vector<Named> find_cards(const facts::Catalogue& catalogue, const std::string& text);
// PCIe and NVLink generations, memory types, software, prices, times, hosts' parts: numbers that
// are no figure of the card. Marks them as taken; `aside` gets those a buyer may look for.
void find_asides(Advert& advert, std::vector<std::string>& aside);
void find_host(Advert& advert, std::vector<std::string>& aside);
void find_shares(Advert& advert);
// Errors: usage (a count of zero, or below).
Status find_count(Advert& advert);
// Whether the number that ends at `end` has a unit that only a card's figure has (TFLOPS, TB/s,
// CUDA cores): no word beside it makes it another part's.
bool has_own_unit(std::string_view lowered, std::size_t end);
// Whether a unit of any kind stands straight behind the number that ends at `end`.
bool has_unit(std::string_view lowered, std::size_t end);
// Errors: usage (a figure of zero, or below).
Status find_figures(Advert& advert);
// What looks like a figure and belongs to none of the above.
std::vector<NotRead> find_unread(const Advert& advert);

// Whether a card that the text names is sold with `gb`; whether its memory or its link has that
// speed, to 2.5 per cent.
bool label_of_a_card(const Advert& advert, double gb);
bool speed_of_a_card(const Advert& advert, double bytes_per_second);

// Error for a figure or count that cannot be, with its place in the text.
Error refused(const Advert& advert, Span span, std::string_view why);

// Whether the part of the text around a figure, up to the next comma or line, has one of the words.
bool says(const Advert& advert, const Figure& figure,
          std::initializer_list<std::string_view> words);
bool says(const Advert& advert, std::initializer_list<std::string_view> words);
// The part of the lowered text that says() looks at.
std::string around(const Advert& advert, const Figure& figure);

}  // namespace steelyard::claims

#include <algorithm>
#include <cmath>

#include "facts/facts.h"
#include "facts/names.h"

namespace steelyard::facts {
namespace {

using Cards = std::vector<const Accelerator*>;

bool trusted(const Accelerator& card) {
  return card.confidence == Confidence::read || card.confidence == Confidence::mixed;
}

bool has_short_name(const Accelerator& card, std::string_view model) {
  return std::ranges::find(card.short_names, model) != card.short_names.end();
}

// A size is written as the label, or as some program printed it.
enum class SizeFit { none, near, label };
SizeFit size_fit(const Accelerator& card, double size) {
  const auto is = [&](double label) { return label > 0 && std::abs(label - size) < 0.3; };
  if (is(card.sold_as_gb) || std::ranges::any_of(card.also_sold_as_gb, is)) return SizeFit::label;
  const auto close = [&](Bytes bytes) {
    return bytes.value() > 0 && std::abs(bytes.as_gib() - size) < 0.012 * size;
  };
  const Bytes reported = card.reported.value_or(Bytes(0));
  if (close(reported) || close(card.reported_ecc_flipped.value_or(Bytes(0))) ||
      close(usable_memory(card).total.value) ||
      close(usable_memory(card, Ecc::other).total.value)) {
    return SizeFit::near;
  }
  return SizeFit::none;
}

// Keeps those that `fits`; all of them when none does and `must` is false.
template <typename Fits>
void keep(Cards& cards, bool must, Fits fits) {
  Cards kept;
  std::ranges::copy_if(cards, std::back_inserter(kept), fits);
  if (must || !kept.empty()) cards = std::move(kept);
}

void keep_size(Cards& cards, const CardName& name) {
  if (!name.size) {
    // Without a size an ordinary name is the ordinary board.
    if (!name.modified) keep(cards, true, [](const Accelerator* c) { return !c->modified; });
    return;
  }
  SizeFit best = SizeFit::none;
  for (const Accelerator* card : cards) best = std::max(best, size_fit(*card, *name.size));
  keep(cards, true, [&](const Accelerator* c) {
    return best != SizeFit::none && size_fit(*c, *name.size) == best;
  });
}

void keep_socket(Cards& cards, const CardName& name) {
  if (name.socket.empty()) return;
  const auto same = [&](const Accelerator* card) {
    // A card that exists in one shape only may be called by it; only SXM is never guessed.
    return card->socket == name.socket || (card->socket.empty() && name.socket == "pcie");
  };
  keep(cards, true, same);
}

void sort_best_first(Cards& cards) {
  std::ranges::stable_sort(cards, [](const Accelerator* a, const Accelerator* b) {
    if (a->commonest != b->commonest) return a->commonest;
    return a->confidence < b->confidence;
  });
}

Cards by_parts(std::span<const Accelerator> all, const CardName& name) {
  Cards cards;
  for (const Accelerator& card : all) {
    if (!name.model.empty() && has_short_name(card, name.model)) cards.push_back(&card);
  }
  keep_size(cards, name);
  if (name.modified) keep(cards, true, [](const Accelerator* c) { return c->modified; });
  keep_socket(cards, name);
  if (!name.memory_type.empty()) {
    // People get the memory type wrong ("A100 40GB HBM2e"): it may choose, it may not refuse.
    keep(cards, false,
         [&](const Accelerator* c) { return name_key(c->memory_type) == name.memory_type; });
  }
  // A row we do not trust is never chosen beside one that we do.
  keep(cards, false, [](const Accelerator* c) { return trusted(*c); });
  return cards;
}

// The words that only one maker's cards bear.
bool says_nvidia(std::string_view text) {
  constexpr std::string_view words[] = {"rtx", "gtx", "nvidia", "geforce", "quadro", "tesla"};
  return std::ranges::any_of(words, [&](std::string_view w) { return contains_icase(text, w); });
}

// Three names to try instead: same model first (its other sizes), then by spelling.
std::vector<std::string> nearest_cards(std::span<const Accelerator> all, const CardName& name,
                                       std::string_view text) {
  const std::string word = name.model.empty() ? name_key(text) : name.model;
  const bool nvidia = says_nvidia(text);
  struct Scored {
    int distance;
    const Accelerator* card;
  };
  std::vector<Scored> scored;
  for (const Accelerator& card : all) {
    int best = 1000;
    for (const std::string& short_name : card.short_names) {
      best = std::min(best, 2 * edit_distance(word, short_name));
      // "6000" of "6000 Ada", "PRO 6000": the number alone is what people remember.
      const bool part = word.size() >= 3 && short_name.find(word) != std::string::npos;
      if (part && short_name != word) best = std::min(best, 1);
    }
    best += (card.modified || !trusted(card)) ? 1 : 0;
    best += card.form == "SoC" ? 1 : 0;
    best += nvidia && card.vendor != "NVIDIA" ? 2 : 0;
    scored.push_back({best, &card});
  }
  std::ranges::stable_sort(scored, [](const Scored& a, const Scored& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    return a.card->commonest > b.card->commonest;
  });
  std::vector<std::string> result;
  for (const Scored& s : scored) {
    if (result.size() == 3) break;
    result.push_back(s.card->name);
  }
  return result;
}

}  // namespace

CardMatch Catalogue::find_card(std::string_view text) const {
  CardMatch match;
  const std::string key = name_key(text.substr(0, 200));
  // The whole text is a name of the card: its id, its canonical name, or a listed alias.
  if (const auto named = by_name_.find(key); !key.empty() && named != by_name_.end()) {
    for (const std::size_t i : named->second) match.variants.push_back(&accelerators_[i]);
    // A modified board carries the name of the ordinary one; the name alone means the latter.
    if (match.variants.size() > 1) {
      keep(match.variants, false, [](const Accelerator* c) { return !c->modified; });
      keep(match.variants, false, [](const Accelerator* c) { return trusted(*c); });
    }
  }
  CardName name;
  if (match.variants.empty()) {
    const auto any = [&](auto fits) { return std::ranges::any_of(accelerators_, fits); };
    name = parse_card_name(
        text, {.is_model =
                   [&](std::string_view model) {
                     return any([&](const Accelerator& c) { return has_short_name(c, model); });
                   },
               .is_vendor =
                   [&](std::string_view word) {
                     return any([&](const Accelerator& c) { return lower(c.vendor) == word; });
                   }});
    match.variants = by_parts(accelerators_, name);
  }
  sort_best_first(match.variants);
  match.assumed = match.variants.size() > 1;
  if (match.variants.empty()) match.nearest = nearest_cards(accelerators_, name, text);
  return match;
}

const Link* Catalogue::find_link(std::string_view name) const {
  const std::string key = name_key(name);
  if (key.empty()) return nullptr;
  for (const Link& link : links_) {
    if (name_key(link.key) == key || name_key(link.name) == key ||
        std::ranges::any_of(link.aliases,
                            [&](const std::string& alias) { return name_key(alias) == key; })) {
      return &link;
    }
  }
  return nullptr;
}

}  // namespace steelyard::facts

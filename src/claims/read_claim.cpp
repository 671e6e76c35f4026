#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "claims/in_practice.h"
#include "claims/readings.h"

namespace steelyard::claims {
namespace {

constexpr std::size_t longest_text = 64 << 10, most_figures = 200;

// "120G内存", "RAM 256GB", "50G SSD": memory that is not the card's.
bool of_the_host(const Advert& advert, const Figure& figure) {
  constexpr std::string_view words[] = {"内存", "ram",  "硬盘",    "ssd",    "nvme",
                                        "disk", "磁盘", "storage", "系统盘", "数据盘"};
  const std::string_view text = advert.lowered;
  const std::string_view after = text.substr(figure.end, 16);
  const std::size_t from = figure.at > 16 ? figure.at - 16 : 0;
  const std::string_view before = text.substr(from, figure.at - from);
  const std::size_t here = after.find_first_not_of(' ');
  return std::ranges::any_of(words, [&](std::string_view word) {
    if (here != std::string_view::npos && after.substr(here).starts_with(word)) return true;
    const std::size_t at = before.rfind(word);
    if (at == std::string_view::npos) return false;
    const std::string_view between = before.substr(at + word.size());
    return between.find_first_not_of(" :：=") == std::string_view::npos;
  });
}

// The card named last before the figure first, then the others as they stand.
std::vector<const Named*> named_for(const Advert& advert, const Figure& figure) {
  std::vector<const Named*> names;
  for (const Named& named : advert.named) names.push_back(&named);
  const auto after =
      std::ranges::find_if(names, [&](const Named* named) { return named->at > figure.at; });
  if (after != names.begin()) std::ranges::rotate(names, after - 1);
  return names;
}

// The same figure of the same card is read once.
void drop_repeats(Advert& advert) {
  std::set<std::pair<std::string, const facts::Accelerator*>> seen;
  std::erase_if(advert.figures, [&](const Figure& figure) {
    const facts::Accelerator* card = named_for(advert, figure).front()->match.variants.front();
    return !seen.emplace(lower(figure.text), card).second;
  });
}

std::vector<Reading> meanings(const facts::Catalogue& catalogue, const facts::Accelerator& card,
                              const Advert& advert, const Figure& figure) {
  std::vector<Reading> readings;
  switch (figure.quantity) {
    case Measure::rate:
      read_rate(card, advert, figure, readings);
      break;
    case Measure::memory:
      read_memory(card, advert, figure, readings);
      break;
    case Measure::bandwidth:
      read_bandwidth(catalogue, card, advert, figure, readings);
      break;
    case Measure::power:
      read_power(card, advert, figure, readings);
      break;
    case Measure::feature:
      break;
  }
  std::ranges::stable_sort(readings, [](const Reading& a, const Reading& b) {
    return std::tuple(!a.plausible, a.verdict) < std::tuple(!b.plausible, b.verdict);
  });
  return readings;
}

Unread unread_of(const facts::Accelerator& card, const Advert& advert, const Figure& figure) {
  if (figure.quantity == Measure::rate) return nearest_rate(card, advert, figure);
  Unread unread{.figure = figure.text};
  switch (figure.quantity) {
    case Measure::memory:
      unread.because = card.sold_as_gb > 0
                           ? fmt::format("the {} is sold with {:g} GB", card.name, card.sold_as_gb)
                           : "the memory of the card is not known";
      break;
    case Measure::bandwidth:
      unread.because = card.bandwidth
                           ? fmt::format("the memory of the {} has {}", card.name,
                                         shown(Measure::bandwidth, card.bandwidth->value()))
                           : "the bandwidth of the card is not known";
      break;
    case Measure::power:
      unread.because = card.tdp ? fmt::format("the default limit of the {} is {}", card.name,
                                              shown(Measure::power, card.tdp->value()))
                                : "the power limit of the card is not known";
      break;
    default:
      break;
  }
  return unread;
}

// The nearest name's best variant first; others only where it gives no plausible meaning.
void read_figure(const facts::Catalogue& catalogue, const Advert& advert, const Figure& figure,
                 Claim& claim) {
  const std::vector<const Named*> names = named_for(advert, figure);
  const Named& named = *names.front();
  std::vector<Reading> best;
  bool plausible = false;
  for (const Named* name : names) {
    for (const facts::Accelerator* card : name->match.variants) {
      if (plausible) break;
      std::vector<Reading> readings = meanings(catalogue, *card, advert, figure);
      plausible = std::ranges::any_of(readings, &Reading::plausible);
      if (best.empty() || plausible) best = std::move(readings);
    }
  }
  // A size in the name may be the sum of several ordinary cards.
  if (figure.quantity == Measure::memory && advert.count > 1) {
    for (const facts::Accelerator* card : named.shorter) {
      std::vector<Reading> readings = meanings(catalogue, *card, advert, figure);
      std::erase_if(readings, [](const Reading& r) { return !r.plausible || r.cards == 1; });
      std::ranges::move(readings, std::back_inserter(best));
      if (!readings.empty()) break;
    }
  }
  if (best.empty()) {
    claim.unread.push_back(unread_of(*named.match.variants.front(), advert, figure));
  }
  std::ranges::move(best, std::back_inserter(claim.readings));
}

}  // namespace

std::string_view verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::right:
      return "right";
    case Verdict::not_comparable:
      return "not_comparable";
    case Verdict::misleading:
      return "misleading";
    case Verdict::wrong:
      return "wrong";
    case Verdict::impossible:
      return "impossible";
  }
  return "wrong";
}

bool Claim::holds() const {
  return unread.empty() && std::ranges::all_of(readings, [&](const Reading& one) {
           return std::ranges::any_of(readings, [&](const Reading& other) {
             return other.figure == one.figure && other.plausible;
           });
         });
}

Result<Claim> read_claim(const facts::Catalogue& catalogue, std::string_view text) {
  if (trim(text).empty()) {
    return fail({.kind = ErrorKind::usage,
                 .what = "the claim is empty",
                 .field = "--claim",
                 .try_this = "give the advert's words: --claim \"4090 660 TFLOPS\""});
  }
  if (text.size() > longest_text) {
    return fail(
        {.kind = ErrorKind::too_large,
         .what = fmt::format("the claim has {} bytes, more than {}", text.size(), longest_text),
         .field = "--claim",
         .try_this = "give one advert, or one passage of an article"});
  }
  Advert advert{.text = fold_width(text)};
  advert.lowered = lower(advert.text);
  advert.named = find_cards(catalogue, advert.text);
  if (advert.named.empty()) {
    const std::string words(trim(text).substr(0, 60));
    const auto nearest = catalogue.find_card(words).nearest;
    return fail({.kind = ErrorKind::not_found,
                 .what = "the claim names no card that the catalogue knows",
                 .field = "--claim",
                 .try_this = fmt::format("name the card beside the figure; nearest: {}",
                                         fmt::join(nearest, ", "))});
  }
  const auto count = find_count(advert.text);
  advert.count_said = count.has_value();
  advert.count = count.value_or(1);
  advert.figures = find_figures(advert.text);
  drop_repeats(advert);
  if (advert.figures.size() > most_figures) {
    return fail({.kind = ErrorKind::too_large,
                 .what = fmt::format("the claim has {} figures, more than {}",
                                     advert.figures.size(), most_figures),
                 .field = "--claim",
                 .try_this = "give one advert, or one passage of an article"});
  }
  std::erase_if(advert.figures, [&](const Figure& figure) {
    return figure.quantity == Measure::memory && of_the_host(advert, figure);
  });

  Claim claim{.text = std::string(text), .count = advert.count, .count_said = advert.count_said};
  for (const Named& named : advert.named) {
    const facts::Accelerator* card = named.match.variants.front();
    if (std::ranges::find(claim.cards, card) == claim.cards.end()) claim.cards.push_back(card);
    claim.assumed = claim.assumed || named.match.assumed;
  }
  for (const Figure& figure : advert.figures) read_figure(catalogue, advert, figure, claim);
  for (const facts::Accelerator* card : claim.cards) {
    read_features(*card, advert, claim.readings, claim.unread);
  }
  describe_practice(advert, claim);
  return claim;
}

}  // namespace steelyard::claims

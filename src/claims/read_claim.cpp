#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "claims/in_practice.h"
#include "claims/readings.h"

namespace steelyard::claims {
namespace {

constexpr std::size_t longest_text = 64 << 10, most_figures = 200;

// The card named last before the figure first, then the others as they stand.
std::vector<const Named*> named_for(const Advert& advert, const Figure& figure) {
  std::vector<const Named*> names;
  for (const Named& named : advert.named) names.push_back(&named);
  const auto after =
      std::ranges::find_if(names, [&](const Named* named) { return named->at > figure.at; });
  if (after != names.begin()) std::ranges::rotate(names, after - 1);
  return names;
}

// What the text says of a rate: "fp16 dense", to tell the same number said of two precisions.
std::string said_of(const Advert& advert, const Figure& figure) {
  if (figure.quantity != Measure::rate) return {};
  const std::string text = around(advert, figure);
  std::string said;
  for (const std::string_view precision : said_precisions(advert, figure)) {
    said += (said.empty() ? "" : " ") + std::string(precision);
  }
  if (text.contains("dense") || text.contains("稠密")) said += " dense";
  if (text.contains("sparse") || text.contains("稀疏")) said += " sparse";
  return said;
}

// The same figure of the same card is read once; said of another precision, it is another figure.
void drop_repeats(Advert& advert) {
  std::set<std::tuple<std::string, std::string, const facts::Accelerator*>> seen;
  std::set<std::string> texts;
  std::vector<Figure> kept;
  for (const Figure& figure : advert.figures) {
    const facts::Accelerator* card = named_for(advert, figure).front()->match.variants.front();
    const std::string said = said_of(advert, figure);
    if (!seen.emplace(lower(figure.text), said, card).second) continue;
    kept.push_back(figure);
    if (!texts.insert(figure.text).second && !said.empty()) kept.back().text += " (" + said + ")";
  }
  advert.figures = std::move(kept);
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
    case Measure::part:
      read_part(card, figure, readings);
      break;
    case Measure::feature:
      break;
  }
  if (std::ranges::none_of(readings, &Reading::plausible)) {
    std::vector<Reading> others;
    read_other_values(card, advert, figure, others);
    std::ranges::move(others, std::back_inserter(readings));
  }
  std::ranges::stable_sort(readings, [](const Reading& a, const Reading& b) {
    return std::tuple(!a.plausible, a.verdict) < std::tuple(!b.plausible, b.verdict);
  });
  return readings;
}

// "GH200 480GB": a number of the device's own name, which counts something else.
void read_name(const Named& named, const Advert& advert, const Figure& figure,
               std::vector<Reading>& readings) {
  if (figure.at < named.at || figure.end > named.end) return;
  const facts::Accelerator& card = *named.match.variants.front();
  const std::string size = name_key(figure.text);
  const std::string written = name_key(advert.text.substr(named.at, named.end - named.at));
  const bool alias = std::ranges::any_of(card.aliases, [&](const std::string& name) {
    const std::string key = name_key(name);
    return key.find(size) != std::string::npos && key.find(written) != std::string::npos;
  });
  if (!alias) return;
  readings.push_back(
      {.card = &card,
       .figure = figure.text,
       .meaning = fmt::format("part of the device's name; the {} is sold with {:g} GB", card.name,
                              card.sold_as_gb),
       .verdict = Verdict::not_comparable,
       .because = "the number counts other memory than the card's own"});
}

// Cards of the catalogue that share the name and have the memory of the figure: "4090 24G ... 48G".
std::vector<const facts::Accelerator*> twins(const facts::Catalogue& catalogue, const Named& named,
                                             const Figure& figure) {
  const facts::Accelerator& card = *named.match.variants.front();
  std::vector<const facts::Accelerator*> found;
  for (const facts::Accelerator& other : catalogue.accelerators()) {
    const bool known =
        std::ranges::find(named.match.variants, &other) != named.match.variants.end();
    const bool same = std::ranges::any_of(other.short_names, [&](const std::string& name) {
      return std::ranges::find(card.short_names, name) != card.short_names.end();
    });
    const double unit = figure.labelled_gb ? 1e9 : 1073741824.0;
    if (!known && same && close(figure.value, other.sold_as_gb * unit, 0.003)) {
      found.push_back(&other);
    }
  }
  return found;
}

// A rebuilt board of that name is one meaning more.
void read_rebuilt(const facts::Catalogue& catalogue, const Named& named, const Advert& advert,
                  const Figure& figure, std::vector<Reading>& readings) {
  if (std::ranges::any_of(readings, [](const Reading& r) { return r.plausible && r.cards == 1; })) {
    return;
  }
  for (const facts::Accelerator* card : twins(catalogue, named, figure)) {
    if (!card->modified) continue;
    std::vector<Reading> more = meanings(catalogue, *card, advert, figure);
    std::erase_if(more, [](const Reading& r) { return !r.plausible || r.cards > 1; });
    std::ranges::move(more, std::back_inserter(readings));
  }
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
  if (figure.quantity == Measure::memory && advert.cards.all.back() > 1) {
    for (const facts::Accelerator* card : named.shorter) {
      std::vector<Reading> readings = meanings(catalogue, *card, advert, figure);
      std::erase_if(readings, [](const Reading& r) { return !r.plausible || r.cards == 1; });
      std::ranges::move(readings, std::back_inserter(best));
      if (!readings.empty()) break;
    }
  }
  const bool memory = figure.quantity == Measure::memory;
  if (memory) read_rebuilt(catalogue, named, advert, figure, best);
  if (best.empty()) read_name(named, advert, figure, best);
  const facts::Accelerator& first = *named.match.variants.front();
  Unread unread;
  if (std::ranges::none_of(best, &Reading::plausible)) {
    unread = explain_unread(first, advert, figure);
    // What the catalogue cannot tell is no contradiction.
    if (memory && unread.verdict == Verdict::unknown) best.clear();
    if (memory) {
      for (const facts::Accelerator* other : twins(catalogue, named, figure)) {
        unread.because += fmt::format("; the {} has {:g} GB: which of the two is it?", other->name,
                                      other->sold_as_gb);
      }
    }
  }
  if (best.empty()) claim.unread.push_back(std::move(unread));
  std::ranges::move(best, std::back_inserter(claim.readings));
}

Error no_card(const facts::Catalogue& catalogue, std::string_view text) {
  const std::string words(trim(text).substr(0, 60));
  const auto nearest = catalogue.find_card(words).nearest;
  return {.kind = ErrorKind::not_found,
          .what = "the claim names no card that the catalogue knows",
          .field = "--claim",
          .try_this = fmt::format("name the card beside the figure; nearest: {}",
                                  fmt::join(nearest, ", "))};
}

// In this order: what is no figure of the card must be known before numbers are read as such.
Status find_parts(Advert& advert, std::vector<std::string>& aside) {
  find_host(advert, aside);
  find_asides(advert, aside);
  find_shares(advert);
  if (auto done = find_count(advert); !done) return done;
  return find_figures(advert);
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
    case Verdict::unknown:
      return "unknown";
    case Verdict::wrong:
      return "wrong";
    case Verdict::impossible:
      return "impossible";
  }
  return "wrong";
}

Outcome Claim::outcome() const {
  const bool contradicted = !std::ranges::all_of(readings, [&](const Reading& one) {
    return std::ranges::any_of(readings, [&](const Reading& other) {
      return other.figure == one.figure && other.plausible;
    });
  });
  const auto bad = [](const Unread& u) { return u.verdict != Verdict::unknown; };
  if (contradicted || std::ranges::any_of(unread, bad)) return Outcome::no;
  if (!unread.empty()) return Outcome::open;
  if (readings.empty()) return not_read.empty() ? Outcome::none : Outcome::open;
  const bool right = std::ranges::all_of(
      readings, [](const Reading& r) { return !r.plausible || r.verdict == Verdict::right; });
  return right && not_read.empty() ? Outcome::yes : Outcome::tight;
}

bool Claim::holds() const {
  return outcome() != Outcome::no && outcome() != Outcome::open;
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
  Claim claim{.text = std::string(text)};
  Advert advert{.text = plain_text(text)};
  advert.lowered = lower(advert.text);
  advert.taken.assign(advert.text.size(), false);
  advert.named = find_cards(catalogue, advert.text);
  if (advert.named.empty()) return fail(no_card(catalogue, text));
  if (auto done = find_parts(advert, claim.aside); !done) return fail(std::move(done.error()));
  claim.not_read = find_unread(advert);
  drop_repeats(advert);
  if (advert.figures.size() > most_figures) {
    return fail({.kind = ErrorKind::too_large,
                 .what = fmt::format("the claim has {} figures, more than {}",
                                     advert.figures.size(), most_figures),
                 .field = "--claim",
                 .try_this = "give one advert, or one passage of an article"});
  }
  claim.count = advert.cards.count;
  claim.count_said = advert.cards.said;
  for (const Named& named : advert.named) {
    const facts::Accelerator* card = named.match.variants.front();
    if (std::ranges::find(claim.cards, card) == claim.cards.end()) claim.cards.push_back(card);
    claim.assumed = claim.assumed || named.match.assumed;
  }
  for (const Figure& figure : advert.figures) read_figure(catalogue, advert, figure, claim);
  read_shares(advert.named.front().match.variants, advert, claim.readings, claim.unread);
  for (const facts::Accelerator* card : claim.cards) {
    read_features(*card, advert, claim.readings, claim.unread);
    read_board(*card, advert, claim.readings);
    read_words(*card, advert, claim.readings, claim.unread);
  }
  describe_practice(advert, claim);
  return claim;
}

}  // namespace steelyard::claims

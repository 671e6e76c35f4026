// Values that other sources print for a card: `other_values` of its row, and the figure sellers
// print as its headline.
#include <fmt/format.h>

#include <algorithm>

#include "claims/readings.h"
#include "claims/scan.h"

namespace steelyard::claims {
namespace {

struct Range {
  double low = 0, high = 0;
};

// The numbers of "14000 (12600-15000)"; those with more words than digits ("H200 NVL") are none.
std::vector<Range> numbers_in(std::string_view text) {
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i]) || (i > 0 && (is_word(text[i - 1]) || text[i - 1] == '.'))) continue;
    const auto number = number_at(text, i);
    if (!number) break;
    std::size_t end = number->end;
    const bool range = end + 1 < text.size() && text[end] == '-' && is_digit(text[end + 1]);
    const auto high = range ? number_at(text, end + 1) : std::nullopt;
    if (high) end = high->end;
    const bool name = end < text.size() && is_word(text[end]);
    if (!name && number->value > 0) {
      ranges.push_back(
          {number->value, high ? std::max(high->value, number->value) : number->value});
    }
    i = end - 1;
  }
  return ranges;
}

struct Kind {
  std::string_view key;
  Measure quantity;
  double scale;
  std::string_view precision;
};
constexpr Kind kinds[] = {
    {"fp16", Measure::rate, 1e12, "fp16"},
    {"bf16", Measure::rate, 1e12, "bf16"},
    {"fp32", Measure::rate, 1e12, "fp32"},
    {"int8", Measure::rate, 1e12, "int8"},
    {"fp8", Measure::rate, 1e12, "fp8"},
    {"fp4", Measure::rate, 1e12, "fp4"},
    {"bandwidth", Measure::bandwidth, 1e9, ""},
    {"link", Measure::bandwidth, 1e9, ""},
    {"tdp", Measure::power, 1, ""},
    {"memory", Measure::memory, 1e9, ""},
};

bool precision_said(const Advert& advert, const Figure& figure, std::string_view precision) {
  if (figure.quantity != Measure::rate || precision.empty()) return true;
  const auto said = said_precisions(advert, figure);
  return said.empty() || std::ranges::find(said, precision) != said.end();
}

void add(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
         const Kind& kind, Range range, bool sparse, std::string meaning,
         std::vector<Reading>& readings) {
  for (const std::uint32_t cards : advert.cards.all) {
    const double low = range.low * kind.scale * cards, high = range.high * kind.scale * cards;
    const bool inside = figure.value >= low && figure.value <= high;
    if (!inside && !fits(figure, low) && !fits(figure, high)) continue;
    static constexpr std::string_view units[] = {"FLOP/s", "B", "B/s", "W"};
    Reading r{.card = &card,
              .figure = figure.text,
              .meaning = std::move(meaning),
              .value = figure.value >= (low + high) / 2 ? high : low,
              .unit = std::string(units[static_cast<std::size_t>(kind.quantity)]),
              .precision = std::string(kind.precision),
              .sparse = sparse,
              .cards = cards,
              .verdict = sparse ? Verdict::misleading : Verdict::not_comparable,
              .because = "sources disagree; the catalogue does not rest on this value"};
    if (sparse) r.because = "a headline, of the narrowest format and 2:4 sparse";
    weigh_cards(r, advert);
    readings.push_back(std::move(r));
    return;
  }
}

void read_headline(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
                   std::vector<Reading>& readings) {
  const auto found = card.extra.find("sparse_headline");
  if (figure.quantity != Measure::rate || found == card.extra.end()) return;
  for (const std::string_view part : split(found->second, ';')) {
    const std::string text = lower(trim(part));
    const double scale = text.find("pflops") == std::string::npos ? 1e12 : 1e15;
    for (const std::string_view name : {"fp4", "fp8", "int8", "fp16", "ai tops"}) {
      if (text.find(name) == std::string::npos) continue;
      const std::string_view precision = name == "ai tops" ? "" : name;
      const auto ranges = numbers_in(text);
      if (!ranges.empty() && precision_said(advert, figure, precision) &&
          !says(advert, figure, {"dense", "稠密"})) {
        add(card, advert, figure, {"", Measure::rate, scale, precision}, ranges.front(), true,
            fmt::format("what sellers print for the {}: {}", card.name, trim(part)), readings);
      }
      break;
    }
  }
}

}  // namespace

void read_other_values(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
                       std::vector<Reading>& readings) {
  for (const std::string& text : card.other_values) {
    const std::string lowered = lower(text);
    const auto kind =
        std::ranges::find_if(kinds, [&](const Kind& k) { return lowered.starts_with(k.key); });
    if (kind == std::end(kinds) || kind->quantity != figure.quantity) continue;
    if (!precision_said(advert, figure, kind->precision)) continue;
    const std::size_t words = lowered.find(' ');
    if (words == std::string::npos) continue;
    for (const Range& range : numbers_in(std::string_view(lowered).substr(words))) {
      add(card, advert, figure, *kind, range, false,
          fmt::format("a value that some sources print for the {} ({})", card.name, text),
          readings);
      if (!readings.empty()) return;
    }
  }
  read_headline(card, advert, figure, readings);
}

}  // namespace steelyard::claims

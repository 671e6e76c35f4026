// Memory, bandwidth and power.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "claims/readings.h"
#include "claims/scan.h"

namespace steelyard::claims {
namespace {

double rounded(double value) {
  return value >= 100 ? std::round(value) : std::round(value * 10) / 10;
}

std::string grouped(double value) {
  return value >= 1000 ? with_commas(static_cast<std::uint64_t>(std::llround(value)))
                       : fmt::format("{:g}", rounded(value));
}

std::string times(std::uint32_t cards) {
  return cards > 1 ? fmt::format("{} x ", cards) : std::string();
}

void counted(Reading& r, const Advert& advert) {
  if (r.cards == 1) return;
  if (advert.allows(r.cards)) {
    r.verdict = Verdict::not_comparable;
    r.because = fmt::format("the sum of {} cards; one model on one card has a part of it", r.cards);
    return;
  }
  r.plausible = false;
  r.because = advert.cards.said ? fmt::format("the text names {} cards", advert.cards.count)
                                : std::string("the text names one card");
}

// "B200 192GB": the chips' size, of which boards are sold with a part.
void raw_size(Reading& r, const facts::Accelerator& card, double label) {
  r.meaning = fmt::format("{}memory of the {} by its chips' raw size, {:g} GB", times(r.cards),
                          card.name, label);
  if (!r.plausible) return;
  r.verdict = Verdict::not_comparable;
  r.because = fmt::format("boards are sold with {:g} GB, {:.1f} GiB for an engine{}",
                          card.sold_as_gb, facts::usable_memory(card).total.value.as_gib(),
                          r.because.empty() ? "" : "; " + r.because);
}

std::vector<std::uint32_t> counts_of(const Advert& advert) {
  if (advert.cards.all.size() > 1) return advert.cards.all;
  return advert.cards.said ? std::vector<std::uint32_t>{1} : std::vector<std::uint32_t>{1, 2, 4, 8};
}

// What tools print: less than the label, or more where the label counts GB and means GiB.
void read_printed_memory(const facts::Accelerator& card, const Figure& figure,
                         std::vector<Reading>& readings) {
  const auto usable = facts::usable_memory(card).total.value;
  const std::pair<std::optional<Bytes>, std::string_view> printed[] = {
      {card.reported, "what nvidia-smi prints for the {}"},
      {card.reported_ecc_flipped, "what nvidia-smi prints for the {} with ECC in the other state"},
      {usable.value() > 0 ? std::optional(usable) : std::nullopt, "what engines see on the {}"}};
  for (const auto& [bytes, words] : printed) {
    if (!bytes) continue;
    for (const double unit : {1.0, 1e9 / 1073741824.0}) {
      const double value = static_cast<double>(bytes->value()) * unit;
      if (!close(figure.value, value, 0.004) &&
          !(figure.cut_off < 0.05 && fits(figure, value) && close(figure.value, value, 0.012))) {
        continue;
      }
      readings.push_back({.card = &card,
                          .figure = figure.text,
                          .meaning = fmt::format(fmt::runtime(words), card.name) +
                                     fmt::format(": {:.1f} GiB", bytes->as_gib()),
                          .value = static_cast<double>(bytes->value()),
                          .unit = "B"});
      return;
    }
  }
}

void read_memory_share(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
                       std::vector<Reading>& readings) {
  std::vector<double> parts;
  for (const Share& share : advert.shares) {
    if (share.kind == Share::Kind::fraction) parts.push_back(share.fraction * card.sold_as_gb);
    if (share.gb > 0 && share.gb <= card.sold_as_gb) parts.push_back(share.gb);
  }
  const bool sliced = says(advert, {"mig", "vgpu", "切分", "切片", "虚拟化", "共享", "slice"});
  if (parts.empty() && sliced) {
    for (const int of : {8, 4, 2}) parts.push_back(std::round(card.sold_as_gb / of));
  }
  for (const double gb : parts) {
    if (!close(figure.value, gb * (figure.labelled_gb ? 1e9 : 1073741824.0), 0.03)) continue;
    readings.push_back(
        {.card = &card,
         .figure = figure.text,
         .meaning = fmt::format("a part of the {} GB of the {}", card.sold_as_gb, card.name),
         .value = gb * 1e9,
         .unit = "B",
         .verdict = Verdict::misleading,
         .because = "a slice or share, not the card"});
    return;
  }
}

struct Bandwidths {
  const facts::Accelerator& card;
  const Advert& advert;
  const Figure& figure;
  std::vector<Reading>& readings;

  // "NVLink 2039GB/s" in a list: the memory's figure beside a word; "NVLink带宽 2039GB/s" claims it
  // for the link.
  void beside_link(Reading& r) const {
    const LinkSaid said = link_said(advert, figure);
    if (said == LinkSaid::no) return;
    r.because = card.link_bidirectional
                    ? fmt::format("not the link's: that has {}",
                                  shown(Measure::bandwidth, card.link_bidirectional->value()))
                    : std::string("not a link's");
    if (said == LinkSaid::labelled) r.verdict = Verdict::misleading;
  }

  void add(double each, std::string meaning, bool memory, double least_tolerance = 0) const {
    for (const std::uint32_t cards : advert.cards.all) {
      const double value = each * cards;
      // "Gb" counts bits; sellers write it for bytes, too.
      const bool as_bits = figure.bits && close(figure.value / 8, value, 0.012);
      // "3 TB/s" of 3.35: one digit is all the seller gives.
      const bool coarse = figure.cut_off == 0 && figure.value >= 1e12 && memory &&
                          std::abs(value - figure.value) < 0.5e12 && !fits(figure, value);
      if (!as_bits && !coarse && !fits(figure, value, least_tolerance)) continue;
      Reading r{.card = &card,
                .figure = figure.text,
                .meaning = fmt::format("{}{}: {}", times(cards), meaning,
                                       shown(Measure::bandwidth, value)),
                .value = value,
                .unit = "B/s",
                .cards = cards};
      counted(r, advert);
      if (figure.bits && !as_bits) {
        r.verdict = std::max(r.verdict, Verdict::not_comparable);
        r.because = "written as bits (Gb), but the figure is in bytes (GB)";
      }
      if (coarse) {
        r.verdict = std::max(r.verdict, Verdict::not_comparable);
        r.because = "rounded to one digit";
      }
      const bool says_link =
          says(advert, figure, {"nvlink", "互联", "hccs", "infinity", "卡间", "p2p", "c2c"});
      const bool says_memory = says(advert, figure, {"显存", "memory", "hbm", "gddr"});
      if (!memory && says_memory && !says_link) {
        r.plausible = false;
        r.because = "the text speaks of memory";
      }
      if (memory && r.because.empty() && !says_memory) beside_link(r);
      readings.push_back(std::move(r));
    }
  }
};

// The highest number of "to 480-600 by vBIOS (480 seen)".
double highest_watts(const facts::Accelerator& card) {
  double highest = card.tdp ? card.tdp->value() : 0;
  const auto found = card.extra.find("power_range_w");
  if (found == card.extra.end()) return highest;
  const std::string& text = found->second;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i])) continue;
    const auto number = number_at(text, i);
    if (!number) break;
    highest = std::max(highest, number->value);
    i = number->end - 1;
  }
  return highest;
}

}  // namespace

LinkSaid link_said(const Advert& advert, const Figure& figure) {
  constexpr std::string_view links[] = {"nvlink", "互联", "hccs", "卡间", "p2p", "c2c"};
  constexpr std::string_view labels[] = {"带宽", "速率", "速度", "bandwidth", "speed", "rate"};
  const std::string_view text = advert.lowered;
  std::size_t end = back_over_blanks(text, figure.at);
  bool label = end > 0 && (text[end - 1] == ':' || text[end - 1] == '=');
  if (label) end = back_over_blanks(text, end - 1);
  for (const std::string_view word : labels) {
    if (!text.substr(0, end).ends_with(word)) continue;
    label = true;
    end = back_over_blanks(text, end - word.size());
    break;
  }
  const bool before = any_before(text, end, links) > 0;
  if (before) return label ? LinkSaid::labelled : LinkSaid::beside;
  const std::size_t next = skip_blanks(text, figure.end);
  const std::size_t word = any_at(text, next, links);
  if (word == 0) return LinkSaid::no;
  return any_at(text, skip_blanks(text, next + word), labels) > 0 ? LinkSaid::labelled
                                                                  : LinkSaid::beside;
}

bool close(double value, double wanted, double tolerance) {
  return wanted > 0 && std::abs(value / wanted - 1) <= tolerance;
}

bool fits(const Figure& figure, double wanted, double least_tolerance) {
  if (close(figure.value, wanted, std::max(figure.tolerance, least_tolerance))) return true;
  // "34" of 33.45: makers round to 33.5 first, and half a step is of the printed number.
  const double tenth = figure.cut_off * figure.value / 10;
  const double printed = tenth > 0 ? std::floor(wanted / tenth + 0.5 + 1e-6) * tenth : wanted;
  const double half = figure.cut_off * figure.value / 2;
  if (figure.cut_off < 0.05 && std::abs(printed - figure.value) <= half * (1 + 1e-6)) return true;
  return wanted >= figure.value && wanted < figure.value * (1 + figure.cut_off);
}

std::string shown(Measure quantity, double value) {
  switch (quantity) {
    case Measure::rate:
      return grouped(value / 1e12) + " TFLOP/s";
    case Measure::memory:
      return grouped(value / 1e9) + " GB";
    case Measure::bandwidth:
      return grouped(value / 1e9) + " GB/s";
    case Measure::power:
      return grouped(value) + " W";
    default:
      break;
  }
  return {};
}

void read_memory(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
                 std::vector<Reading>& readings) {
  std::vector<double> labels = card.also_sold_as_gb;
  labels.insert(labels.begin(), card.sold_as_gb);
  for (const std::uint32_t cards : counts_of(advert)) {
    for (const double label : labels) {
      // A label counts GB and means GiB on most boards; a claim in GiB may copy it either way.
      const double value = label * (figure.labelled_gb ? 1e9 : 1073741824.0) * cards;
      const bool terabytes = figure.value >= 1e12 && fits(figure, value);
      if (!close(figure.value, value, 0.003) && !terabytes) continue;
      Reading r{.card = &card,
                .figure = figure.text,
                .meaning = fmt::format("{}memory of the {}, sold as {:g} GB", times(cards),
                                       card.name, label),
                .value = label * 1e9 * cards,
                .unit = "B",
                .cards = cards};
      counted(r, advert);
      if (label > card.sold_as_gb) raw_size(r, card, label);
      if (card.modified) {
        r.verdict = Verdict::misleading;
        r.because = "a rebuilt board, not a product of the vendor";
      }
      readings.push_back(std::move(r));
    }
  }
  const auto plausible = [&] { return std::ranges::any_of(readings, &Reading::plausible); };
  if (!plausible()) read_printed_memory(card, figure, readings);
  if (!plausible()) read_memory_share(card, advert, figure, readings);
}

void read_bandwidth(const facts::Catalogue& catalogue, const facts::Accelerator& card,
                    const Advert& advert, const Figure& figure, std::vector<Reading>& readings) {
  const Bandwidths to{card, advert, figure, readings};
  if (card.bandwidth) {
    const double peak = card.bandwidth->value();
    to.add(peak, fmt::format("memory of the {}, peak", card.name), true);
    const bool measured = says(advert, {"实测", "measured", "测试", "bandwidth test"});
    if (measured && figure.value < 0.6 * peak && close(figure.value, 0.45 * peak, 0.12)) {
      readings.push_back(
          {.card = &card,
           .figure = figure.text,
           .meaning =
               fmt::format("memory of a healthy {} by a copy script that counts one direction: a "
                           "copy reads and writes, about {} of traffic",
                           card.name, shown(Measure::bandwidth, 2 * figure.value)),
           .value = 0.45 * peak,
           .unit = "B/s",
           .verdict = Verdict::not_comparable,
           .because = "half of the traffic is not counted"});
    } else if (measured && figure.value >= 0.8 * peak && figure.value < 0.985 * peak) {
      readings.push_back(
          {.card = &card,
           .figure = figure.text,
           .meaning = fmt::format("memory of the {} as measured, {:.0f} % of its peak", card.name,
                                  100 * figure.value / peak),
           .value = peak,
           .unit = "B/s"});
    }
  }
  if (card.pin_rate_gbps && figure.bits && fits(figure, *card.pin_rate_gbps * 1e9)) {
    readings.push_back({.card = &card,
                        .figure = figure.text,
                        .meaning = fmt::format("memory of the {}, each pin: {:g} Gbit/s", card.name,
                                               *card.pin_rate_gbps),
                        .value = *card.pin_rate_gbps * 1e9 / 8,
                        .unit = "B/s"});
  }
  if (card.link_bidirectional) {
    const double both = card.link_bidirectional->value();
    to.add(both, "link between cards, both directions together", false);
    to.add(both / 2, "link between cards, one direction", false);
  }
  const std::string slot =
      fmt::format("pcie {} x{}", card.pcie_generation, card.pcie_lanes.value_or(16));
  if (const facts::Link* link = catalogue.find_link(slot)) {
    // Sellers print 32, 64 and 128 GB/s, before the line code's share.
    to.add(link->bidirectional.value(), fmt::format("{} to the host, both directions", link->name),
           false, 0.02);
    to.add(link->per_direction.value(), fmt::format("{} to the host, one direction", link->name),
           false, 0.02);
  }
}

void read_power(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
                std::vector<Reading>& readings) {
  if (!card.tdp) return;
  const double limit = card.tdp->value(), highest = highest_watts(card);
  Reading r{.card = &card, .figure = figure.text, .value = limit, .unit = "W"};
  const auto sum = std::ranges::find_if(advert.cards.all, [&](std::uint32_t cards) {
    return cards > 1 && close(figure.value, limit * cards, 0.02);
  });
  const double most = limit * advert.cards.all.back();
  if (close(figure.value, limit, 0.02)) {
    r.meaning = fmt::format("default power limit of the {}", card.name);
  } else if (sum != advert.cards.all.end()) {
    r.meaning = fmt::format("default power limit of {} x {}", *sum, card.name);
    r.cards = *sum;
  } else if (figure.value < limit && figure.value > 0.3 * limit) {
    r.meaning = fmt::format("the {} capped below its default of {}", card.name,
                            shown(Measure::power, limit));
    r.verdict = Verdict::misleading;
    r.because = "prompt processing and training lose speed with the cap";
  } else if (figure.value > limit && figure.value <= highest * 1.02) {
    r.meaning = fmt::format("the {} with its limit raised above the default of {}", card.name,
                            shown(Measure::power, limit));
    r.verdict = Verdict::not_comparable;
    r.because = "boards and clouds set other limits; the chip is the same";
  } else if (figure.value > limit && figure.value < 2.2 * most &&
             (advert.cards.all.back() > 1 ||
              says(advert, figure, {"整机", "system", "server", "电源", "psu"}))) {
    r.meaning = "the whole machine, with its host";
    r.verdict = Verdict::not_comparable;
    r.because = fmt::format("the cards take {} of it", shown(Measure::power, most));
    r.cards = advert.cards.all.back();
  } else {
    return;
  }
  readings.push_back(std::move(r));
}

}  // namespace steelyard::claims

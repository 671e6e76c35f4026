// Memory, bandwidth and power.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "claims/readings.h"

namespace steelyard::claims {
namespace {

double rounded(double value) {
  return value >= 100 ? std::round(value) : std::round(value * 10) / 10;
}

std::string grouped(double value) {
  return value >= 1000 ? with_commas(static_cast<std::uint64_t>(std::llround(value)))
                       : fmt::format("{:g}", rounded(value));
}

void counted(Reading& r, const Advert& advert) {
  if (r.cards == 1) return;
  if (advert.count_said && r.cards == advert.count) {
    r.verdict = Verdict::not_comparable;
    r.because = fmt::format("the sum of {} cards; one model on one card has a part of it", r.cards);
    return;
  }
  r.plausible = false;
  r.because = advert.count_said ? fmt::format("the text names {} cards", advert.count)
                                : std::string("the text names one card");
}

std::vector<std::uint32_t> counts_of(const Advert& advert) {
  return advert.count > 1 ? std::vector<std::uint32_t>{1, advert.count}
                          : std::vector<std::uint32_t>{1, 2, 4, 8};
}

void bandwidth_reading(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
                       double value, std::string meaning, Verdict verdict, std::string because,
                       std::vector<Reading>& readings) {
  if (!close(figure.value, value, figure.tolerance)) return;
  Reading r{.card = &card,
            .figure = figure.text,
            .meaning = fmt::format("{}: {}", meaning, shown(Measure::bandwidth, value)),
            .value = value,
            .unit = "B/s",
            .verdict = verdict,
            .because = std::move(because)};
  const bool link = meaning.find("memory") == std::string::npos;
  const bool says_link = says(advert, figure, {"nvlink", "互联", "hccs", "infinity"});
  const bool says_memory = says(advert, figure, {"显存", "memory", "hbm", "gddr"});
  if ((link && says_memory && !says_link) || (!link && says_link && !says_memory)) {
    r.plausible = false;
    r.because = link ? "the text speaks of memory" : "the text speaks of a link";
  }
  readings.push_back(std::move(r));
}

}  // namespace

bool close(double value, double wanted, double tolerance) {
  return wanted > 0 && std::abs(value / wanted - 1) <= tolerance;
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
    case Measure::feature:
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
      if (!close(figure.value, value, 0.003)) continue;
      Reading r{
          .card = &card,
          .figure = figure.text,
          .meaning = fmt::format("{}memory of the {}, sold as {:g} GB",
                                 cards > 1 ? fmt::format("{} x ", cards) : "", card.name, label),
          .value = label * 1e9 * cards,
          .unit = "B",
          .cards = cards};
      counted(r, advert);
      if (card.modified) {
        r.verdict = Verdict::misleading;
        r.because = "a rebuilt board, not a product of the vendor";
      }
      readings.push_back(std::move(r));
    }
  }
}

void read_bandwidth(const facts::Catalogue& catalogue, const facts::Accelerator& card,
                    const Advert& advert, const Figure& figure, std::vector<Reading>& readings) {
  const auto add = [&](double value, std::string meaning, Verdict verdict = Verdict::right,
                       std::string because = "") {
    bandwidth_reading(card, advert, figure, value, std::move(meaning), verdict, std::move(because),
                      readings);
  };
  if (card.bandwidth) {
    const double peak = card.bandwidth->value();
    add(peak, fmt::format("memory of the {}, peak", card.name));
    const bool measured = says(advert, {"实测", "measured", "测试", "bandwidth test"});
    Figure loose = figure;
    loose.tolerance = 0.12;
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
    }
  }
  if (card.link_bidirectional) {
    const double both = card.link_bidirectional->value();
    add(both, fmt::format("link between cards, both directions together"));
    add(both / 2, fmt::format("link between cards, one direction"));
  }
  const std::string slot =
      fmt::format("pcie {} x{}", card.pcie_generation, card.pcie_lanes.value_or(16));
  if (const facts::Link* link = catalogue.find_link(slot)) {
    add(link->bidirectional.value(), fmt::format("{} to the host, both directions", link->name));
    add(link->per_direction.value(), fmt::format("{} to the host, one direction", link->name));
  }
}

void read_power(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
                std::vector<Reading>& readings) {
  if (!card.tdp) return;
  const double limit = card.tdp->value();
  Reading r{.card = &card, .figure = figure.text, .value = limit, .unit = "W"};
  if (close(figure.value, limit, 0.02)) {
    r.meaning = fmt::format("default power limit of the {}", card.name);
  } else if (advert.count > 1 && close(figure.value, limit * advert.count, 0.02)) {
    r.meaning = fmt::format("default power limit of {} x {}", advert.count, card.name);
    r.cards = advert.count;
  } else if (figure.value < limit && figure.value > 0.3 * limit) {
    r.meaning = fmt::format("the {} capped below its default of {}", card.name,
                            shown(Measure::power, limit));
    r.verdict = Verdict::misleading;
    r.because = "prompt processing and training lose speed with the cap";
  } else {
    return;
  }
  readings.push_back(std::move(r));
}

}  // namespace steelyard::claims

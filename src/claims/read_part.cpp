// What a chip is made of: cores, multiprocessors, bus, clock, cache.
#include <fmt/format.h>

#include "claims/readings.h"

namespace steelyard::claims {
namespace {

struct Known {
  double value = 0;
  std::string_view name, unit;
};

Known known_part(const facts::Accelerator& card, Part part) {
  const auto parts = facts::chip_parts(card).value_or(facts::ChipParts{});
  switch (part) {
    case Part::shader_cores:
      return {parts.shader_cores, "shader cores", ""};
    case Part::tensor_cores:
      return {parts.tensor_cores, "tensor cores", ""};
    case Part::ray_cores:
      return {parts.ray_cores, "ray tracing cores", ""};
    case Part::multiprocessors:
      return {parts.multiprocessors, "multiprocessors", ""};
    case Part::bus:
      return {card.bus_bits.value_or(0), "memory bus", " bit"};
    case Part::clock:
      return {card.boost_hz.value_or(0) / 1e6, "boost clock", " MHz"};
    case Part::cache:
      return {card.l2 ? card.l2->as_mib() : 0, "L2 cache", " MiB"};
    case Part::none:
      break;
  }
  return {};
}

double in_unit(const Figure& figure) {
  if (figure.part == Part::clock) return figure.value / 1e6;
  return figure.part == Part::cache ? figure.value / 1048576 : figure.value;
}

}  // namespace

void read_part(const facts::Accelerator& card, const Figure& figure,
               std::vector<Reading>& readings) {
  const Known known = known_part(card, figure.part);
  if (known.value <= 0) return;
  const double value = in_unit(figure);
  Reading r{.card = &card,
            .figure = figure.text,
            .meaning =
                fmt::format("{} of the {}: {:g}{}", known.name, card.name, known.value, known.unit),
            .value = figure.part == Part::clock ? known.value * 1e6 : known.value,
            .unit = figure.part == Part::clock ? "Hz" : "1"};
  const double tolerance = figure.part == Part::clock ? 0.02 : figure.tolerance;
  if (figure.part == Part::clock && !close(value, known.value, tolerance)) {
    if (value < 0.4 * known.value || value > 1.2 * known.value) return;
    r.verdict = Verdict::not_comparable;
    r.because = value < known.value ? "a base clock, or a cap: cards run above it by themselves"
                                    : "a partner's board, or the highest clock the driver allows";
  } else if (!close(value, known.value, tolerance)) {
    return;
  }
  readings.push_back(std::move(r));
}

namespace {

Unread unread_memory(const facts::Accelerator& card, const Figure& figure) {
  Unread unread{.figure = figure.text, .verdict = Verdict::wrong, .because = {}};
  if (card.sold_as_gb <= 0) {
    unread.verdict = Verdict::unknown;
    unread.because = "the memory of the card is not known";
  } else if (card.form.starts_with("consumer") && !card.modified &&
             close(figure.value, 2e9 * card.sold_as_gb, 0.003)) {
    unread.verdict = Verdict::unknown;
    unread.because = fmt::format(
        "twice the {:g} GB that the {} is sold with: only a rebuilt board "
        "could have it, and none is in the catalogue",
        card.sold_as_gb, card.name);
  } else {
    unread.because = fmt::format("the {} is sold with {:g} GB", card.name, card.sold_as_gb);
  }
  return unread;
}

// "NVLink 900GB/s" of an H800.
std::string unread_link(const facts::Accelerator& card) {
  if (!card.link_bidirectional) {
    return fmt::format("the {} has no such link: cards reach each other over PCIe", card.name);
  }
  const auto text = card.extra.find("link_text");
  const bool cut = text != card.extra.end() && text->second.contains("cut");
  return fmt::format(
      "the link between cards of the {} {} {}, both directions together{}", card.name,
      cut ? "is cut to" : "has", shown(Measure::bandwidth, card.link_bidirectional->value()),
      card.bandwidth
          ? fmt::format("; its memory has {}", shown(Measure::bandwidth, card.bandwidth->value()))
          : std::string());
}

}  // namespace

Unread explain_unread(const facts::Accelerator& card, const Advert& advert, const Figure& figure) {
  if (figure.quantity == Measure::rate) return nearest_rate(card, advert, figure);
  if (figure.quantity == Measure::memory) return unread_memory(card, figure);
  Unread unread{.figure = figure.text, .verdict = Verdict::wrong, .because = {}};
  const auto tell = [&](bool known, std::string yes, std::string_view what) {
    unread.verdict = known ? Verdict::wrong : Verdict::unknown;
    unread.because =
        known ? std::move(yes) : fmt::format("the {} of the {} is not known", what, card.name);
  };
  if (figure.quantity == Measure::bandwidth && link_said(advert, figure) != LinkSaid::no &&
      !figure.bits) {
    const std::string link = link_of(card);
    tell(card.link_bidirectional.has_value() || link.empty(), unread_link(card), "link's rate");
  } else if (figure.quantity == Measure::bandwidth) {
    tell(card.bandwidth.has_value(),
         fmt::format("the memory of the {} has {}", card.name,
                     card.bandwidth ? shown(Measure::bandwidth, card.bandwidth->value()) : ""),
         "bandwidth");
    if (figure.bits) {
      unread.verdict = Verdict::unknown;
      unread.because = "Gb counts bits: a network's rate, which the catalogue does not have";
    }
  } else if (figure.quantity == Measure::power) {
    tell(card.tdp.has_value(),
         fmt::format("the default limit of the {} is {}", card.name,
                     card.tdp ? shown(Measure::power, card.tdp->value()) : ""),
         "power limit");
  } else if (figure.quantity == Measure::part) {
    const Known known = known_part(card, figure.part);
    tell(known.value > 0,
         fmt::format("{} of the {}: {:g}{}", known.name, card.name, known.value, known.unit),
         known.name);
  }
  return unread;
}

}  // namespace steelyard::claims

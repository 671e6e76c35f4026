#include <fmt/format.h>

#include <algorithm>

#include "facts/facts.h"

namespace steelyard::facts {
namespace {

// What the vendor's tool reports in that state of ECC, how sure, and in words.
struct Reported {
  Bytes bytes;
  std::string text;
  bool seen = true;  // false: derived from the label
};

bool inline_ecc(const Accelerator& card) {
  return card.ecc.starts_with("inline");
}

Reported reported_memory(const Accelerator& card, Ecc ecc) {
  // Inline ECC keeps its check bits in a sixteenth of the memory; HBM has room of its own.
  constexpr double share = 15.0 / 16.0;
  if (ecc == Ecc::other && card.reported_ecc_flipped) {
    return {*card.reported_ecc_flipped, "reported with ECC in the other state"};
  }
  Reported result{card.reported.value_or(gib(card.sold_as_gb / card.devices)),
                  "reported by the driver"};
  if (!card.reported) {
    result.seen = false;
    result.text =
        card.devices > 1 ? "the label by its devices, read as GiB" : "the label, read as GiB";
    if (inline_ecc(card) && card.ecc_default_on)
      result.bytes = bytes_from(result.bytes.as_double() * share);
  }
  if (ecc == Ecc::other && inline_ecc(card)) {
    const double factor = card.ecc_default_on ? 1 / share : share;
    result.bytes = bytes_from(result.bytes.as_double() * factor);
    result.text += ", times 16/15 or 15/16 for ECC in the other state";
  }
  return result;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Captures of this card in this state; nothing when there are none.
std::optional<UsableMemory> from_captures(const Accelerator& card, Ecc ecc) {
  std::vector<double> current, all;
  std::string sources;
  for (const UsableSeen& seen : card.usable.seen) {
    if (seen.ecc_flipped != (ecc == Ecc::other)) continue;
    std::ranges::copy(seen.gib, std::back_inserter(current));
    std::ranges::copy(seen.older_gib, std::back_inserter(all));
    sources += (sources.empty() ? "" : "; ") + seen.sources;
  }
  if (current.empty()) return std::nullopt;
  std::ranges::copy(current, std::back_inserter(all));
  // Printed with two decimals, so each may be off by half of the last one.
  constexpr double rounding = 0.005;
  const auto [low, high] = std::ranges::minmax(all);
  return UsableMemory{ByteFigure::banded(gib(median(current)), gib(low - rounding),
                                         gib(high + rounding), Origin::predicted),
                      fmt::format("CUDA total seen on this card: {}", sources)};
}

UsableMemory from_rule(const Accelerator& card, const Reported& reported) {
  const UsableRule& rule = card.usable.rule;
  const auto less = [&](double fixed_gib, double fraction) {
    return bytes_from(reported.bytes.as_double() * (1 - fraction)) - gib(fixed_gib);
  };
  // Where even the reported size was not seen, boards differ by another half per cent.
  const double unseen = reported.seen ? 0 : 0.005;
  const Bytes value = less(rule.fixed_gib, rule.fraction + unseen);
  const Bytes low = less(rule.low_fixed_gib, rule.low_fraction + 2 * unseen);
  return {ByteFigure::banded(value, low, reported.bytes,
                             reported.seen ? Origin::predicted : Origin::assumed),
          fmt::format("{} ({}), less the driver's share: {}", format_bytes(reported.bytes),
                      reported.text, rule.text.empty() ? "no rule known" : rule.text)};
}

}  // namespace

UsableMemory usable_memory(const Accelerator& card, Ecc ecc) {
  const Reported reported = reported_memory(card, ecc);
  UsableMemory result = from_captures(card, ecc).value_or(UsableMemory{});
  if (result.basis.empty()) result = from_rule(card, reported);
  // Nothing above what the driver reports can be used, whatever a log said: that was another card.
  const Bytes limit = std::max(reported.bytes, card.reported.value_or(Bytes(0)));
  result.total.value = std::min(result.total.value, limit);
  result.total.low = std::min(result.total.low, result.total.value);
  result.total.high = std::min(result.total.high, limit);
  return result;
}

}  // namespace steelyard::facts

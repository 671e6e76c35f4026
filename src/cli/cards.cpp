// Reads --gpu, --gpu-memory and --memory-in-use.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "cli/request.h"
#include "offers/offers.h"

namespace steelyard::cli {
namespace {

constexpr std::uint32_t most_cards = 65536;

Result<std::uint32_t> card_count(std::string_view digits, std::string_view text) {
  std::uint32_t count = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (code != std::errc{} || end != digits.data() + digits.size() || count == 0 ||
      count > most_cards) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("'{}' is not a number of cards", digits),
                 .field = fmt::format("--gpu {}", text),
                 .try_this = "write the count behind a colon, as in --gpu H100:2"});
  }
  return count;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "p4d.24xlarge": the cards that a cloud's instance type holds.
facts::CardMatch of_instance(const facts::Catalogue& catalogue, CardChoice& choice) {
  const auto instance = offers::find_instance(choice.asked);
  if (!instance) return {};
  if (choice.count == 1) choice.count = std::max(1U, instance->count);
  return catalogue.find_card(instance->card);
}

Result<CardChoice> from_catalogue(const std::string& text, const facts::Catalogue& catalogue,
                                  Bytes in_use) {
  auto parts = split_card_count(text);
  if (!parts) return std::unexpected(parts.error());
  CardChoice choice{.asked = parts->first, .count = parts->second};
  facts::CardMatch match = catalogue.find_card(choice.asked);
  if (match.variants.empty()) {
    facts::CardMatch held = of_instance(catalogue, choice);
    if (!held.variants.empty()) match = std::move(held);
  }
  if (match.variants.empty()) {
    return fail({.kind = ErrorKind::not_found,
                 .what = fmt::format("no card is called '{}'", choice.asked),
                 .field = "--gpu",
                 .try_this = fmt::format("did you mean {}? A card that the catalogue lacks: "
                                         "--gpu-memory 24GiB",
                                         fmt::join(match.nearest, ", "))});
  }
  choice.variants = match.variants;
  choice.assumed = match.assumed;
  for (const facts::Accelerator* card : match.variants) {
    memory::CardMemory memory = memory::card_memory(*card, choice.count);
    memory.in_use = in_use;
    choice.memory.push_back(std::move(memory));
  }
  return choice;
}

}  // namespace

Result<std::pair<std::string, std::uint32_t>> split_card_count(std::string_view text) {
  const std::string folded = fold_width(trim(text));
  const std::size_t colon = folded.rfind(':');
  if (colon != std::string::npos) {
    auto count = card_count(std::string_view(folded).substr(colon + 1), text);
    if (!count) return std::unexpected(count.error());
    return std::pair{std::string(trim(folded.substr(0, colon))), *count};
  }
  // "2x RTX 4090" and "8 x H100", as offers write it. A card's own name never starts so.
  const std::size_t times = folded.find_first_of("xX*");
  if (times != std::string::npos && times > 0 &&
      all_digits(trim(std::string_view(folded).substr(0, times)))) {
    auto count = card_count(trim(std::string_view(folded).substr(0, times)), text);
    if (!count) return std::unexpected(count.error());
    return std::pair{std::string(trim(folded.substr(times + 1))), *count};
  }
  return std::pair{folded, 1u};
}

Result<std::vector<CardChoice>> card_choices(const Arguments& arguments,
                                             const facts::Catalogue& catalogue) {
  Bytes in_use;
  if (arguments.has("--memory-in-use")) {
    auto parsed = parse_bytes(arguments.value("--memory-in-use"), "--memory-in-use");
    if (!parsed) return std::unexpected(parsed.error());
    in_use = *parsed;
  }
  std::vector<CardChoice> choices;
  if (arguments.has("--gpu-memory")) {
    auto memory = parse_bytes(arguments.value("--gpu-memory"), "--gpu-memory");
    if (!memory) return std::unexpected(memory.error());
    CardChoice choice{.asked = arguments.has("--gpu") ? arguments.value("--gpu") : "this card"};
    if (arguments.has("--gpu")) {
      auto parts = split_card_count(choice.asked);
      if (!parts) return std::unexpected(parts.error());
      std::tie(choice.asked, choice.count) = *parts;
    }
    choice.memory.push_back({.name = choice.asked,
                             .usable = ByteFigure{*memory, *memory, *memory, Origin::assumed},
                             .basis = "--gpu-memory, taken as what the engine sees",
                             .in_use = in_use,
                             .count = choice.count});
    // A known card with another size keeps what else decides: its chip and its links.
    if (const auto match = catalogue.find_card(choice.asked); !match.variants.empty()) {
      const memory::CardMemory known = memory::card_memory(*match.variants.front());
      choice.memory.back().vendor = known.vendor;
      choice.memory.back().architecture = known.architecture;
      choice.memory.back().compute_capability = known.compute_capability;
      choice.memory.back().host_links_only = known.host_links_only;
    }
    choices.push_back(std::move(choice));
    return choices;
  }
  for (const std::string& text : arguments.all("--gpu")) {
    auto choice = from_catalogue(text, catalogue, in_use);
    if (!choice) return std::unexpected(choice.error());
    choices.push_back(std::move(*choice));
  }
  return choices;
}

}  // namespace steelyard::cli

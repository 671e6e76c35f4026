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

// "7900XT" and "7900 XTX 24GB" end in a word of AMD's, "8xT4" begins with a count.
bool is_xt(std::string_view text) {
  const std::string word = lower(text.substr(0, text.find(' ')));
  return word == "xt" || word == "xtx";
}

Result<CardChoice> from_catalogue(const std::string& text, const facts::Catalogue& catalogue,
                                  Bytes in_use) {
  auto named = named_cards(catalogue, text, "--gpu");
  if (!named) return std::unexpected(named.error());
  // "p4d.24xlarge:2" is two hosts of eight.
  const std::uint32_t held = named->instance ? std::max(1U, named->instance->count) : 1;
  CardChoice choice{.asked = named->asked, .count = named->count.value_or(1) * held};
  const facts::CardMatch& match = named->match;
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

Result<NamedCards> named_cards(const facts::Catalogue& catalogue, std::string_view text,
                               std::string_view field) {
  auto parts = split_card_count(text);
  if (!parts) return std::unexpected(parts.error());
  NamedCards named{.asked = parts->first, .match = catalogue.find_card(parts->first)};
  if (parts->first != fold_width(trim(text))) named.count = parts->second;
  if (!named.match.variants.empty()) return named;
  // "A100x8": the x is a count only where what stands before it is a card.
  const std::size_t x = named.asked.find_last_of("xX");
  if (!named.count && x != std::string::npos && x > 0 && all_digits(named.asked.substr(x + 1))) {
    const std::string name = named.asked.substr(0, x);
    if (auto match = catalogue.find_card(name); !match.variants.empty()) {
      auto count = card_count(named.asked.substr(x + 1), text);
      if (!count) return std::unexpected(count.error());
      return NamedCards{name, *count, std::move(match), std::nullopt};
    }
  }
  std::vector<std::string> nearest = std::move(named.match.nearest);
  named.instance = offers::find_instance(named.asked);
  if (named.instance) named.match = catalogue.find_card(named.instance->card);
  if (!named.match.variants.empty()) return named;
  std::string no_type = offers::why_no_instance(named.asked);
  const bool is_type = !no_type.empty();
  return fail(
      {.kind = ErrorKind::not_found,
       .what = is_type ? std::move(no_type) : fmt::format("no card is called '{}'", named.asked),
       .field = std::string(field),
       .try_this = is_type ? "name a type of the list, or the card itself as in H100:8"
                           : fmt::format("did you mean {}? A card that the catalogue lacks: "
                                         "--gpu-memory 24GiB",
                                         fmt::join(nearest, ", "))});
}

Result<std::pair<std::string, std::uint32_t>> split_card_count(std::string_view text) {
  std::string folded = fold_width(trim(text));
  if (const std::size_t sign = folded.find("\u00d7"); sign != std::string::npos) {
    folded.replace(sign, 2, "*");
  }
  const std::string_view whole = folded;
  const auto split = [&](std::string_view digits,
                         std::string_view name) -> Result<std::pair<std::string, std::uint32_t>> {
    auto count = card_count(trim(digits), text);
    if (!count) return std::unexpected(count.error());
    return std::pair{std::string(trim(name)), *count};
  };
  const std::size_t colon = whole.rfind(':');
  if (colon != std::string_view::npos)
    return split(whole.substr(colon + 1), whole.substr(0, colon));
  // "2x RTX 4090" and "8 x H100", as offers write it. A card's own name never starts so.
  const std::size_t times = whole.find_first_of("xX*");
  if (times != std::string_view::npos && times > 0 && all_digits(trim(whole.substr(0, times))) &&
      !is_xt(whole.substr(times))) {
    return split(whole.substr(0, times), whole.substr(times + 1));
  }
  for (const std::string_view word : {"\u5361", "\u5f20", "\u5757"}) {  // "8 cards of" in Chinese
    const std::size_t at = whole.find(word);
    if (at == std::string_view::npos || !all_digits(trim(whole.substr(0, at)))) continue;
    return split(whole.substr(0, at), whole.substr(at + word.size()));
  }
  // "RTX 4090 x8", "L40S * 4"; the x stands apart, for it also ends names.
  const std::size_t last = whole.find_last_of("xX*");
  if (last != std::string_view::npos && last > 0 && all_digits(trim(whole.substr(last + 1))) &&
      (whole[last] == '*' || whole[last - 1] == ' ')) {
    return split(whole.substr(last + 1), whole.substr(0, last));
  }
  return std::pair{folded, 1u};
}

namespace {

Error no_memory() {
  return {.kind = ErrorKind::usage,
          .what = "--gpu-memory is a card without memory",
          .field = "--gpu-memory",
          .try_this = "write an amount such as 24GiB"};
}

// Figures that no sum of memory needs are still figures.
Status check_numbers(const Arguments& arguments) {
  for (const std::string_view name : {"--gpu-bandwidth", "--gpu-bf16"}) {
    if (!arguments.has(name)) continue;
    const auto number = parse_number(arguments.value(name), name);
    if (!number) return std::unexpected(number.error());
    if (*number > 0) continue;
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("{} {} is no rate", name, arguments.value(name)),
                 .field = std::string(name),
                 .try_this = "write a number above 0"});
  }
  return {};
}

}  // namespace

Result<std::vector<CardChoice>> card_choices(const Arguments& arguments,
                                             const facts::Catalogue& catalogue) {
  Bytes in_use;
  if (arguments.has("--memory-in-use")) {
    auto parsed = parse_bytes(arguments.value("--memory-in-use"), "--memory-in-use");
    if (!parsed) return std::unexpected(parsed.error());
    in_use = *parsed;
  }
  std::vector<CardChoice> choices;
  if (Status good = check_numbers(arguments); !good) return std::unexpected(good.error());
  if (arguments.has("--gpu-memory")) {
    auto memory = parse_bytes(arguments.value("--gpu-memory"), "--gpu-memory");
    if (!memory) return std::unexpected(memory.error());
    if (memory->value() == 0) return fail(no_memory());
    if (arguments.all("--gpu").size() > 1) {
      return fail({.kind = ErrorKind::usage,
                   .what = "--gpu-memory is of one card, several are named",
                   .field = "--gpu-memory",
                   .try_this = "give one --gpu with it, or leave it out"});
    }
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

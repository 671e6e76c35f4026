// From a cloud's instance type to the cards it holds. A family's name begins many types; which of
// them exist follows from the family's own rule (data/offers/README.md).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "offers/offers.h"

namespace steelyard::offers {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value > 0 && text.front() != '0' ? std::optional(value) : std::nullopt;
}

// 8 of "8xlarge", 1 of "xlarge".
std::optional<std::uint32_t> multiplier(std::string_view size) {
  if (!size.ends_with("xlarge")) return std::nullopt;
  size.remove_suffix(6);
  return size.empty() ? std::optional<std::uint32_t>(1) : number_of(size);
}

bool is_host_of(std::uint32_t cards) {
  return cards == 1 || cards == 2 || cards == 4 || cards == 8;
}

// What the rest of a type's name says behind the family's beginning.
struct Reading {
  std::uint32_t count = 0;  // 0: not known
  std::optional<double> vcpu;
  std::string inferred;
};

// "c32g1.16xlarge": 16 x 4 cores at 32 cores a card are 2 cards.
std::optional<Reading> cores_per_card(std::string_view rest) {
  constexpr std::uint32_t cores_of_xlarge = 4, most_cores_per_card = 64;
  const std::size_t dot = rest.find('.'), g = rest.find('g');
  if (rest.empty() || rest.front() != 'c' || dot == std::string_view::npos || g > dot) {
    return std::nullopt;
  }
  const auto cores = number_of(rest.substr(1, g - 1));
  const auto cards = number_of(rest.substr(g + 1, dot - g - 1));
  const auto size = multiplier(rest.substr(dot + 1));
  if (!cores || cards != 1U || !size || *cores > most_cores_per_card || *size > 1024) {
    return std::nullopt;
  }
  const std::uint32_t total = cores_of_xlarge * *size;
  if (total % *cores != 0 || !is_host_of(total / *cores)) return std::nullopt;
  return Reading{total / *cores, total,
                 fmt::format("the count follows from the name: {} cores at {} a card; whether the "
                             "provider has this size is not listed",
                             total, *cores)};
}

// "4x.16xlarge": 4 cards, 64 cores.
std::optional<Reading> cards_in_name(std::string_view rest) {
  constexpr std::uint32_t cores_of_xlarge = 4, most_sizes_per_card = 8;
  const std::size_t x = rest.find("x.");
  if (x == std::string_view::npos) return std::nullopt;
  const auto cards = number_of(rest.substr(0, x));
  const auto size = multiplier(rest.substr(x + 2));
  if (!cards || !size || !is_host_of(*cards) || *size % *cards != 0 ||
      *size / *cards > most_sizes_per_card) {
    return std::nullopt;
  }
  return Reading{*cards, cores_of_xlarge * *size,
                 "count and cores follow from the name; whether the provider has this size is not "
                 "listed"};
}

// Families whose sizes nobody listed: a size is believed, its count is not known. Hosts of cards
// have at most 64 xlarge, and no number in a type's name is longer than four digits.
std::optional<Reading> open_size(std::string_view rest) {
  constexpr std::uint32_t largest = 64;
  bool digit = false;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (!is_digit(c) && !(c >= 'a' && c <= 'z') && c != '.' && c != '-' && c != '_') {
      return std::nullopt;
    }
    if (!is_digit(c)) continue;
    digit = true;
    std::size_t end = i;
    while (end < rest.size() && is_digit(rest[end])) ++end;
    if (end - i > 4) return std::nullopt;
    const auto value = number_of(rest.substr(i, end - i));
    if (rest.substr(end).starts_with("xlarge") && value.value_or(largest + 1) > largest) {
      return std::nullopt;
    }
    i = end - 1;
  }
  if (!digit && rest != "large" && rest != "xlarge") return std::nullopt;
  return Reading{0, std::nullopt,
                 "the card follows from the family; whether this size exists and how many cards it "
                 "holds is not listed"};
}

std::optional<Reading> read_size(const Instance& family, std::string_view rest) {
  if (family.sizes == "cores-per-card") return cores_per_card(rest);
  if (family.sizes == "cards-in-name") return cards_in_name(rest);
  if (family.sizes == "open") return open_size(rest);
  return std::nullopt;  // "listed": the types of instances.csv and no other
}

// The type of that name, or the longest family that begins it.
const Instance* listed_or_family(const std::vector<Instance>& all, const std::string& wanted) {
  const Instance* best = nullptr;
  for (const Instance& one : all) {
    const std::string key = lower(one.name);
    if (!one.family && (key == wanted || key == "standard_" + wanted)) return &one;
    const bool begins = one.family && wanted.starts_with(key) && wanted.size() > key.size();
    if (begins && (best == nullptr || key.size() > best->name.size())) best = &one;
  }
  return best;
}

}  // namespace

std::optional<Instance> find_instance(std::string_view name) {
  const std::string wanted = lower(trim(name));
  const std::vector<Instance> all = embedded_instances();
  const Instance* best = listed_or_family(all, wanted);
  if (best == nullptr || !best->family) return best ? std::optional(*best) : std::nullopt;
  const auto reading = read_size(*best, std::string_view(wanted).substr(best->name.size()));
  if (!reading) return std::nullopt;
  Instance found = *best;
  found.count = reading->count;
  found.vcpu = reading->vcpu;
  found.inferred = reading->inferred;
  return found;
}

std::string why_no_instance(std::string_view name) {
  const std::string wanted = lower(trim(name));
  const std::vector<Instance> all = embedded_instances();
  const Instance* family = listed_or_family(all, wanted);
  if (family == nullptr || !family->family) return {};
  if (read_size(*family, std::string_view(wanted).substr(family->name.size()))) return {};
  std::vector<std::string> sizes;
  for (const Instance& one : all) {
    if (!one.family && starts_with_icase(one.name, family->name)) sizes.push_back(one.name);
  }
  const std::string what = fmt::format("{} is no type of {}'s {}* ({})", trim(name),
                                       family->provider, family->name, family->card);
  if (family->sizes == "cores-per-card") {
    return what +
           ": behind it stand the cores of a card and the size, as in c32g1.32xlarge, and "
           "cores x cards = 4 x size for 1, 2, 4 or 8 cards";
  }
  if (sizes.empty()) return what + ": no host of cards has that size";
  return fmt::format("{}: {}", what, fmt::join(sizes, ", "));
}

}  // namespace steelyard::offers

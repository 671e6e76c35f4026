// The offers and instance types built into the program.
#include <fmt/format.h>

#include <charconv>

#include "base/embedded.h"
#include "offers/offers.h"

STEELYARD_EMBEDDED(offers_snapshots);
STEELYARD_EMBEDDED(offers_instances);
STEELYARD_EMBEDDED(offers_families);

namespace steelyard::offers {
namespace {

std::optional<double> number(const std::string& cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size() && value > 0
             ? std::optional(value)
             : std::nullopt;
}

void add_rows(std::string_view text, bool family, std::vector<Instance>& instances) {
  const auto table = parse_csv(text);
  if (!table) return;
  for (std::size_t row = 0; row < table->rows.size(); ++row) {
    const auto cell = [&](std::string_view name) { return table->cell(row, name); };
    instances.push_back({.provider = cell("provider"),
                         .name = cell(family ? "prefix" : "instance"),
                         .card = cell("card"),
                         .count = static_cast<std::uint32_t>(number(cell("count")).value_or(0)),
                         .memory_gb = number(cell("memory_gb")),
                         .vcpu = number(cell("vcpu")),
                         .host_memory_gb = number(cell("host_memory_gb")),
                         .confidence = cell("confidence"),
                         .source = cell("source"),
                         .family = family});
  }
}

// The number in front of `end`, ending there.
std::optional<std::uint32_t> number_before(std::string_view text, std::size_t end) {
  std::size_t at = end;
  while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9') --at;
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, value);
  return error == std::errc() && stop == text.data() + end ? std::optional(value) : std::nullopt;
}

// "ecs.gn7i-c32g1.32xlarge": 4 x 32 cores at 32 cores a card are 4 cards.
std::optional<std::pair<std::uint32_t, std::uint32_t>> cards_and_cores(std::string_view name) {
  const std::size_t g = name.find('g', name.find("-c"));
  const std::size_t dot = name.rfind('.'), large = name.rfind("xlarge");
  if (g == std::string_view::npos || dot == std::string_view::npos || large <= dot ||
      large == std::string_view::npos || g > dot) {
    return std::nullopt;
  }
  const auto cores = number_before(name, g), cards = number_before(name, dot);
  const auto size = large == dot + 1 ? std::optional<std::uint32_t>(1) : number_before(name, large);
  if (!cores || !cards || !size || *cores == 0 || *cards == 0 || *size > 4096) return std::nullopt;
  const std::uint32_t total = 4 * *size;
  if (total * *cards % *cores != 0) return std::nullopt;
  return std::pair(total * *cards / *cores, total);
}

}  // namespace

Result<std::vector<Offer>> embedded_offers() {
  return parse_offers_csv(
      embedded_text(steelyard_offers_snapshots_begin, steelyard_offers_snapshots_end),
      "built-in offers");
}

std::vector<Instance> embedded_instances() {
  std::vector<Instance> instances;
  add_rows(embedded_text(steelyard_offers_instances_begin, steelyard_offers_instances_end), false,
           instances);
  add_rows(embedded_text(steelyard_offers_families_begin, steelyard_offers_families_end), true,
           instances);
  return instances;
}

std::optional<Instance> find_instance(std::string_view name) {
  const std::string wanted = lower(trim(name));
  std::optional<Instance> best;
  for (Instance& one : embedded_instances()) {
    const std::string key = lower(one.name);
    if (!one.family && (key == wanted || key == "standard_" + wanted)) return one;
    const bool begins = one.family && wanted.starts_with(key) && wanted.size() > key.size();
    if (begins && (!best || key.size() > best->name.size())) best = std::move(one);
  }
  if (!best) return best;
  if (const auto counted = cards_and_cores(wanted); counted && wanted.starts_with("ecs.gn")) {
    best->count = counted->first;
    best->vcpu = counted->second;
  }
  return best;
}

Result<std::vector<Offer>> read_offers(os::Files& files, const std::string& path) {
  auto text = os::read_whole(files, path, std::uint64_t{16} << 20);
  if (!text) return std::unexpected(text.error());
  const std::string name = lower(path);
  if (name.ends_with(".toml")) return parse_offers_toml(*text, path);
  if (name.ends_with(".csv")) return parse_offers_csv(*text, path);
  return fail({.kind = ErrorKind::unsupported,
               .what = "the file's name ends neither in .csv nor in .toml",
               .file = path,
               .field = "--offers",
               .try_this = "see docs/offers.md for both formats"});
}

}  // namespace steelyard::offers

// The offers and instance types built into the program, and price lists of the user.
#include <fmt/format.h>

#include <charconv>

#include "base/embedded.h"
#include "offers/offers.h"

STEELYARD_EMBEDDED(offers_snapshots);
STEELYARD_EMBEDDED(offers_instances);
STEELYARD_EMBEDDED(offers_families);

namespace steelyard::offers {
namespace {

constexpr std::uint64_t largest_list = std::uint64_t{64} << 20;

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
                         .family = family,
                         .sizes = cell("sizes")});
  }
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

Result<std::vector<Offer>> read_offers(os::Files& files, const std::string& path, Latest latest) {
  auto text = os::read_whole(files, path, largest_list);
  if (!text) return std::unexpected(text.error());
  const std::string name = lower(path);
  if (name.ends_with(".toml")) return parse_offers_toml(*text, path, latest);
  if (name.ends_with(".csv")) return parse_offers_csv(*text, path, latest);
  return fail({.kind = ErrorKind::unsupported,
               .what = "the file's name ends neither in .csv nor in .toml",
               .file = path,
               .field = "--offers",
               .try_this = "see docs/offers.md for both formats"});
}

}  // namespace steelyard::offers

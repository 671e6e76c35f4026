#include "facts/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <toml++/toml.h>

namespace steelyard::facts {
namespace {

// Reads the keys of one table, remembers the first thing wrong, and knows which keys were asked
// for: a key nobody asked for is a spelling mistake.
class Reader {
 public:
  Reader(const toml::table& table, std::string where) : table_(table), where_(std::move(where)) {}

  std::string text(std::string_view key, bool required = false) {
    const toml::node* node = find(key, required);
    if (node == nullptr) return {};
    if (const auto value = node->value_exact<std::string>()) return *value;
    wrong(key, "must be text");
    return {};
  }
  bool flag(std::string_view key) {
    const toml::node* node = find(key, false);
    if (node == nullptr) return false;
    if (const auto value = node->value_exact<bool>()) return *value;
    wrong(key, "must be true or false");
    return false;
  }
  // Positive and finite: no figure of a card is zero or negative; unknown means no key.
  std::optional<double> number(std::string_view key) {
    const toml::node* node = find(key, false);
    if (node == nullptr) return std::nullopt;
    return positive(*node, key);
  }
  std::optional<int> whole(std::string_view key) {
    const auto value = number(key);
    if (!value) return std::nullopt;
    if (*value != std::floor(*value) || *value > 1e6) wrong(key, "must be a whole number");
    return static_cast<int>(*value);
  }
  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> result;
    each(key, [&](const toml::node& node) {
      if (const auto value = node.value_exact<std::string>()) return result.push_back(*value);
      wrong(key, "must hold texts only");
    });
    return result;
  }
  std::vector<double> numbers(std::string_view key) {
    std::vector<double> result;
    each(key, [&](const toml::node& node) { result.push_back(positive(node, key).value_or(1)); });
    return result;
  }
  std::map<std::string, double> number_table(std::string_view key) {
    std::map<std::string, double> result;
    const toml::node* node = find(key, false);
    if (node == nullptr) return result;
    const toml::table* inner = node->as_table();
    if (inner == nullptr) {
      wrong(key, "must be a table of numbers");
      return result;
    }
    for (const auto& [name, value] : *inner) {
      const std::string path = fmt::format("{}.{}", key, name.str());
      if (const auto figure = positive(value, path)) {
        result[std::string(name.str())] = *figure;
      }
    }
    return result;
  }
  std::string joined(std::string_view key) {
    return fmt::format("{}", fmt::join(texts(key), "; "));
  }

  void wrong(std::string_view key, std::string_view what) {
    if (!error_) {
      error_ = Error{.kind = ErrorKind::bad_input,
                     .what = fmt::format("{} {}", key, what),
                     .file = {},
                     .field = fmt::format("{}.{}", where_, key),
                     .byte = {},
                     .try_this = {}};
    }
  }
  // The first thing wrong, or a key that nobody asked for.
  std::optional<Error> error() {
    for (const auto& [key, value] : table_) {
      if (std::ranges::find(asked_, key.str()) == asked_.end()) {
        wrong(key.str(), "is not a known key");
      }
    }
    return error_;
  }

 private:
  const toml::node* find(std::string_view key, bool required) {
    asked_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr && required) wrong(key, "is missing");
    return node;
  }
  std::optional<double> positive(const toml::node& node, std::string_view key) {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (value && std::isfinite(*value) && *value > 0 && *value < 1e15) return value;
    wrong(key, "must be a positive number");
    return std::nullopt;
  }
  void each(std::string_view key, const std::function<void(const toml::node&)>& use) {
    const toml::node* node = find(key, false);
    if (node == nullptr) return;
    if (const toml::array* array = node->as_array()) {
      for (const toml::node& item : *array) use(item);
    } else {
      wrong(key, "must be a list");
    }
  }

  const toml::table& table_;
  std::string where_;
  std::vector<std::string> asked_;
  std::optional<Error> error_;
};

template <typename Unit>
std::optional<Unit> scaled(std::optional<double> value, double factor) {
  if (!value) return std::nullopt;
  return Unit(*value * factor);
}
std::optional<Bytes> in_mib(std::optional<double> value) {
  if (!value) return std::nullopt;
  return mib(*value);
}

Confidence parse_confidence(Reader& reader) {
  const std::string word = reader.text("confidence", true);
  for (const Confidence c : {Confidence::read, Confidence::mixed, Confidence::partial,
                             Confidence::recalled, Confidence::unverified}) {
    if (confidence_word(c) == word) return c;
  }
  reader.wrong("confidence", "must be read, mixed, partial, recalled or unverified");
  return Confidence::unverified;
}

void read_memory(Reader& reader, Accelerator& card) {
  card.sold_as_gb = reader.number("sold_as_gb").value_or(0);
  card.also_sold_as_gb = reader.numbers("also_sold_as_gb");
  card.reported = in_mib(reader.number("reported_mib"));
  card.reported_ecc_flipped = in_mib(reader.number("reported_ecc_flipped_mib"));
  for (const double value : reader.numbers("reported_older_drivers_mib")) {
    card.reported_older_drivers.push_back(mib(value));
  }
  card.reported_note = reader.text("reported_note");
  card.devices = reader.whole("devices").value_or(1);
  card.ecc = reader.text("ecc");
  card.ecc_default_on = reader.flag("ecc_default_on");
  card.memory_type = reader.text("memory_type");
  card.bus_bits = reader.number("bus_bits");
  card.pin_rate_gbps = reader.number("pin_rate_gbit_per_s");
  card.bandwidth = scaled<BytesPerSecond>(reader.number("bandwidth_gb_per_s"), 1e9);
}

void read_compute(Reader& reader, Accelerator& card) {
  for (const auto& [key, value] : reader.number_table("dense_tflop_per_s")) {
    if (key != "fp64" && std::ranges::find(dense_rates(), key) == dense_rates().end()) {
      reader.wrong("dense_tflop_per_s." + key, "is not a known precision");
    }
    card.dense[key] = FlopPerSecond(value * 1e12);
  }
  card.sparse_multiplier = reader.number("sparse_multiplier");
  card.sm_count = reader.number("sm_count");
  card.sm_kind = reader.text("sm_kind");
  if (const auto mhz = reader.number("boost_mhz")) card.boost_hz = *mhz * 1e6;
  card.l2 = in_mib(reader.number("l2_mib"));
  card.tdp = scaled<Watts>(reader.number("tdp_w"), 1);
}

Result<Accelerator> read_card(const toml::table& table, const std::string& where,
                              std::vector<double>& sizes) {
  Reader reader(table, where);
  Accelerator card;
  card.id = reader.text("id", true);
  card.name = reader.text("name", true);
  card.vendor = reader.text("vendor", true);
  card.architecture = reader.text("architecture");
  card.form = reader.text("form", true);
  card.socket = reader.text("socket");
  card.compute_capability = reader.text("compute_capability");
  card.aliases = reader.texts("aliases");
  card.short_names = reader.texts("short_names");
  card.pci_device_ids = reader.texts("pci_device_ids");
  card.commonest = reader.flag("commonest");
  card.modified = reader.flag("modified");
  sizes = reader.numbers("sizes_gb");
  read_memory(reader, card);
  read_compute(reader, card);
  card.link = reader.text("link");
  card.link_bidirectional =
      scaled<BytesPerSecond>(reader.number("link_bidirectional_gb_per_s"), 1e9);
  card.pcie_generation = reader.text("pcie_generation");
  card.pcie_lanes = reader.whole("pcie_lanes");
  card.mig_max = reader.whole("mig_max");
  card.launch_year = reader.whole("launch_year");
  card.confidence = parse_confidence(reader);
  card.recalled = reader.texts("recalled");
  card.other_values = reader.texts("other_values");
  card.licence_note = reader.text("licence_note");
  card.notes = reader.text("notes");
  card.sources = reader.joined("sources");
  if (card.sources.empty()) reader.wrong("sources", "is missing: every card needs one");
  for (const char* key : {"sparse_headline", "power_range_w", "link_text",
                          "torch_fp16_measured_tflop_per_s", "torch_bf16_measured_tflop_per_s"}) {
    if (std::string value = reader.text(key); !value.empty()) card.extra[key] = std::move(value);
  }
  if (card.sold_as_gb > 0 && !sizes.empty()) reader.wrong("sizes_gb", "excludes sold_as_gb");
  if (auto error = reader.error()) return fail(std::move(*error));
  return card;
}

Result<toml::table> parse_toml(std::string_view text, const std::string& file) {
  toml::parse_result parsed = toml::parse(text, file);
  if (parsed) return std::move(parsed).table();
  const toml::parse_error& error = parsed.error();
  return fail({.kind = ErrorKind::bad_input,
               .what = std::string(error.description()),
               .file = file,
               .field = fmt::format("line {}", error.source().begin.line)});
}

// Calls `use` for each table of the list `name`; any other top-level key is an error unless it is
// in `others`.
Status for_tables(const toml::table& root, const std::string& file, std::string_view name,
                  std::initializer_list<std::string_view> others,
                  const std::function<Status(const toml::table&, const std::string&)>& use) {
  for (const auto& [key, node] : root) {
    if (key.str() != name && std::ranges::find(others, key.str()) == others.end()) {
      return fail({.kind = ErrorKind::bad_input,
                   .what = fmt::format("{} is not a known table", key.str()),
                   .file = file,
                   .field = std::string(key.str())});
    }
  }
  const toml::node* list = root.get(name);
  if (list == nullptr) return {};
  if (!list->is_array_of_tables()) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = fmt::format("{} must be a list of tables", name),
                 .file = file,
                 .field = std::string(name)});
  }
  std::size_t index = 0;
  for (const toml::node& node : *list->as_array()) {
    if (auto done = use(*node.as_table(), fmt::format("{}[{}]", name, index++)); !done) {
      return fail(std::move(done.error()).in_file(file));
    }
  }
  return {};
}

Result<UsableRule> read_rule(const toml::table& table, const std::string& where) {
  Reader reader(table, where);
  UsableRule rule;
  rule.family = reader.text("family", true);
  rule.fixed_gib = reader.number("fixed_gib").value_or(0);
  rule.fraction = reader.number("fraction").value_or(0);
  rule.low_fixed_gib = reader.number("low_fixed_gib").value_or(0);
  rule.low_fraction = reader.number("low_fraction").value_or(0);
  rule.text = reader.text("text", true);
  rule.sources = reader.joined("sources");
  if (rule.sources.empty()) reader.wrong("sources", "is missing");
  if (rule.fraction >= 1 || rule.low_fraction >= 1) reader.wrong("fraction", "must be below 1");
  if (auto error = reader.error()) return fail(std::move(*error));
  return rule;
}

Result<UsableRules::Capture> read_seen(const toml::table& table, const std::string& where) {
  Reader reader(table, where);
  UsableRules::Capture capture;
  capture.cards = reader.texts("cards");
  capture.seen.ecc_flipped = reader.flag("ecc_flipped");
  capture.seen.gib = reader.numbers("cuda_total_gib");
  capture.seen.older_gib = reader.numbers("older_driver_gib");
  capture.seen.sources = reader.joined("sources");
  if (capture.cards.empty()) reader.wrong("cards", "is missing");
  if (capture.seen.gib.empty()) reader.wrong("cuda_total_gib", "is missing");
  if (capture.seen.sources.empty()) reader.wrong("sources", "is missing");
  if (auto error = reader.error()) return fail(std::move(*error));
  return capture;
}

Result<Link> read_link(const toml::table& table, const std::string& where) {
  Reader reader(table, where);
  Link link;
  link.key = reader.text("key", true);
  link.name = reader.text("name", true);
  const std::string scope = reader.text("scope", true);
  if (scope != "node" && scope != "network") reader.wrong("scope", "must be node or network");
  link.scope = scope == "network" ? LinkScope::network : LinkScope::node;
  link.aliases = reader.texts("aliases");
  const auto per_direction = reader.number("per_direction_gb_per_s");
  const auto bidirectional = reader.number("bidirectional_gb_per_s");
  if (!per_direction) reader.wrong("per_direction_gb_per_s", "is missing");
  if (!bidirectional) reader.wrong("bidirectional_gb_per_s", "is missing");
  link.per_direction = BytesPerSecond(per_direction.value_or(0) * 1e9);
  link.bidirectional = BytesPerSecond(bidirectional.value_or(0) * 1e9);
  link.switched = reader.flag("switched");
  link.notes = reader.text("notes");
  link.sources = reader.joined("sources");
  if (link.sources.empty()) reader.wrong("sources", "is missing");
  if (auto error = reader.error()) return fail(std::move(*error));
  return link;
}

}  // namespace

std::string_view confidence_word(Confidence confidence) {
  switch (confidence) {
    case Confidence::read:
      return "read";
    case Confidence::mixed:
      return "mixed";
    case Confidence::partial:
      return "partial";
    case Confidence::recalled:
      return "recalled";
    case Confidence::unverified:
      return "unverified";
  }
  return "unverified";
}

Result<std::vector<Accelerator>> parse_accelerators(std::string_view toml,
                                                    const std::string& file) {
  auto root = parse_toml(toml, file);
  if (!root) return fail(std::move(root.error()));
  std::vector<Accelerator> cards;
  auto done = for_tables(*root, file, "card", {},
                         [&](const toml::table& table, const std::string& where) -> Status {
                           std::vector<double> sizes;
                           auto card = read_card(table, where, sizes);
                           if (!card) return fail(std::move(card.error()));
                           if (sizes.empty()) {
                             cards.push_back(std::move(*card));
                             return {};
                           }
                           for (const double size : sizes) {
                             Accelerator variant = *card;
                             variant.sold_as_gb = size;
                             variant.id += fmt::format("-{}gb", size);
                             variant.name += fmt::format(" {}GB", size);
                             cards.push_back(std::move(variant));
                           }
                           return {};
                         });
  if (!done) return fail(std::move(done.error()));
  return cards;
}

Result<UsableRules> parse_usable(std::string_view toml, const std::string& file) {
  auto root = parse_toml(toml, file);
  if (!root) return fail(std::move(root.error()));
  UsableRules rules;
  auto done = for_tables(*root, file, "rule", {"seen"}, [&](const toml::table& t, const auto& at) {
    auto rule = read_rule(t, at);
    if (!rule) return Status(fail(std::move(rule.error())));
    rules.rules.push_back(std::move(*rule));
    return Status();
  });
  if (!done) return fail(std::move(done.error()));
  done = for_tables(*root, file, "seen", {"rule"}, [&](const toml::table& t, const auto& at) {
    auto seen = read_seen(t, at);
    if (!seen) return Status(fail(std::move(seen.error())));
    rules.captures.push_back(std::move(*seen));
    return Status();
  });
  if (!done) return fail(std::move(done.error()));
  return rules;
}

Result<std::vector<Link>> parse_links(std::string_view toml, const std::string& file) {
  auto root = parse_toml(toml, file);
  if (!root) return fail(std::move(root.error()));
  std::vector<Link> links;
  auto done = for_tables(*root, file, "link", {}, [&](const toml::table& t, const auto& at) {
    auto link = read_link(t, at);
    if (!link) return Status(fail(std::move(link.error())));
    links.push_back(std::move(*link));
    return Status();
  });
  if (!done) return fail(std::move(done.error()));
  return links;
}

}  // namespace steelyard::facts

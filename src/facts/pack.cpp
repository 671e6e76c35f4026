#include "facts/pack.h"

#include <concepts>
#include <cstring>
#include <type_traits>

namespace steelyard::facts {
namespace {

constexpr std::string_view magic = "steelyard facts 1\n";

// Writer and reader have the same operator(), so each list of fields below is written once.
struct Writer {
  std::string bytes;
  void raw(const void* from, std::size_t size) {
    bytes.append(static_cast<const char*>(from), size);
  }
  void operator()(const std::string& text) {
    count(text.size());
    bytes += text;
  }
  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(const T& value) {
    raw(&value, sizeof value);
  }
  void count(std::size_t n) { (*this)(static_cast<std::uint32_t>(n)); }
};

struct Parser {
  std::string_view rest;
  bool failed = false;
  void raw(void* to, std::size_t size) {
    if (rest.size() < size) {
      failed = true;
      return;
    }
    std::memcpy(to, rest.data(), size);
    rest.remove_prefix(size);
  }
  void operator()(std::string& text) {
    const std::size_t size = count();
    text.assign(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(T& value) {
    raw(&value, sizeof value);
  }
  // Every element takes a byte or more: a count beyond the bytes left is broken, and must not
  // become an allocation.
  std::size_t count() {
    std::uint32_t n = 0;
    (*this)(n);
    if (n > rest.size()) {
      failed = true;
      n = 0;
    }
    return n;
  }
};

void visit(Writer& io, const Bytes& value) {
  io(value.value());
}
void visit(Parser& io, Bytes& value) {
  std::uint64_t number = 0;
  io(number);
  value = Bytes(number);
}
template <typename Tag>
void visit(Writer& io, const Quantity<Tag>& value) {
  io(value.value());
}
template <typename Tag>
void visit(Parser& io, Quantity<Tag>& value) {
  double number = 0;
  io(number);
  value = Quantity<Tag>(number);
}
template <typename Io, typename T>
  requires std::invocable<Io&, T&>
void visit(Io& io, T& value) {
  io(value);
}

void visit(Writer& io, const Accelerator& card);
void visit(Parser& io, Accelerator& card);
void visit(Writer& io, const Link& link);
void visit(Parser& io, Link& link);
void visit(Writer& io, const UsableRule& rule);
void visit(Parser& io, UsableRule& rule);
void visit(Writer& io, const UsableSeen& seen);
void visit(Parser& io, UsableSeen& seen);
void visit(Writer& io, const UsableRules::Capture& capture);
void visit(Parser& io, UsableRules::Capture& capture);

template <typename T>
void visit(Writer& io, const std::optional<T>& value) {
  io(value.has_value());
  if (value) visit(io, *value);
}
template <typename T>
void visit(Parser& io, std::optional<T>& value) {
  bool present = false;
  io(present);
  if (present) visit(io, value.emplace());
}
template <typename T>
void visit(Writer& io, const std::vector<T>& list) {
  io.count(list.size());
  for (const T& item : list) visit(io, item);
}
template <typename T>
void visit(Parser& io, std::vector<T>& list) {
  const std::size_t count = io.count();
  for (std::size_t i = 0; i < count && !io.failed; ++i) visit(io, list.emplace_back());
}
template <typename T>
void visit(Writer& io, const std::map<std::string, T>& map) {
  io.count(map.size());
  for (const auto& [key, value] : map) {
    io(key);
    visit(io, value);
  }
}
template <typename T>
void visit(Parser& io, std::map<std::string, T>& map) {
  const std::size_t count = io.count();
  for (std::size_t i = 0; i < count && !io.failed; ++i) {
    std::string key;
    io(key);
    visit(io, map[key]);
  }
}

template <typename Io, typename... T>
void each(Io& io, T&... values) {
  (visit(io, values), ...);
}

template <typename Io, typename Card>
void card_fields(Io& io, Card& c) {
  each(io, c.id, c.name, c.vendor, c.architecture, c.form, c.socket, c.compute_capability,
       c.aliases, c.short_names, c.pci_device_ids);
  each(io, c.sold_as_gb, c.also_sold_as_gb, c.reported, c.reported_ecc_flipped,
       c.reported_older_drivers, c.reported_note, c.ecc, c.ecc_default_on, c.memory_type,
       c.bus_bits, c.pin_rate_gbps, c.bandwidth);
  each(io, c.dense, c.sparse_multiplier, c.sm_count, c.boost_hz, c.sm_kind, c.l2, c.tdp, c.link,
       c.link_bidirectional, c.pcie_generation, c.pcie_lanes, c.mig_max, c.launch_year, c.devices);
  each(io, c.confidence, c.commonest, c.modified, c.recalled, c.other_values, c.licence_note,
       c.notes, c.sources, c.extra);
}
template <typename Io, typename L>
void link_fields(Io& io, L& l) {
  each(io, l.key, l.name, l.scope, l.aliases, l.per_direction, l.bidirectional, l.switched, l.notes,
       l.sources);
}
template <typename Io, typename R>
void rule_fields(Io& io, R& r) {
  each(io, r.family, r.fixed_gib, r.fraction, r.low_fixed_gib, r.low_fraction, r.text, r.sources);
}
template <typename Io, typename S>
void seen_fields(Io& io, S& s) {
  each(io, s.ecc_flipped, s.gib, s.older_gib, s.sources);
}

void visit(Writer& io, const Accelerator& card) {
  card_fields(io, card);
}
void visit(Parser& io, Accelerator& card) {
  card_fields(io, card);
}
void visit(Writer& io, const Link& link) {
  link_fields(io, link);
}
void visit(Parser& io, Link& link) {
  link_fields(io, link);
}
void visit(Writer& io, const UsableRule& rule) {
  rule_fields(io, rule);
}
void visit(Parser& io, UsableRule& rule) {
  rule_fields(io, rule);
}
void visit(Writer& io, const UsableSeen& seen) {
  seen_fields(io, seen);
}
void visit(Parser& io, UsableSeen& seen) {
  seen_fields(io, seen);
}
void visit(Writer& io, const UsableRules::Capture& capture) {
  each(io, capture.cards, capture.seen);
}
void visit(Parser& io, UsableRules::Capture& capture) {
  each(io, capture.cards, capture.seen);
}

}  // namespace

std::string write_pack(const Facts& facts) {
  Writer io{std::string(magic)};
  each(io, facts.accelerators, facts.links, facts.usable.rules, facts.usable.captures);
  return std::move(io.bytes);
}

Result<Facts> read_pack(std::string_view bytes) {
  const auto broken = [] {
    return fail({.kind = ErrorKind::internal,
                 .what = "the facts built into the program cannot be read",
                 .try_this = "build it again from a clean folder"});
  };
  if (!bytes.starts_with(magic)) return broken();
  Parser io{bytes.substr(magic.size())};
  Facts facts;
  each(io, facts.accelerators, facts.links, facts.usable.rules, facts.usable.captures);
  if (io.failed || !io.rest.empty()) return broken();
  attach_usable(facts.accelerators, facts.usable);
  return facts;
}

}  // namespace steelyard::facts

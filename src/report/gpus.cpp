#include "report/gpus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/offers.h"

namespace steelyard::report {
namespace {

using facts::Accelerator;
using facts::Confidence;

// 1234.5 -> "1,234.5", 1979 -> "1,979", 0.25 -> "0.25".
std::string number(double value) {
  const double whole = std::floor(value);
  std::string text = with_commas(static_cast<std::uint64_t>(whole));
  const double rest = value - whole;
  if (rest >= 0.005 && value < 10000) {
    std::string digits = fmt::format("{:.2f}", rest);
    if (digits.starts_with("1")) return number(whole + 1);
    while (digits.ends_with('0')) digits.pop_back();
    text += digits.substr(1);
  }
  return text;
}

std::string dense(const Accelerator& card, const char* key) {
  const auto found = card.dense.find(key);
  return found == card.dense.end() ? "" : number(found->second.value() / 1e12);
}

// Columns a terminal needs: one per UTF-8 character of the texts we hold.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}
std::string padded(std::string text, std::size_t width) {
  const std::size_t have = columns(text);
  if (have < width) text.append(width - have, ' ');
  return text;
}

// Breaks at spaces to `width` columns; a longer word stands alone.
std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string_view word : split(text, ' ')) {
    if (!lines.back().empty() && columns(lines.back()) + 1 + columns(word) > width) {
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string usable_text(const Accelerator& card) {
  const auto usable = facts::usable_memory(card);
  if (usable.total.value == Bytes(0)) return "";
  return fmt::format("{} ({} to {}, {})", format_bytes(usable.total.value),
                     format_bytes(usable.total.low), format_bytes(usable.total.high),
                     origin_word(usable.total.origin));
}

std::string sold_text(const Accelerator& card) {
  if (card.sold_as_gb == 0) return "";
  std::string text = fmt::format("{} GB", number(card.sold_as_gb));
  for (const double other : card.also_sold_as_gb) text += fmt::format(", also {}", number(other));
  return text;
}

std::string reported_text(const Accelerator& card) {
  std::string text;
  if (card.reported) {
    text = fmt::format("{} MiB ({})", with_commas(card.reported->value() >> 20),
                       format_bytes(*card.reported));
  }
  if (card.reported_ecc_flipped) {
    text +=
        fmt::format("; {} MiB with ECC {}", with_commas(card.reported_ecc_flipped->value() >> 20),
                    card.ecc_default_on ? "off" : "on");
  }
  for (const Bytes older : card.reported_older_drivers) {
    text += fmt::format("; {} MiB by older drivers", with_commas(older.value() >> 20));
  }
  if (!card.reported_note.empty()) text += (text.empty() ? "" : "; ") + card.reported_note;
  return text;
}

std::string memory_text(const Accelerator& card) {
  std::string text = card.memory_type;
  if (card.bus_bits)
    text += fmt::format("{}{} bit", text.empty() ? "" : ", ", number(*card.bus_bits));
  if (card.pin_rate_gbps) text += fmt::format(", {} Gbit/s a pin", number(*card.pin_rate_gbps));
  return text;
}

std::string link_text(const Accelerator& card) {
  const auto named = card.extra.find("link_text");
  if (named == card.extra.end()) return "";
  std::string text = named->second;
  if (card.link_bidirectional) {
    text +=
        fmt::format(", {} GB/s both ways together", number(card.link_bidirectional->value() / 1e9));
  }
  return text;
}

std::string pcie_text(const Accelerator& card) {
  if (card.pcie_generation.empty()) return "";
  return card.pcie_lanes ? fmt::format("{} x{}", card.pcie_generation, *card.pcie_lanes)
                         : card.pcie_generation;
}

std::string extra(const Accelerator& card, const char* key) {
  const auto found = card.extra.find(key);
  return found == card.extra.end() ? "" : found->second;
}

// One line of the full view. `amount` serves the ratio of two cards.
struct Line {
  const char* label;
  std::string (*text)(const Accelerator&);
  double (*amount)(const Accelerator&) = nullptr;
};
template <const char* key>
double rate_of(const Accelerator& card) {
  const auto found = card.dense.find(key);
  return found == card.dense.end() ? 0 : found->second.value();
}
template <const char* key>
std::string rate_text(const Accelerator& card) {
  const std::string text = dense(card, key);
  if (text.empty()) return facts::has_units(card, key) == false ? "no units for it" : "";
  const bool integer = std::string_view(key) == "int8";
  return fmt::format("{} {} dense", text, integer ? "TOP/s" : "TFLOP/s");
}
constexpr char fp32[] = "fp32", tf32[] = "tf32", fp16[] = "fp16_fp32acc",
               fp16_16[] = "fp16_fp16acc", bf16[] = "bf16", fp8[] = "fp8", fp8_16[] = "fp8_fp16acc",
               int8[] = "int8", fp4[] = "fp4";

const Line lines[] = {
    {"sold as", sold_text, [](const Accelerator& c) { return c.sold_as_gb; }},
    {"reported", reported_text,
     [](const Accelerator& c) { return c.reported ? c.reported->as_double() : 0; }},
    {"devices",
     [](const Accelerator& c) {
       return c.devices == 1 ? std::string("1")
                             : fmt::format(
                                   "the system shows one card as {}; an engine sees the memory of "
                                   "one; label, bandwidth, rates and power are of the whole card",
                                   c.devices);
     }},
    {"an engine sees", usable_text,
     [](const Accelerator& c) { return facts::usable_memory(c).total.value.as_double(); }},
    {"memory", memory_text},
    {"ECC", [](const Accelerator& c) { return c.ecc; }},
    {"bandwidth",
     [](const Accelerator& c) {
       return c.bandwidth ? number(c.bandwidth->value() / 1e9) + " GB/s" : std::string();
     },
     [](const Accelerator& c) { return c.bandwidth ? c.bandwidth->value() : 0; }},
    {"FP32 shader", rate_text<fp32>, rate_of<fp32>},
    {"TF32", rate_text<tf32>, rate_of<tf32>},
    {"FP16, FP32 acc.", rate_text<fp16>, rate_of<fp16>},
    {"FP16, FP16 acc.", rate_text<fp16_16>, rate_of<fp16_16>},
    {"BF16", rate_text<bf16>, rate_of<bf16>},
    {"FP8, FP32 acc.", rate_text<fp8>, rate_of<fp8>},
    {"FP8, FP16 acc.", rate_text<fp8_16>, rate_of<fp8_16>},
    {"INT8", rate_text<int8>, rate_of<int8>},
    {"FP4", rate_text<fp4>, rate_of<fp4>},
    {"2:4 sparse",
     [](const Accelerator& c) {
       if (!c.sparse_multiplier) return std::string();
       if (*c.sparse_multiplier <= 1) return std::string("no units for it");
       const std::string headline = extra(c, "sparse_headline");
       return fmt::format("{} times dense on paper{}", number(*c.sparse_multiplier),
                          headline.empty() ? "" : "; sellers print " + headline);
     }},
    {"PyTorch FP16",
     [](const Accelerator& c) {
       const std::string seen = extra(c, "torch_fp16_measured_tflop_per_s");
       return seen.empty() ? seen : seen + " TFLOP/s in public runs";
     }},
    {"PyTorch BF16",
     [](const Accelerator& c) {
       const std::string seen = extra(c, "torch_bf16_measured_tflop_per_s");
       return seen.empty() ? seen : seen + " TFLOP/s in public runs";
     }},
    {"units",
     [](const Accelerator& c) {
       std::string text;
       if (c.sm_count) text = fmt::format("{} {}", number(*c.sm_count), c.sm_kind);
       if (c.boost_hz)
         text += fmt::format("{}{} MHz rated boost", text.empty() ? "" : ", ",
                             number(*c.boost_hz / 1e6));
       return text;
     },
     [](const Accelerator& c) { return c.sm_count.value_or(0); }},
    {"L2",
     [](const Accelerator& c) { return c.l2 ? number(c.l2->as_mib()) + " MiB" : std::string(); },
     [](const Accelerator& c) { return c.l2 ? c.l2->as_double() : 0; }},
    {"power",
     [](const Accelerator& c) {
       std::string text = c.tdp ? number(c.tdp->value()) + " W" : std::string();
       const std::string range = extra(c, "power_range_w");
       return range.empty() ? text : text + (text.empty() ? "" : "; ") + "limits seen: " + range;
     },
     [](const Accelerator& c) { return c.tdp ? c.tdp->value() : 0; }},
    {"link", link_text,
     [](const Accelerator& c) { return c.link_bidirectional ? c.link_bidirectional->value() : 0; }},
    {"PCIe", pcie_text},
    {"MIG",
     [](const Accelerator& c) {
       return c.mig_max ? fmt::format("up to {} instances", *c.mig_max) : std::string();
     }},
    {"architecture",
     [](const Accelerator& c) {
       return c.compute_capability.empty()
                  ? c.architecture
                  : fmt::format("{}, compute {}", c.architecture, c.compute_capability);
     }},
    {"form",
     [](const Accelerator& c) {
       return c.socket.empty() ? c.form : fmt::format("{}, {}", c.form, c.socket);
     }},
    {"launched",
     [](const Accelerator& c) { return c.launch_year ? std::to_string(*c.launch_year) : ""; }},
    {"confidence",
     [](const Accelerator& c) {
       std::string text(facts::confidence_word(c.confidence));
       if (!c.recalled.empty())
         text += fmt::format("; only recalled: {}", fmt::join(c.recalled, ", "));
       return text;
     }},
};

// What stands where a figure is missing.
std::string or_unknown(std::string text) {
  return text.empty() ? "unknown" : text;
}

std::string cell_gib(const Accelerator& card) {
  const auto usable = facts::usable_memory(card);
  if (usable.total.value == Bytes(0)) return "?";
  return fmt::format("{}{}{:.1f}", card.devices > 1 ? fmt::format("{}x", card.devices) : "",
                     card.usable.seen.empty() ? "~" : "", usable.total.value.as_gib());
}

std::string cell(std::string text) {
  return text.empty() ? "?" : text;
}
std::string rate_cell(const Accelerator& card, const char* key) {
  const std::string text = dense(card, key);
  return text.empty() && facts::has_units(card, key) == false ? "-" : cell(text);
}

std::string table_row(const Accelerator& card) {
  std::string name = card.name;
  if (card.confidence > Confidence::mixed) name += " !";
  std::string sixteen = dense(card, "fp16_fp32acc");
  if (sixteen.empty()) sixteen = dense(card, "bf16");
  return fmt::format("{:<44} {:>5} {:>7} {:>7} {:>8} {:>8} {:>6}\n", name,
                     card.sold_as_gb > 0 ? number(card.sold_as_gb) : "?", cell_gib(card),
                     cell(card.bandwidth ? number(card.bandwidth->value() / 1e9) : ""),
                     cell(sixteen), rate_cell(card, "fp8"),
                     cell(card.tdp ? number(card.tdp->value()) : ""));
}

}  // namespace

std::string gpus_table(std::span<const Accelerator* const> cards) {
  std::string text = fmt::format("{:<44} {:>5} {:>7} {:>7} {:>8} {:>8} {:>6}\n", "card", "GB",
                                 "GiB", "GB/s", "16 bit", "FP8", "W");
  // NVIDIA first: it is what most readers look for.
  std::vector<const Accelerator*> ordered(cards.begin(), cards.end());
  std::ranges::stable_partition(ordered,
                                [](const Accelerator* card) { return card->vendor == "NVIDIA"; });
  std::string_view vendor;
  for (const Accelerator* card : ordered) {
    if (card->vendor != vendor) {
      vendor = card->vendor;
      text += fmt::format("\n{}\n", vendor);
    }
    text += table_row(*card);
  }
  text +=
      "\nGB is the seller's label, GiB what an engine can see (~ by rule, not seen on this card;\n"
      "2x: two devices, one engine process sees one).\n"
      "Rates are TFLOP/s dense with FP32 accumulate; sparse figures are twice that on paper.\n"
      "? not known; - no such units; ! weak sources, not chosen for a short name. More: gpus "
      "NAME\n";
  return text;
}

std::string gpus_card(const Accelerator& card) {
  constexpr std::size_t label_width = 18, width = 98;
  std::string text = fmt::format("{} ({})\n\n", card.name, card.vendor);
  const auto add = [&](std::string_view label, const std::string& value) {
    bool first = true;
    for (const std::string& line : lines_of(value, width - label_width - 2)) {
      text += fmt::format("  {}{}\n", padded(first ? std::string(label) : "", label_width), line);
      first = false;
    }
  };
  for (const Line& line : lines) add(line.label, or_unknown(line.text(card)));
  add("memory basis", facts::usable_memory(card).basis);
  for (const std::string& value : card.other_values) add("also seen", value);
  if (!card.notes.empty()) add("notes", card.notes);
  if (!card.licence_note.empty()) add("licence", card.licence_note);
  if (!card.aliases.empty()) add("names", fmt::format("{}", fmt::join(card.aliases, ", ")));
  if (!card.pci_device_ids.empty()) {
    add("PCI device", fmt::format("{}", fmt::join(card.pci_device_ids, ", ")));
  }
  add("sources", card.sources);
  return text;
}

std::string gpus_side_by_side(const Accelerator& first, const Accelerator& second) {
  constexpr std::size_t label_width = 17, column = 35;
  std::string text;
  const auto add = [&](std::string_view label, const std::string& a, const std::string& b,
                       const std::string& ratio) {
    const auto left = lines_of(a, column - 1), right = lines_of(b, column - 1);
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
      std::string line = padded(i == 0 ? std::string(label) : "", label_width) +
                         padded(i < left.size() ? left[i] : "", column) +
                         padded(i < right.size() ? right[i] : "", column) + (i == 0 ? ratio : "");
      while (line.ends_with(' ')) line.pop_back();
      text += line + "\n";
    }
  };
  add("", first.name, second.name, "2nd : 1st");
  for (const Line& line : lines) {
    const double a = line.amount ? line.amount(first) : 0;
    const double b = line.amount ? line.amount(second) : 0;
    add(line.label, or_unknown(line.text(first)), or_unknown(line.text(second)),
        a > 0 && b > 0 ? fmt::format("{:.2f}x", b / a) : "");
  }
  return text;
}

std::string gpus_text(const GpusDocument& document) {
  if (document.asked.empty() || document.cards.empty()) return gpus_table(document.cards);
  std::string text;
  for (const offers::Instance& one : document.instances) text += instance_lines(one);
  if (document.asked.size() > 1 && document.cards.size() == 2) {
    return text + gpus_side_by_side(*document.cards[0], *document.cards[1]);
  }
  if (document.assumed) {
    std::vector<std::string> others;
    for (const Accelerator* card : std::span(document.cards).subspan(1))
      others.push_back(card->name);
    text += fmt::format("'{}' fits several cards; the commonest is shown. Also: {}.\n\n",
                        document.asked.front(), fmt::join(others, ", "));
  }
  return text + gpus_card(*document.cards.front());
}

}  // namespace steelyard::report

// Claims without a figure, judged by what the catalogue knows of the card.
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "claims/readings.h"
#include "claims/scan.h"

namespace steelyard::claims {
namespace {

void yes(const facts::Accelerator& card, std::string word, std::string meaning, Verdict verdict,
         std::string because, std::vector<Reading>& readings) {
  readings.push_back({.card = &card,
                      .figure = std::move(word),
                      .meaning = std::move(meaning),
                      .verdict = verdict,
                      .because = std::move(because)});
}

// "P100 NVLink": the name fits a card without a link and one with it.
const facts::Accelerator* linked_variant(const facts::Accelerator& card, const Advert& a) {
  if (!link_of(card).empty()) return nullptr;
  for (const Named& named : a.named) {
    if (named.match.variants.front() != &card) continue;
    const auto found = std::ranges::find_if(
        named.match.variants,
        [](const facts::Accelerator* other) { return link_of(*other).starts_with("nvlink"); });
    if (found != named.match.variants.end()) return *found;
  }
  return nullptr;
}

void read_link(const facts::Accelerator& card, const Advert& a, std::vector<Reading>& readings,
               std::vector<Unread>& unread) {
  if (!says(a, {"nvlink"}) ||
      says(a, {"no nvlink", "without nvlink", "无nvlink", "不支持nvlink", "不支持 nvlink",
               "没有nvlink", "无 nvlink", "not support nvlink"})) {
    return;
  }
  if (const facts::Accelerator* other = linked_variant(card, a); other != nullptr) {
    yes(*other, "NVLink", fmt::format("the {} can have it ({})", other->name, link_of(*other)),
        Verdict::not_comparable, fmt::format("the {} has none: which of the two is it?", card.name),
        readings);
    return;
  }
  const std::string link = link_of(card);
  if (link.empty()) {
    unread.push_back(
        {"NVLink", Verdict::impossible,
         fmt::format("the {} has no NVLink: cards reach each other over PCIe", card.name)});
    return;
  }
  static const std::regex said(R"(nvlink ?(?:gen ?)?([1-6])(?:\.0)?(?![0-9.a-z]| [gt]b))");
  std::smatch generation;
  const bool known = link.starts_with("nvlink") && link.size() > 6;
  if (known && std::regex_search(a.lowered, generation, said) &&
      generation[1].str() != link.substr(6, 1)) {
    unread.push_back({fmt::format("NVLink {}", generation[1].str()), Verdict::wrong,
                      fmt::format("the {} has generation {}", card.name, link.substr(6, 1))});
    return;
  }
  yes(card, "NVLink", fmt::format("the {} can have it ({})", card.name, link), Verdict::right,
      "the bridge or the switch must be there too", readings);
}

// "PCIe 4.0 x8": fewer lanes than the card has are a slower slot.
void read_lanes(const facts::Accelerator& card, const Advert& a, std::vector<Reading>& readings,
                std::vector<Unread>& unread) {
  static const std::regex said(
      R"(pci(?:e|-e)(?: |-)?(?:gen ?)?(?:[1-7](?:\.0)?)?(?: |-|@){0,2}x ?(\d{1,2})(?![0-9]))");
  std::smatch lanes;
  if (!card.pcie_lanes || !std::regex_search(a.lowered, lanes, said)) return;
  const int claimed = std::stoi(lanes[1].str()), has = *card.pcie_lanes;
  const std::string word = fmt::format("PCIe x{}", claimed);
  if (claimed == has) {
    yes(card, word, fmt::format("the lanes of the {}", card.name), Verdict::right, "", readings);
  } else if (claimed < has) {
    yes(card, word, fmt::format("fewer lanes than the {} has (x{})", card.name, has),
        Verdict::not_comparable, "a narrower slot: loading and card-to-card copies are slower",
        readings);
  } else {
    unread.push_back({word, Verdict::wrong, fmt::format("the {} has x{}", card.name, has)});
  }
}

// Another card of the name that the text gives, with that type of memory: "H20 HBM3e".
const facts::Accelerator* sibling(const facts::Accelerator& card, const Advert& a,
                                  std::string_view type) {
  for (const Named& named : a.named) {
    for (const auto* cards : {&named.match.variants, &named.shorter}) {
      if (std::ranges::find(*cards, &card) == cards->end()) continue;
      const auto found = std::ranges::find_if(*cards, [&](const facts::Accelerator* other) {
        return lower(other->memory_type) == type;
      });
      if (found != cards->end()) return *found;
    }
  }
  return nullptr;
}

bool memory_said(const Advert& a, double gb) {
  return std::ranges::any_of(a.figures, [&](const Figure& f) {
    return f.quantity == Measure::memory && close(f.value, gb * 1e9, 0.003);
  });
}

// Two kinds of memory differ; two generations of one kind are often mixed up by sellers.
void read_memory_type(const facts::Accelerator& card, const Advert& a,
                      std::vector<Reading>& readings, std::vector<Unread>& unread) {
  static const std::regex said(R"((?:hbm[1-4]?e?|gddr[5-7]x?)(?![a-z0-9]))");
  std::smatch type;
  if (card.memory_type.empty() || !std::regex_search(a.lowered, type, said)) return;
  const std::string claimed = type.str(), has = lower(card.memory_type);
  const std::string word = a.text.substr(static_cast<std::size_t>(type.position()), claimed.size());
  const facts::Accelerator* other = sibling(card, a, claimed);
  if (has.starts_with(claimed)) {
    yes(card, word, fmt::format("memory of the {}: {}", card.name, card.memory_type),
        Verdict::right, "", readings);
  } else if (other != nullptr) {
    yes(*other, word, fmt::format("memory of the {}: {}", other->name, other->memory_type),
        memory_said(a, other->sold_as_gb) ? Verdict::right : Verdict::not_comparable,
        fmt::format("the {} has {}", card.name, card.memory_type), readings);
  } else if (claimed.substr(0, 3) == has.substr(0, 3)) {
    yes(card, word, fmt::format("memory of the {}: {}", card.name, card.memory_type),
        Verdict::not_comparable, "another generation of the same kind; the bandwidth decides",
        readings);
  } else {
    unread.push_back(
        {word, Verdict::wrong, fmt::format("the {} has {}", card.name, card.memory_type)});
  }
}

void read_pcie(const facts::Accelerator& card, const Advert& a, std::vector<Reading>& readings,
               std::vector<Unread>& unread) {
  for (const char generation : {'3', '4', '5', '6'}) {
    const std::string dotted = fmt::format("{}.0", generation);
    const std::string spellings[] = {"pcie" + dotted,
                                     "pcie " + dotted,
                                     fmt::format("pcie gen{}", generation),
                                     fmt::format("pcie gen {}", generation),
                                     fmt::format("pci-e {}.", generation),
                                     fmt::format("pcie{}x", generation),
                                     fmt::format("pcie第{}代", generation),
                                     fmt::format("pcie{} ", generation),
                                     fmt::format("pcie {} ", generation)};
    bool said = false;
    for (const std::string& spelling : spellings) said = said || says(a, {spelling});
    if (!said || card.pcie_generation.empty()) continue;
    const std::string word = "PCIe " + dotted;
    if (card.pcie_generation == dotted) {
      yes(card, word, fmt::format("the generation of the {}", card.name), Verdict::right, "",
          readings);
    } else if (card.pcie_generation > dotted) {
      yes(card, word,
          fmt::format("the slot is older than the {} (PCIe {})", card.name, card.pcie_generation),
          Verdict::not_comparable, "the link runs at the slot's generation", readings);
    } else {
      unread.push_back({word, Verdict::wrong,
                        fmt::format("the {} is a PCIe {} card; a newer slot changes nothing",
                                    card.name, card.pcie_generation)});
    }
  }
}

bool denied(const Advert& a, std::string_view word) {
  for (const std::string_view no : {"no ", "without ", "无", "不支持", "不支持 ", "没有", "非"}) {
    if (a.lowered.contains(std::string(no) + std::string(word))) return true;
  }
  return false;
}

void read_units(const facts::Accelerator& card, const Advert& a, std::vector<Reading>& readings,
                std::vector<Unread>& unread) {
  struct Format {
    std::string_view rate, name;
    bool newest;  // rare enough that its presence is worth a line
    std::string_view instead;
  };
  constexpr std::string_view narrow = "such weights save memory there, and are computed in 16 bit";
  for (const Format& f : {Format{"fp8", "FP8", true, narrow}, Format{"fp4", "FP4", true, narrow},
                          Format{"bf16", "BF16", false, "engines compute in FP16 or FP32 there"},
                          Format{"tf32", "TF32", false, "FP32 runs on the shader units there"}}) {
    if (!says(a, {f.rate}) || denied(a, f.rate)) continue;
    const auto there = facts::has_units(card, f.rate);
    // Of several cards the text may speak of another.
    const bool others = std::ranges::any_of(a.named, [&](const Named& named) {
      return facts::has_units(*named.match.variants.front(), f.rate).value_or(false);
    });
    if (!there || (!*there && others) || (*there && !f.newest)) continue;
    const std::string word(f.name);
    if (*there) {
      yes(card, word, fmt::format("the {} has units for it", card.name), Verdict::right, "",
          readings);
    } else {
      unread.push_back({word, Verdict::wrong,
                        fmt::format("the {} has no {} units: {}", card.name, f.name, f.instead)});
    }
  }
}

void read_ecc_and_mig(const facts::Accelerator& card, const Advert& a,
                      std::vector<Reading>& readings, std::vector<Unread>& unread) {
  if (says(a, {"ecc"}) && !card.ecc.empty()) {
    if (card.ecc == "none") {
      unread.push_back(
          {"ECC", Verdict::wrong, fmt::format("the {} has none for its memory", card.name)});
    } else {
      const bool takes = card.ecc.find("inline") != std::string::npos ||
                         card.ecc.find("soft") != std::string::npos;
      yes(card, "ECC",
          fmt::format("{} of the {}, {} as shipped", card.ecc, card.name,
                      card.ecc_default_on ? "on" : "off"),
          Verdict::right, takes ? "while on it takes a sixteenth of the memory" : "", readings);
    }
  }
  const bool mig = says(a, {" mig", "mig ", "mig,", "支持mig"}) &&
                   !says(a, {"不支持mig", "no mig", "without mig", "未开mig", "无mig", "mig关闭",
                             "mig off", "mig disabled"});
  if (mig && card.vendor == "NVIDIA") {
    if (card.mig_max) {
      yes(card, "MIG", fmt::format("up to {} instances on the {}", *card.mig_max, card.name),
          Verdict::right, "", readings);
    } else {
      unread.push_back({"MIG", Verdict::wrong, fmt::format("the {} has no MIG", card.name)});
    }
  }
}

}  // namespace

std::string link_of(const facts::Accelerator& card) {
  const auto text = card.extra.find("link_text");
  if (!card.link.empty() || text == card.extra.end()) return card.link;
  const std::string name = lower(text->second);
  if (!name.starts_with("nvlink")) return {};
  const bool generation = name.size() > 7 && is_digit(name[7]);
  return generation ? fmt::format("nvlink{}", name[7]) : "nvlink";
}

void read_features(const facts::Accelerator& card, const Advert& advert,
                   std::vector<Reading>& readings, std::vector<Unread>& unread) {
  read_link(card, advert, readings, unread);
  read_pcie(card, advert, readings, unread);
  read_lanes(card, advert, readings, unread);
  read_memory_type(card, advert, readings, unread);
  read_units(card, advert, readings, unread);
  read_ecc_and_mig(card, advert, readings, unread);
}

}  // namespace steelyard::claims

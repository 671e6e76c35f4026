// Claims without a figure, judged by what the catalogue knows of the card.
#include <fmt/format.h>

#include "claims/readings.h"

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

void read_link(const facts::Accelerator& card, const Advert& a, std::vector<Reading>& readings,
               std::vector<Unread>& unread) {
  if (!says(a, {"nvlink"}) ||
      says(a, {"no nvlink", "without nvlink", "无nvlink", "不支持nvlink"})) {
    return;
  }
  if (card.link.empty()) {
    unread.push_back(
        {"NVLink", Verdict::impossible,
         fmt::format("the {} has no NVLink: cards reach each other over PCIe", card.name)});
    return;
  }
  yes(card, "NVLink", fmt::format("the {} can have it ({})", card.name, card.link), Verdict::right,
      "the bridge or the switch must be there too", readings);
}

void read_pcie(const facts::Accelerator& card, const Advert& a, std::vector<Reading>& readings,
               std::vector<Unread>& unread) {
  for (const char generation : {'3', '4', '5', '6'}) {
    const std::string dotted = fmt::format("{}.0", generation);
    const std::string spellings[] = {"pcie" + dotted,
                                     "pcie " + dotted,
                                     fmt::format("pcie gen{}", generation),
                                     fmt::format("pcie gen {}", generation),
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

void read_units(const facts::Accelerator& card, const Advert& a, std::vector<Reading>& readings,
                std::vector<Unread>& unread) {
  struct Format {
    std::string_view word, rate, name;
  };
  for (const Format& f : {Format{"fp8", "fp8", "FP8"}, Format{"fp4", "fp4", "FP4"}}) {
    if (!says(a, {f.word})) continue;
    const auto there = facts::has_units(card, f.rate);
    if (!there) continue;
    const std::string word(f.name);
    if (*there) {
      yes(card, word, fmt::format("the {} has units for it", card.name), Verdict::right, "",
          readings);
    } else {
      unread.push_back(
          {word, Verdict::wrong,
           fmt::format("the {} has no units for it: such weights save memory there, and "
                       "are computed in 16 bit",
                       card.name)});
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
  const std::string lowered = a.lowered;
  const bool mig = says(a, {" mig", "mig ", "mig,", "支持mig"});
  if (mig && card.vendor == "NVIDIA") {
    if (card.mig_max) {
      yes(card, "MIG", fmt::format("up to {} instances on the {}", *card.mig_max, card.name),
          Verdict::right, "", readings);
    } else {
      unread.push_back({"MIG", Verdict::wrong, fmt::format("the {} has no MIG", card.name)});
    }
  }
}

void read_board(const facts::Accelerator& card, const Advert& a, std::vector<Reading>& readings) {
  if (says(a, {"涡轮", "blower"})) {
    yes(card, "涡轮 / blower", fmt::format("a blower cooler on the {}", card.name),
        card.form.starts_with("consumer") ? Verdict::not_comparable : Verdict::right,
        "says nothing of the chip; on consumer cards it is a partner's or a rebuilt board, often "
        "with another power limit",
        readings);
  }
  if (card.modified && says(a, {"魔改", "改装", "modded", "modified"})) {
    yes(card, "魔改 / modded", fmt::format("the {}", card.name), Verdict::misleading,
        "a rebuilt board: no warranty of the vendor, and the ordinary card's name in nvidia-smi",
        readings);
  }
}

}  // namespace

void read_features(const facts::Accelerator& card, const Advert& advert,
                   std::vector<Reading>& readings, std::vector<Unread>& unread) {
  read_link(card, advert, readings, unread);
  read_pcie(card, advert, readings, unread);
  read_units(card, advert, readings, unread);
  read_ecc_and_mig(card, advert, readings, unread);
  read_board(card, advert, readings);
}

}  // namespace steelyard::claims

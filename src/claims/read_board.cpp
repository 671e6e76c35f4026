// Words about the board and about how it is shared: blower, rebuilt, mined, whole card, vGPU, MIG.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "claims/readings.h"

namespace steelyard::claims {
namespace {

struct Word {
  std::string_view shown;
  std::initializer_list<std::string_view> words, unless;
  Verdict verdict;
  std::string_view meaning, because;
};

const Word words[] = {
    {"共享 / shared",
     {"共享", "vgpu", "切分", "切片", "超分", "超卖", "分时", "time-slic", "time slic", "虚拟化",
      "虚拟gpu", "shared gpu", "gpu sharing", "fractional", "hami"},
     {"非共享",       "不共享",   "无共享",   "不切分",     "无切分",     "非vgpu",
      "不是vgpu",     "无vgpu",   "非虚拟化", "无虚拟化",   "不虚拟化",   "不超卖",
      "无超卖",       "不超分",   "非切分",   "not shared", "no sharing", "no vgpu",
      "no time-slic", "unshared", "共享内存", "共享显存"},
     Verdict::misleading,
     "a part of the card, or its time",
     "the figures of the whole card are not what one tenant gets"},
    {"独享 / dedicated",
     {"独享", "独占", "整卡", "直通", "passthrough", "pass-through", "exclusive", "dedicated",
      "bare metal", "裸金属", "物理机"},
     {"非独享", "不独享"},
     Verdict::right,
     "the whole card",
     "nvidia-smi -L and the MIG mode show it"},
    {"矿卡 / used for mining",
     {"矿卡", "矿机", "mining card", "ex-mining", "mined"},
     {"非矿", "不是矿", "无矿", "拒绝矿", "no mining", "not mined", "never mined"},
     Verdict::misleading,
     "the figures are the chip's; its wear is not in them",
     "memory and fans have run for years: ask for a burn-in with temperatures and ECC or memory "
     "errors"},
    {"拆机 / second-hand",
     {"拆机", "二手", "翻新", "refurb", "second-hand", "second hand", "used card", "成新"},
     {"非拆机", "非二手", "非翻新", "not refurb"},
     Verdict::not_comparable,
     "the figures are the chip's; its age is not in them",
     "ask for its first use, its warranty and a burn-in"},
};

bool any(const Advert& advert, const std::initializer_list<std::string_view>& list) {
  return std::ranges::any_of(list,
                             [&](std::string_view word) { return advert.lowered.contains(word); });
}

bool word_said(const Advert& advert, const Word& word) {
  return any(advert, word.words) && !any(advert, word.unless);
}

void add(const facts::Accelerator& card, std::string figure, std::string meaning, Verdict verdict,
         std::string because, std::vector<Reading>& readings) {
  readings.push_back({.card = &card,
                      .figure = std::move(figure),
                      .meaning = std::move(meaning),
                      .verdict = verdict,
                      .because = std::move(because)});
}

// A GPU with MIG is cut into eight parts of memory (four, two where it has fewer instances) and
// seven of compute; one instance takes one, two, four or all parts of the memory (NVIDIA's MIG
// guide).
bool mig_fits(const facts::Accelerator& card, const Share& share) {
  if (!card.mig_max || card.sold_as_gb <= 0) return false;
  const int compute = *card.mig_max, parts = compute == 7 ? 8 : compute;
  std::vector<int> taken = {share.slices};
  if (share.slices == compute) {
    taken = {parts};
  } else if (compute == 7 && share.slices == 1) {
    taken = {1, 2};
  } else if (compute == 7 && share.slices == 3) {
    taken = {4};
  } else if (share.slices == 0 || share.slices > 4 || share.slices > compute) {
    return false;
  }
  std::vector<double> labels = card.also_sold_as_gb;
  labels.push_back(card.sold_as_gb);
  return std::ranges::any_of(labels, [&](double label) {
    return std::ranges::any_of(
        taken, [&](int part) { return std::abs(share.gb - label * part / parts) <= 1; });
  });
}

}  // namespace

void read_board(const facts::Accelerator& card, const Advert& advert,
                std::vector<Reading>& readings) {
  if (says(advert, {"涡轮", "blower"}) && !says(advert, {"非涡轮"})) {
    add(card, "涡轮 / blower", fmt::format("a blower cooler on the {}", card.name),
        card.form.starts_with("consumer") ? Verdict::not_comparable : Verdict::right,
        "says nothing of the chip; on consumer cards it is a partner's or a rebuilt board, often "
        "with another power limit",
        readings);
  }
  const bool rebuilt =
      says(advert, {"魔改", "改装", "modded", "modified"}) &&
      !says(advert, {"非魔改", "无魔改", "不是魔改", "未改装", "unmodified", "not modded"});
  if (rebuilt && card.modified) {
    add(card, "魔改 / modded", fmt::format("the {}", card.name), Verdict::misleading,
        "a rebuilt board: no warranty of the vendor, and the ordinary card's name in nvidia-smi",
        readings);
  } else if (rebuilt) {
    add(card, "魔改 / modded", "a rebuilt board, of which the catalogue has no figures",
        Verdict::misleading,
        "memory, power limit and cooling may all differ: ask for nvidia-smi -q", readings);
  }
  for (const Word& word : words) {
    if (!word_said(advert, word)) continue;
    add(card, std::string(word.shown), std::string(word.meaning), word.verdict,
        std::string(word.because), readings);
  }
}

void read_shares(const std::vector<const facts::Accelerator*>& variants, const Advert& advert,
                 std::vector<Reading>& readings, std::vector<Unread>& unread) {
  for (const Share& share : advert.shares) {
    const facts::Accelerator& best = *variants.front();
    if (share.kind == Share::Kind::fraction) {
      add(best, share.text, fmt::format("{:.3g} of the {}", share.fraction, best.name),
          Verdict::misleading,
          "a MIG slice, a vGPU or shared time: memory, rate and bandwidth all shrink", readings);
      continue;
    }
    const auto fits = [&](const facts::Accelerator* card) {
      return share.kind == Share::Kind::mig ? mig_fits(*card, share) : share.gb <= card->sold_as_gb;
    };
    const auto card = std::ranges::find_if(variants, fits);
    if (card == variants.end()) {
      unread.push_back({share.text, Verdict::wrong,
                        share.kind == Share::Kind::mig
                            ? fmt::format("no MIG profile of the {}", best.name)
                            : fmt::format("more memory than the {} has", best.name)});
    } else if (share.kind == Share::Kind::mig) {
      add(**card, share.text,
          fmt::format("a MIG slice of the {}: {} of {} parts of its compute, {:g} GB",
                      (*card)->name, share.slices, (*card)->mig_max.value_or(0), share.gb),
          share.slices == (*card)->mig_max ? Verdict::right : Verdict::misleading,
          "not the whole card", readings);
    } else {
      add(**card, share.text, fmt::format("a vGPU of the {} with {:g} GB", (*card)->name, share.gb),
          Verdict::misleading,
          "compute is shared with other tenants; ask for the scheduler's policy", readings);
    }
  }
}

}  // namespace steelyard::claims

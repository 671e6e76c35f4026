// Words that speak against the card, or against each other: another architecture, SXM and PCIe, a
// MIG slice and the whole card.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "claims/readings.h"
#include "claims/scan.h"

namespace steelyard::claims {
namespace {

struct Family {
  std::string_view name;  // in lower case, as the catalogue's architectures begin
  std::string_view chinese;
};
constexpr auto families = std::to_array<Family>({{"pascal", "帕斯卡"},
                                                 {"volta", "伏特"},
                                                 {"turing", "图灵"},
                                                 {"ampere", "安培"},
                                                 {"ada", "ada lovelace"},
                                                 {"hopper", "霍珀"},
                                                 {"blackwell", "布莱克威尔"},
                                                 {"cdna", "cdna"},
                                                 {"rdna", "rdna"}});
// "faster than Ampere", "Ampere Altra", "相比Hopper": not said of the card.
constexpr std::string_view compares[] = {"than",  "over",    "vs",    "versus", "from", "unlike",
                                         "to",    "of",      "and",   "比",     "于",   "越",
                                         "非",    "前代",    "vs.",   "not",    "like", "替代",
                                         "grace", "not the", "beats", "beat",   "上代", "上一代"};
constexpr std::string_view others[] = {"altra", "one", "complete", "之前", "之后", "以上", "更"};

bool said_plainly(std::string_view text, std::size_t at, std::size_t end) {
  const std::size_t before = back_over_blanks(text, at);
  return any_before(text, before, compares) == 0 &&
         any_at(text, skip_blanks(text, end), others) == 0;
}

// A family is the text's claim where its name stands as a word, or in Chinese before "架构".
std::size_t family_said(std::string_view text, const Family& family) {
  for (std::size_t at = text.find(family.name); at != std::string_view::npos;
       at = text.find(family.name, at + 1)) {
    const std::size_t end = at + family.name.size();
    // "CDNA3" is a word of the family's.
    const bool ends = end >= text.size() || !is_word(text[end]) || is_digit(text[end]);
    if (ends && word_before(text, end, family.name) && said_plainly(text, at, end)) return at;
  }
  if (is_word(family.chinese.front())) return std::string_view::npos;
  const std::size_t at = text.find(std::string(family.chinese) + "架构");
  return at != std::string_view::npos && said_plainly(text, at, at) ? at : std::string_view::npos;
}

// Of several cards the text may speak of any.
bool named_has(const Advert& advert, std::string_view family) {
  return std::ranges::any_of(advert.named, [&](const Named& named) {
    return std::ranges::any_of(named.match.variants, [&](const facts::Accelerator* card) {
      return card->architecture.empty() || lower(card->architecture).starts_with(family);
    });
  });
}

void read_architecture(const facts::Accelerator& card, const Advert& advert,
                       std::vector<Unread>& unread) {
  for (const Family& family : families) {
    const std::size_t at = family_said(advert.lowered, family);
    if (at == std::string::npos) continue;
    const bool latin = is_word(advert.lowered[at]);
    std::size_t length = latin ? family.name.size() : family.chinese.size();
    std::string key(family.name);
    // "CDNA2" is not "CDNA3".
    if (latin && at + length < advert.text.size() && is_digit(advert.text[at + length])) {
      key += advert.text[at + length++];
    }
    if (named_has(advert, key)) continue;
    const std::string word = advert.text.substr(at, length);
    unread.push_back(
        {word, Verdict::wrong,
         fmt::format("the architecture of the {} is {}", card.name, card.architecture)});
  }
}

// "SXM4" is a form; so is "PCIe" alone, but not the slot of "PCIe 4.0 x16" or a switch.
bool pcie_form_said(std::string_view text) {
  constexpr std::string_view parts[] = {"host",      "interface", "switch", "slot", "slots",
                                        "ssd",       "nvme",      "x",      "lane", "lanes",
                                        "bandwidth", "bus",       "link",   "nic"};
  constexpr std::string_view chinese[] = {"交换", "插槽", "通道", "带宽",
                                          "接口", "总线", "固态", "第"};
  for (std::size_t at = text.find("pcie"); at != std::string_view::npos;
       at = text.find("pcie", at + 1)) {
    const std::size_t end = at + 4;
    const std::size_t next = skip_blanks(text, end);
    const bool glued = end < text.size() && is_word(text[end]);
    const bool slot = next < text.size() &&
                      (is_digit(text[next]) ||
                       (text[next] == 'x' && next + 1 < text.size() && is_digit(text[next + 1])));
    // Chinese words run on: "PCIe交换机".
    const bool chinese_part = std::ranges::any_of(
        chinese, [&](std::string_view word) { return text.substr(next).starts_with(word); });
    const std::size_t before = back_over_blanks(text, at);
    constexpr std::string_view no[] = {"not", "no", "非", "不是", "than", "vs", "over"};
    const bool denied = any_before(text, before, no) > 0;
    if (!glued && !slot && !text.substr(next).starts_with("gen") && !chinese_part && !denied &&
        any_at(text, next, parts) == 0)
      return true;
  }
  return false;
}

bool sxm_said(std::string_view text) {
  for (std::size_t at = text.find("sxm"); at != std::string_view::npos;
       at = text.find("sxm", at + 1)) {
    constexpr std::string_view no[] = {"not", "no", "非", "不是", "than", "vs", "over"};
    const bool inside = at > 0 && is_word(text[at - 1]);
    if (!inside && any_before(text, back_over_blanks(text, at), no) == 0) return true;
  }
  return false;
}

void read_forms(const facts::Accelerator& card, const Advert& advert,
                std::vector<Reading>& readings) {
  // Two names may each have their own form.
  if (advert.named.size() != 1) return;
  if (!sxm_said(advert.lowered) || !pcie_form_said(advert.lowered)) return;
  readings.push_back({.card = &card,
                      .figure = "SXM / PCIe",
                      .meaning = "two forms of a card, of which one card has one",
                      .verdict = Verdict::misleading,
                      .because = "rates, power and links differ between them: which is it?"});
}

// A slice with "独享" may be the tenant's alone; "整卡" beside it cannot be true.
void read_whole_and_slice(const facts::Accelerator& card, const Advert& advert,
                          std::vector<Reading>& readings) {
  const bool whole = says(advert, {"独享", "独占", "整卡", "whole card", "full card", "whole gpu",
                                   "full gpu", "dedicated", "exclusive"}) &&
                     !says(advert, {"非独享", "不独享", "非整卡"});
  const bool can = says(
      advert, {"支持mig", "支持 mig", "mig capable", "mig-capable", "mig support", "supports mig",
               "可切mig", "不支持mig", "无mig", "未开mig", "mig关闭", "no mig", "without mig",
               "mig off", "mig disabled", "非mig", "不是mig", "not mig", "not a mig"});
  const std::string_view text = advert.lowered;
  const std::size_t at = text.find("mig");
  const bool mig = at != std::string_view::npos && word_at(text, at, "mig") &&
                   word_before(text, at + 3, "mig") && !can;
  const bool share = !advert.shares.empty();
  if (!whole || (!mig && !share)) return;
  readings.push_back({.card = &card,
                      .figure = mig ? "MIG / 整卡" : advert.shares.front().text + " / 整卡",
                      .meaning = "a slice of the card, or the whole of it",
                      .verdict = Verdict::misleading,
                      .because = "the words contradict each other: ask which of the two is let"});
}

}  // namespace

void read_words(const facts::Accelerator& card, const Advert& advert,
                std::vector<Reading>& readings, std::vector<Unread>& unread) {
  read_architecture(card, advert, unread);
  read_forms(card, advert, readings);
  read_whole_and_slice(card, advert, readings);
}

}  // namespace steelyard::claims

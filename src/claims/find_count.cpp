// How many cards the machine has: "8卡A100", "双卡", "A100 x8", "8 GPUs", "4*4090", "DGX H100".
#include <algorithm>
#include <array>

#include "claims/advert.h"
#include "claims/scan.h"

namespace steelyard::claims {
namespace {

constexpr std::uint32_t most = 200000;

constexpr auto numerals = std::to_array<std::pair<std::string_view, std::uint32_t>>(
    {{"一百二十八", 128}, {"六十四", 64}, {"三十二", 32}, {"十六", 16}, {"十二", 12},
     {"二十", 20},        {"双", 2},      {"两", 2},      {"二", 2},    {"三", 3},
     {"四", 4},           {"五", 5},      {"六", 6},      {"七", 7},    {"八", 8},
     {"九", 9},           {"十", 10},     {"百", 100},    {"千", 1000}, {"万", 10000}});
constexpr auto english =
    std::to_array<std::pair<std::string_view, std::uint32_t>>({{"dual", 2},
                                                               {"two", 2},
                                                               {"twin", 2},
                                                               {"triple", 3},
                                                               {"three", 3},
                                                               {"quad", 4},
                                                               {"four", 4},
                                                               {"five", 5},
                                                               {"six", 6},
                                                               {"seven", 7},
                                                               {"eight", 8},
                                                               {"octa", 8},
                                                               {"ten", 10},
                                                               {"sixteen", 16}});
constexpr std::string_view ones[] = {"单", "一", "single ", "one "};
constexpr std::string_view counters[] = {
    "卡",  "张",    "块",   "片",  "枚",     "颗",           "路",  "个gpu", "个 gpu", "gpus",
    "gpu", "cards", "card", "pcs", "pieces", "accelerators", "npu", "npus",  "dcu"};
// What looks like a counter and is none: money, sockets of a host, cards' other words.
constexpr std::string_view no_counters[] = {
    "块钱",       "块/",      "块一",        "块每",      "路cpu",      "路 cpu",  "路至强",
    "路intel",    "路xeon",   "路 xeon",     "路epyc",    "路 epyc",    "路e5",    "路 e5",
    "路amd epyc", "路处理器", "路服务器cpu", "gpu cores", "gpu memory", "gpu显存", "片内",
    "卡时",       "gpu hour", "gpu-hour",    "gpu小时"};
constexpr std::string_view machines[] = {"台",      "节点",   "个节点",   "nodes", "node",
                                         "servers", "server", "machines", "机"};
constexpr std::string_view count_labels[] = {"gpu数量",        "gpu数",     "gpu 数量", "卡数",
                                             "数量",           "gpu count", "gpus:",    "gpus",
                                             "number of gpus", "count",     "qty",      "quantity"};

bool counter_at(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '-')) ++at;
  const bool none = std::ranges::any_of(
      no_counters, [&](std::string_view word) { return text.substr(at).starts_with(word); });
  return !none && any_at(text, at, counters) > 0;
}

// "x8", "×8", "*8".
bool times_before(std::string_view text, std::size_t at) {
  at = back_over_blanks(text, at);
  if (at == 0) return false;
  if (text[at - 1] == '*' || text.substr(0, at).ends_with("×")) return true;
  return text[at - 1] == 'x' && (at < 2 || text[at - 2] == ' ' || text[at - 2] == ')' ||
                                 static_cast<unsigned char>(text[at - 2]) >= 0x80);
}

// Behind "8 x" must stand something like a card's name: "8 x H100" is a count, "3x the rate" is
// not.
bool names_a_card(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return false;
  std::size_t end = begin;
  while (end < text.size() && is_word(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  for (const std::string_view maker :
       {"rtx", "gtx", "nvidia", "geforce", "tesla", "amd", "instinct", "quadro", "ascend", "gpu",
        "gpus", "intel", "radeon", "dgx", "hgx", "titan", "apple", "google", "huawei"}) {
    if (word == maker) return true;
  }
  if (text.substr(begin).starts_with("昇腾") || text.substr(begin).starts_with("英伟达"))
    return true;
  return std::ranges::any_of(word, is_digit) && !word.starts_with("fp") && !word.starts_with("int");
}

bool times_after(std::string_view text, std::size_t at) {
  at = skip_blanks(text, at);
  if (at >= text.size()) return false;
  if (text[at] == '*') return names_a_card(text.substr(at + 1));
  if (text.substr(at).starts_with("×")) return names_a_card(text.substr(at + 2));
  return text[at] == 'x' && names_a_card(text.substr(at + 1));
}

struct Found {
  std::uint32_t value = 0;
  Span span;
};

// A system's name says how many cards it has (NVIDIA's DGX and HGX guides, recalled).
void named_systems(Advert& advert) {
  const std::string& text = advert.lowered;
  auto& cards = advert.cards;
  const auto has = [&](std::string_view word) { return text.find(word) != std::string::npos; };
  for (std::size_t at = text.find("nvl"); at != std::string::npos; at = text.find("nvl", at + 1)) {
    const auto number = number_at(text, at + 3);
    if (!number || number->value > 1152 || number->last_digit < 1) continue;
    advert.take({at, number->end});
    const auto value = static_cast<std::uint32_t>(number->value);
    if (value < 1 || cards.said) continue;
    cards.count = value;
    cards.said = true;
  }
  std::uint32_t implied = 0;
  if (has("dgx spark") || has("gb10")) return;
  if (has("dgx station")) {
    implied = has("gb300") ? 1 : 4;
  } else if (has("dgx-2") || has("dgx2") || has("dgx 2")) {
    implied = 16;
  } else if (has("dgx") && (has("gb200") || has("gb300"))) {
    implied = 72;
  } else if (has("dgx")) {
    implied = 8;
  } else if (has("hgx")) {
    for (const std::uint32_t value : {4U, 8U}) cards.all.push_back(value);  // boards of both exist
  }
  for (const std::string_view word : {"dgx-1", "dgx1", "dgx-2", "dgx2"}) {
    if (const std::size_t at = text.find(word); at != std::string::npos) {
      advert.take({at, at + word.size()});
    }
  }
  if (implied > 0 && !cards.said) {
    cards.count = implied;
    cards.said = true;
  }
}

std::optional<Found> in_words(std::string_view text, const Advert& advert) {
  for (const auto& [word, value] : numerals) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if (!advert.is_taken(at) && counter_at(text, end)) return Found{value, {at, end}};
    }
  }
  for (const auto& [word, value] : english) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if (!word_at(text, at, word) || !word_before(text, end, word)) continue;
      const std::size_t next = skip_blanks(text, text.substr(end).starts_with("-") ? end + 1 : end);
      if (counter_at(text, end) || names_a_card(text.substr(next))) return Found{value, {at, end}};
    }
  }
  return std::nullopt;
}

// "RTX 4090 24GB 2x, ...": behind a card, its memory or its link, and nothing behind the sign that
// it could multiply. "FP8 2x, ..." says how much faster.
bool stands_alone(const Advert& advert, std::size_t at, const Number& number) {
  const std::string_view text = advert.lowered;
  const std::size_t before = back_over_blanks(text, at);
  const bool name = std::ranges::any_of(
      advert.named, [&](const Named& n) { return before == n.end || before == n.wide_end; });
  const bool size = before > 2 &&
                    (text.substr(0, before).ends_with("gb") || text[before - 1] == 'g') &&
                    (is_digit(text[before - 2]) || is_digit(text[before - 3]));
  if (!name && !size && !word_before(text, before, "nvlink")) return false;
  const std::string_view rest = text.substr(number.end);
  const std::size_t sign = rest.starts_with("×") ? 2 : rest.starts_with("x") ? 1 : 0;
  if (sign == 0 || number.value > 16 || number.value < 2) return false;
  const std::string_view behind = rest.substr(sign);
  const auto mark = [&](std::string_view one) { return behind.starts_with(one); };
  return behind.empty() || mark(",") || mark(";") || mark(")") || mark("\n") || mark("，") ||
         mark("；") || mark("）");
}

// Where a count may stand: alone, or glued to what counts it.
bool is_count(const Advert& advert, std::size_t at, const Number& number, bool in_name) {
  const std::string_view text = advert.lowered;
  const std::size_t end = number.end;
  const bool alone = at == 0 || !is_word(text[at - 1]);
  if (alone && (counter_at(text, end) || times_after(text, end))) return true;
  if (alone && !in_name && stands_alone(advert, at, number)) return true;
  const bool ends = end >= text.size() || !is_word(text[end]);
  if (ends && times_before(text, at) &&
      (!in_name || text[at - 1] == 'x' || text[at - 1] == ' ' || text[at - 1] == '*')) {
    return true;
  }
  // "8 GPUs 989 TFLOPS", "8 GPUs 80 GB": a number with a unit counts no cards.
  if (!alone || !ends || in_name || has_unit(text, end)) return false;
  const std::size_t before = back_over_blanks(text, at);
  std::size_t label = before;
  while (label > 0 && (text[label - 1] == ':' || text[label - 1] == '=' || text[label - 1] == ' '))
    --label;
  if (text.substr(0, label).ends_with("：")) label -= 3;
  if (any_before(text, label, count_labels) > 0 && label != at) return true;
  // "8 H100s": a small number straight before a name.
  const bool apart = at == 0 || static_cast<unsigned char>(text[at - 1]) < 0x80;
  return apart && number.value <= 128 && end < text.size() && text[end] == ' ' &&
         std::ranges::any_of(advert.named, [&](const Named& n) { return n.at == end + 1; });
}

Result<std::optional<Found>> in_digits(Advert& advert) {
  const std::string& text = advert.lowered;
  std::optional<Found> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i]) || (i > 0 && (is_digit(text[i - 1]) || text[i - 1] == '.'))) continue;
    const auto number = number_at(text, i);
    if (!number || advert.is_taken(i)) continue;
    const bool in_name =
        std::ranges::any_of(advert.named, [&](const Named& n) { return i > n.at && i < n.end; });
    if (number->last_digit < 1 || !is_count(advert, i, *number, in_name)) continue;
    const Span span{i, number->end};
    const bool minus = i > 0 && text[i - 1] == '-' &&
                       (i == 1 || text[i - 2] == ' ' || text[i - 2] == '(' || text[i - 2] == ':' ||
                        text[i - 2] == '\n');
    if (minus) return fail(refused(advert, span, "is a count below zero"));
    if (number->value == 0) return fail(refused(advert, span, "is a count of zero"));
    if (number->value > most)
      return fail(refused(advert, span, "is more cards than any machine has"));
    advert.cards.spans.push_back(span);
    if (!found) found = Found{static_cast<std::uint32_t>(number->value), span};
    i = number->end - 1;
  }
  return found;
}

// "16台", "4 nodes", "双机".
std::uint32_t machines_of(Advert& advert) {
  const std::string& text = advert.lowered;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i]) || (i > 0 && (is_word(text[i - 1]) || text[i - 1] == '.'))) continue;
    const auto number = number_at(text, i);
    if (!number || advert.is_taken(i)) continue;
    if (number->value >= 1 && number->value <= 10000 && number->last_digit == 1 &&
        any_at(text, skip_blanks(text, number->end), machines) > 0) {
      advert.cards.spans.push_back({i, number->end});
      return static_cast<std::uint32_t>(number->value);
    }
    i = number->end - 1;
  }
  for (const auto& [word, value] : numerals) {
    const std::size_t at = text.find(word);
    if (at != std::string::npos && any_at(text, at + word.size(), machines) > 0) return value;
  }
  return 1;
}

}  // namespace

// "单卡" (one card) comes last: beside "8卡" it says that a figure is one card's.
Status find_count(Advert& advert) {
  auto& cards = advert.cards;
  auto digits = in_digits(advert);
  if (!digits) return fail(std::move(digits.error()));
  auto found = *digits;
  if (!found) found = in_words(advert.lowered, advert);
  if (found) {
    cards.count = found->value;
    cards.said = true;
    advert.take(found->span);
  }
  named_systems(advert);
  for (const std::string_view word : ones) {
    const std::size_t at = advert.lowered.find(word);
    if (!cards.said && at != std::string::npos && counter_at(advert.lowered, at + word.size())) {
      cards.said = true;
    }
  }
  const std::uint32_t hosts = machines_of(advert);
  for (const Span& span : cards.spans) advert.take(span);
  cards.all.push_back(cards.count);
  if (hosts > 1 && cards.count <= most / hosts) cards.all.push_back(cards.count * hosts);
  std::ranges::sort(cards.all);
  cards.all.erase(std::ranges::unique(cards.all).begin(), cards.all.end());
  return {};
}

}  // namespace steelyard::claims

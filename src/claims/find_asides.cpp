// Numbers that say nothing of the card's size or speed: generations of a slot, versions of
// software, prices, times, parts of the host. Marked, so that what remains is a figure or unread.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "claims/advert.h"
#include "claims/scan.h"

namespace steelyard::claims {
namespace {

using Words = std::span<const std::string_view>;

// A number behind one of these is a version, a model of another part, or a way to reach somebody.
constexpr std::string_view aside_labels[] = {"cuda",     "cudnn",
                                             "driver",   "driver version",
                                             "驱动",     "驱动版本",
                                             "ubuntu",   "centos",
                                             "debian",   "rocky",
                                             "python",   "pytorch",
                                             "torch",    "tensorflow",
                                             "vllm",     "sglang",
                                             "windows",  "windows server",
                                             "linux",    "kernel",
                                             "内核",     "compute capability",
                                             "计算能力", "tensorrt",
                                             "rocm",     "cann",
                                             "nccl",     "docker",
                                             "gen",      "微信",
                                             "qq",       "电话",
                                             "手机",     "tel",
                                             "wechat",   "vx",
                                             "raid",     "usb",
                                             "directx",  "opengl",
                                             "vulkan",   "hdmi",
                                             "dp",       "displayport",
                                             "dlss",     "wifi",
                                             "wi-fi",    "version",
                                             "版本",     "ver",
                                             "nvlink",   "nvlink gen",
                                             "nvswitch", "编号"};
// Of those, the ones whose numbers may be large.
constexpr std::string_view long_labels[] = {"driver",  "driver version",
                                            "驱动",    "驱动版本",
                                            "windows", "windows server",
                                            "微信",    "qq",
                                            "电话",    "手机",
                                            "tel",     "wechat",
                                            "vx",      "编号"};
// A processor: everything to the end of its words belongs to its name.
constexpr std::string_view processors[] = {
    "xeon",    "epyc", "至强", "霄龙",     "锐龙",   "ryzen", "threadripper", "i9",   "i7",
    "i5",      "e5",   "gold", "platinum", "silver", "金牌",  "铂金",         "银牌", "鲲鹏",
    "kunpeng", "海光", "cpu",  "处理器",   "grace",  "intel", "ultra"};
// Words that may stand between a processor's word and its number.
constexpr std::string_view processor_words[] = {"gold",   "platinum", "silver", "金牌",
                                                "铂金",   "银牌",     "pro",    "scalable",
                                                "可扩展", "v2",       "v3",     "v4"};
constexpr std::string_view money_before[] = {"¥",    "$",     "usd",  "cny",  "rmb",  "€",
                                             "价格", "price", "仅需", "只要", "租金", "每小时",
                                             "月租", "时租",  "单价", "售价", "低至"};
constexpr std::string_view money_behind[] = {
    "元",  "块钱",   "块/",   "块每",  "块一",    "刀",    "美元", "美金", "万元",   "w元",
    "usd", "cny",    "rmb",   "yuan",  "dollars", "cents", "¥",    "$",    "€",      "eur",
    "/h",  "/hr",    "/hour", "/小时", "/时",     "/天",   "/月",  "/day", "/month", "/gpu",
    "/卡", "一小时", "一天",  "一月",  "每小时",  "每卡",  "每月"};
constexpr std::string_view time_words[] = {
    "小时",    "天",     "个月", "月",   "年",  "周",     "日",    "分钟",  "秒",   "hours", "hour",
    "hrs",     "hr",     "h",    "days", "day", "months", "month", "years", "year", "weeks", "week",
    "minutes", "minute", "min",  "x 24", "x24", "*24",    "×24",   "* 24",  "× 24", "/7",    "ms"};
constexpr std::string_view host_parts[] = {
    "核",  "vcpu",      "vcpus",  "v cpu",   "线程",  "threads",  "cpu cores",
    "cpu", "cores cpu", "u机架",  "u服务器", "u",     "kg",       "mm",
    "cm",  "rpm",       "mbps",   "m带宽",   "m宽带", "m网络",    "mbit",
    "gbe", "g网卡",     "gb网卡", "g光口",   "口",    "寸",       "英寸",
    "°c",  "℃",         "dba",    "db",      "次",    "人",       "th",
    "nd",  "rd",        "st",     "代",      "折",    "万张",     "pin",
    "针",  "槽",        "slot",   "slots",   "nm",    "亿晶体管", "billion transistors"};
constexpr std::string_view availability[] = {"sla",  "可用", "uptime", "在线", "off",
                                             "优惠", "折扣", "成新",   "新"};

// What a word with digits inside is when it is no figure: formats, memory types, sockets.
bool known_word(std::string_view word) {
  constexpr std::string_view stems[] = {"fp",   "bf",  "tf",    "int", "nvfp", "mxfp", "hbm",
                                        "gddr", "ddr", "lpddr", "sxm", "oam",  "ib"};
  return std::ranges::any_of(stems, [&](std::string_view stem) {
    return word.starts_with(stem) && word.size() > stem.size() && is_digit(word[stem.size()]);
  });
}

// "pcie 4.0 x16", "pcie gen5", "pcie5.0x16", "pci-e 4".
void take_slots(Advert& advert) {
  const std::string& text = advert.lowered;
  for (const std::string_view word : {"pcie", "pci-e", "pci express"}) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      std::size_t end = at + word.size();
      for (int part = 0; part < 3; ++part) {
        std::size_t next = end;
        while (next < text.size() &&
               (text[next] == ' ' || text[next] == '-' || text[next] == '@')) {
          ++next;
        }
        for (const std::string_view generation : {"generation", "gen", "第"}) {
          if (text.substr(next).starts_with(generation)) {
            next = skip_blanks(text, next + generation.size());
            break;
          }
        }
        const bool lanes = next < text.size() && text[next] == 'x';
        if (lanes) next = skip_blanks(text, next + 1);
        const auto number = number_at(text, next);
        if (!number || number->value > 32 || (!lanes && number->value > 7)) break;
        // "PCIe 8卡": a count of cards.
        if (!lanes && number->end < text.size() && text[number->end] != ' ' &&
            text[number->end] != 'x' && static_cast<unsigned char>(text[number->end]) >= 0x80 &&
            !text.substr(number->end).starts_with("代")) {
          break;
        }
        const std::size_t behind = skip_blanks(text, number->end);
        if (!lanes && text.substr(behind).starts_with("x ")) break;  // "PCIe 8 x H100"
        if (!lanes && number->end < text.size() && is_word(text[number->end]) &&
            text[number->end] != 'x') {
          break;
        }
        end = number->end;
      }
      advert.take({at, end});
    }
  }
}

void take_words(Advert& advert) {
  const std::string& text = advert.lowered;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_word(text[i]) || (i > 0 && is_word(text[i - 1]))) continue;
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (known_word(std::string_view(text).substr(i, end - i))) advert.take({i, end});
    i = end;
  }
}

std::size_t whole_number_end(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (is_word(text[end]) || text[end] == '.' || text[end] == '-')) ++end;
  while (end > at && !is_word(text[end - 1])) --end;
  return end;
}

// The words that stand before the number at `at`, without the joining signs.
std::size_t before_number(std::string_view text, std::size_t at) {
  while (at > 0) {
    const std::string_view head = text.substr(0, at);
    if (text[at - 1] == ' ' || text[at - 1] == ':' || text[at - 1] == '=' || text[at - 1] == '-' ||
        text[at - 1] == 'v') {
      --at;
    } else if (head.ends_with("：")) {
      at -= 3;
    } else {
      break;
    }
  }
  return at;
}

bool behind_label(std::string_view text, std::size_t at, Words words) {
  const std::size_t end = before_number(text, at);
  return any_before(text, end, words) > 0 ||
         any_before(text, back_over_blanks(text, at), words) > 0;
}

bool behind_processor(std::string_view text, std::size_t at) {
  std::size_t end = before_number(text, at);
  for (int step = 0; step < 3; ++step) {
    if (any_before(text, end, processors) > 0) return true;
    const std::size_t word = any_before(text, end, processor_words);
    if (word == 0) return false;
    end = before_number(text, end - word);
  }
  return false;
}

// "2026-12-01", "2026/12", "12月", "2026年".
bool date_at(std::string_view text, const Number& number) {
  if (number.value < 1990 || number.value > 2099 || number.last_digit < 1) return false;
  const std::string_view rest = text.substr(number.end);
  if (rest.starts_with("年") || rest.starts_with("款")) return true;
  return rest.size() > 1 && (rest[0] == '-' || rest[0] == '/' || rest[0] == '.') &&
         is_digit(rest[1]) && number.end - 4 < text.size();
}

bool of_english_date(std::string_view text, std::size_t at, const Number& number) {
  constexpr std::string_view words[] = {
      "in",  "since", "of",   "from",   "until",     "january", "february", "march",   "april",
      "may", "june",  "july", "august", "september", "october", "november", "december"};
  return number.value >= 1990 && number.value <= 2099 && number.end - at == 4 &&
         any_before(text, back_over_blanks(text, at), words) > 0;
}

// CUDA's versions: the highest minor of each major (NVIDIA's toolkit archive, recalled); newer
// majors may have any. Sellers write a card's compute capability behind the word, too.
bool version_of_cuda(const Advert& advert, const Number& number) {
  constexpr int highest[] = {-1, 1, 3, 2, 2, 5, 5, 5, 0, 2, 2, 8, 9};
  const std::string version = fmt::format("{:.1f}", number.value);
  const bool capability = std::ranges::any_of(advert.named, [&](const Named& named) {
    return std::ranges::any_of(named.match.variants, [&](const facts::Accelerator* card) {
      return card->compute_capability == version;
    });
  });
  if (capability) return true;
  const int major = static_cast<int>(number.value);
  const int minor = static_cast<int>(std::lround((number.value - major) * 10));
  if (major < 1 || major >= 50 || number.last_digit < 0.05) return major >= 1 && major < 50;
  return major >= static_cast<int>(std::size(highest)) || minor <= highest[major];
}

// Compute capabilities that the cards of the text do not have, versions that CUDA never had.
bool no_version(const Advert& advert, std::size_t at, const Number& number) {
  const std::string_view text = advert.lowered;
  constexpr std::string_view capability[] = {"compute capability", "计算能力"};
  if (behind_label(text, at, capability)) {
    const std::string version = fmt::format("{:.1f}", number.value);
    return std::ranges::none_of(advert.named, [&](const Named& named) {
      return std::ranges::any_of(named.match.variants, [&](const facts::Accelerator* card) {
        return card->compute_capability.empty() || card->compute_capability == version;
      });
    });
  }
  constexpr std::string_view cuda[] = {"cuda"};
  return behind_label(text, at, cuda) && !version_of_cuda(advert, number);
}

struct Kept {
  bool aside = false, host = false;
};

Kept kept_at(std::string_view text, std::size_t at, const Number& number, std::size_t& end) {
  const std::size_t behind = skip_blanks(text, number.end);
  const auto with = [&](Words words) {
    const std::size_t length = any_at(text, behind, words);
    if (length > 0) end = std::max(end, behind + length);
    return length > 0;
  };
  if (date_at(text, number)) {
    end = whole_number_end(text, at);
    while (end < text.size() && (is_digit(text[end]) || text[end] == '/')) ++end;
    return {.aside = true};
  }
  if (of_english_date(text, at, number)) return {.aside = true};
  if (behind < text.size() && text[behind] == '%') {
    end = behind + 1;
    return {.aside = any_at(text, skip_blanks(text, end), availability) > 0 ||
                     behind_label(text, at, availability)};
  }
  const bool own = has_own_unit(text, number.end);
  const bool priced = !own && behind_label(text, at, money_before);
  if (with(money_behind) || priced) return {.aside = true, .host = true};
  constexpr std::string_view bits[] = {"bit", "-bit", "bits", "位"};
  if (number.value <= 32 && with(bits)) return {.aside = true};
  if (number.value <= 1024 && with(host_parts)) return {.aside = true, .host = true};
  // "24/7", but "1/7" is a part of a card.
  const bool part = number.value < 7 && text.substr(behind).starts_with("/7");
  if (!part && with(time_words)) return {.aside = true};
  // "2x EPYC": two processors.
  for (const std::string_view sign : {"x", "*", "×", "路", "颗"}) {
    if (number.value > 8 || !text.substr(behind).starts_with(sign)) continue;
    std::size_t next = skip_blanks(text, behind + sign.size());
    for (const std::string_view maker : {"intel ", "amd "}) {
      if (text.substr(next).starts_with(maker)) next += maker.size();
    }
    if (any_at(text, next, processors) == 0) continue;
    end = std::max(end, next);
    return {.aside = true};
  }
  if (!own && behind_processor(text, at)) {
    end = whole_number_end(text, at);
    // "EPYC 7742 x2": two processors, not two cards.
    std::size_t next = skip_blanks(text, end);
    for (const std::string_view sign : {"x", "*", "×"}) {
      if (!text.substr(next).starts_with(sign)) continue;
      const auto twice = number_at(text, skip_blanks(text, next + sign.size()));
      if (twice && twice->value <= 8) end = twice->end;
    }
    return {.aside = true};
  }
  return {};
}

}  // namespace

void find_asides(Advert& advert, std::vector<std::string>& aside) {
  const std::string& text = advert.lowered;
  take_slots(advert);
  take_words(advert);
  const auto in_name = [&](std::size_t at) {
    return std::ranges::any_of(advert.named,
                               [&](const Named& n) { return at >= n.at && at < n.end; });
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool inside = i > 0 && (is_word(text[i - 1]) || text[i - 1] == '.');
    if (!is_digit(text[i]) || inside || advert.is_taken(i) || in_name(i)) continue;
    const auto number = number_at(text, i);
    if (!number) continue;
    std::size_t end = number->end;
    const bool glued = end < text.size() && (is_word(text[end]) || text[end] == '%');
    Kept kept = kept_at(text, i, *number, end);
    // A version has no unit behind it: "CUDA 12.4", but not "CUDA 16384 cores".
    if (!kept.aside && !glued &&
        (number->value < 50 || (number->value < 1e5 && behind_label(text, i, long_labels))) &&
        behind_label(text, i, aside_labels) && !has_own_unit(text, end) &&
        !no_version(advert, i, *number) &&
        any_at(text, skip_blanks(text, end),
               std::to_array<std::string_view>({"cores", "core", "核"})) == 0) {
      const bool link =
          behind_label(text, i, std::to_array<std::string_view>({"nvlink", "nvlink gen"}));
      const bool generation = number->value <= 6 && std::floor(number->value) == number->value;
      kept.aside = !link || generation;
      if (kept.aside) end = std::max(end, whole_number_end(text, i));
    }
    if (kept.host) aside.push_back(advert.text.substr(i, end - i));
    if (kept.aside) advert.take({i, end});
    i = std::max(end, number->end) - 1;
  }
}

}  // namespace steelyard::claims

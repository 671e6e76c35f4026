#include "facts/names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/base.h"

namespace steelyard::facts {
namespace {

// Words that say nothing about which card it is.
constexpr std::string_view filler[] = {
    "nvidia",    "geforce",  "rtx",      "gtx",       "tesla",      "amd",         "radeon",
    "rx",        "instinct", "intel",    "arc",       "huawei",     "ascend",      "npu",
    "gpu",       "gpus",     "card",     "cards",     "graphics",   "accelerator", "tensor",
    "core",      "cores",    "host",     "in",        "generation", "gen",         "blackwell",
    "ampere",    "hopper",   "lovelace", "edition",   "class",      "cloud",       "corporation",
    "per",       "of",       "each",     "total",     "vram",       "memory",      "ram",
    "nvlink",    "oam",      "hgx",      "dgx",       "cuda",       "ecc",         "desktop",
    "cambricon", "hygon",    "metax",    "iluvatar",  "kunlunxin",  "google",      "aws",
    "moore",     "threads",  "single",   "single-gpu"};

// Written without a space before the model: "rtx4090", "nvidiaa100", "teslat4".
constexpr std::string_view glued_before[] = {"nvidia", "geforce", "rtx",    "gtx",     "tesla",
                                             "amd",    "radeon",  "rx",     "intel",   "arc",
                                             "huawei", "ascend",  "quadro", "instinct"};

// Chinese words, longest first: what they stand for. An unknown one stays and keeps the name from
// matching, as an unknown English word does.
struct Translation {
  std::string_view from, to;
};
constexpr Translation chinese[] = {{"英伟达", " "},
                                   {"华为", " "},
                                   {"昇腾", " "},
                                   {"魔改版", " mod "},
                                   {"魔改", " mod "},
                                   {"改装", " mod "},
                                   {"计算卡", " "},
                                   {"加速卡", " "},
                                   {"算力卡", " "},
                                   {"显卡", " "},
                                   {"显存", " "},
                                   {"单卡", " "},
                                   {"整卡", " "},
                                   {"独享", " "},
                                   {"全新", " "},
                                   {"二手", " "},
                                   {"公版", " "},
                                   {"涡轮版", " "},
                                   {"涡轮", " "},
                                   {"服务器版", " server "},
                                   {"工作站版", " workstation "},
                                   {"笔记本", " laptop "},
                                   {"移动版", " laptop "},
                                   {"版", " "},
                                   {"（", "("},
                                   {"）", ")"},
                                   {"×", "*"},
                                   {"卡", " count "},
                                   {"张", " count "},
                                   {"块", " count "},
                                   {"张卡", " count "}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string translate(std::string_view text) {
  std::string result = lower(fold_width(text));
  for (const auto& [from, to] : chinese) {
    for (std::size_t at = result.find(from); at != std::string::npos; at = result.find(from, at)) {
      result.replace(at, from.size(), to);
      at += to.size();
    }
  }
  return result;
}

// Words of letters, digits and a dot between digits; "*" alone is a word.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto flush = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool dot =
        c == '.' && i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
    if ((c >= 'a' && c <= 'z') || is_digit(c) || dot || static_cast<unsigned char>(c) >= 0x80 ||
        c == '+') {
      word += c;
    } else {
      flush();
      if (c == '*') words.emplace_back("*");
    }
  }
  flush();
  return words;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0)) return std::nullopt;
  return value;
}

// Gigabytes of "80gb", "80g", "95.6gib", "46068mib", or nothing.
std::optional<double> size_of(std::string_view word) {
  constexpr std::pair<std::string_view, double> units[] = {
      {"gib", 1}, {"gb", 1}, {"g", 1}, {"mib", 1.0 / 1024}, {"mb", 1.0 / 1024}};
  for (const auto& [unit, factor] : units) {
    if (!word.ends_with(unit)) continue;
    const auto value = number_of(word.substr(0, word.size() - unit.size()));
    if (value && *value * factor >= 4 && *value * factor <= 2000) return *value * factor;
  }
  return std::nullopt;
}

std::string socket_of(std::string_view word) {
  if (word == "nvl" || word == "nvl2") return "nvl";
  if (word == "pcie" || word == "pci") return "pcie";
  if (word.starts_with("sxm") && word.size() <= 4) return "sxm";
  return {};
}

bool is_memory_type(std::string_view word) {
  return (word.starts_with("hbm") || word.starts_with("gddr")) && word.size() <= 6;
}

// "x4", "4x", "8", next to "*" or "count".
bool is_count(std::string_view word) {
  if (word.size() < 2) return false;
  const std::string_view digits = word.front() == 'x'  ? word.substr(1)
                                  : word.back() == 'x' ? word.substr(0, word.size() - 1)
                                                       : std::string_view();
  return !digits.empty() && digits.size() <= 3 && std::ranges::all_of(digits, is_digit);
}
bool is_small_number(std::string_view word) {
  return !word.empty() && word.size() <= 3 && std::ranges::all_of(word, is_digit);
}

// Size, socket, memory type and "modified" out of one word. False when it says none of them.
bool take_attribute(std::string_view word, CardName& name) {
  if (const auto size = size_of(word)) {
    if (!name.size) name.size = size;
    return true;
  }
  if (const std::string socket = socket_of(word); !socket.empty()) {
    // "H100 NVL PCIe": the rarer word decides.
    if (name.socket.empty() || name.socket == "pcie") name.socket = socket;
    return true;
  }
  if (is_memory_type(word)) {
    name.memory_type = word;
    return true;
  }
  if (word == "mod" || word == "modded" || word == "modified" || word == "aftermarket") {
    name.modified = true;
    return true;
  }
  return false;
}

// Numbers of cards, and a unit that stands apart from its number, are folded away first.
std::vector<std::string> without_counts(std::vector<std::string> words, const Vocabulary& known) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    if (words[i] == "*" || words[i] == "x" || words[i] == "count") {
      // "* 4" after a name, "8 x" or "8 count" before one.
      if (!kept.empty() && is_small_number(kept.back())) {
        kept.pop_back();
      } else if (words[i] != "count" && is_small_number(next)) {
        ++i;
      }
      continue;
    }
    if (is_count(words[i]) && !known.is_model(words[i])) continue;
    if ((next == "gb" || next == "gib" || next == "g" || next == "mib") && number_of(words[i])) {
      kept.push_back(words[i] + next);
      ++i;
      continue;
    }
    kept.push_back(words[i]);
  }
  return kept;
}

// The text outside brackets; what stands inside goes to `inside`.
std::string without_brackets(std::string_view text, std::string& inside) {
  std::string outside;
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[') {
      ++depth;
      outside += ' ';
      inside += ' ';
    } else if (c == ')' || c == ']') {
      depth = std::max(0, depth - 1);
    } else {
      (depth > 0 ? inside : outside) += c;
    }
  }
  return outside;
}

// Splits makers off the front and attributes off the back until a known model remains.
void unglue(CardName& name, const Vocabulary& known, int depth = 0) {
  if (name.model.empty() || known.is_model(name.model) || depth > 4) return;
  for (const std::string_view maker : glued_before) {
    if (name.model.size() <= maker.size() || !name.model.starts_with(maker)) continue;
    CardName shorter = name;
    shorter.model.erase(0, maker.size());
    unglue(shorter, known, depth + 1);
    if (known.is_model(shorter.model)) {
      name = std::move(shorter);
      return;
    }
  }
  // The longest tail first would read "a10080g" as a10 of 80... or a100 of 80: try each.
  for (std::size_t cut = name.model.size() - 1; cut > 0; --cut) {
    CardName shorter = name;
    const std::string tail = name.model.substr(cut);
    shorter.model.resize(cut);
    if (tail.front() == '0' || !take_attribute(tail, shorter)) continue;
    unglue(shorter, known, depth + 1);
    if (known.is_model(shorter.model)) {
      name = std::move(shorter);
      return;
    }
  }
}

}  // namespace

CardName parse_card_name(std::string_view text, const Vocabulary& known) {
  // A name is short; a hostile one must not cost much.
  constexpr std::size_t limit = 200;
  CardName name;
  std::string inside;
  const std::string outside = without_brackets(translate(text.substr(0, limit)), inside);
  for (const std::string& word : without_counts(words_of(outside), known)) {
    if (take_attribute(word, name)) continue;
    if (std::ranges::find(filler, word) != std::end(filler) || known.is_vendor(word)) continue;
    const bool laptop = word == "mobile" || word == "notebook" || word == "laptops";
    name.model += laptop ? "laptop" : name_key(word);
  }
  for (const std::string& word : without_counts(words_of(inside), known)) {
    take_attribute(word, name);
  }
  unglue(name, known);
  return name;
}

}  // namespace steelyard::facts

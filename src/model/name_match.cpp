#include "model/name_match.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/base.h"

namespace steelyard::model {
namespace {

// Words that change the tuning of a model, not its shape.
constexpr std::array kVariants = {"instruct", "chat",      "it",      "base",  "hf",
                                  "thinking", "reasoning", "preview", "alpha", "beta",
                                  "rc",       "dpo",       "sft",     "rlhf",  "original",
                                  "latest",   "pt",        "class",   "mtp",   "qat"};
// Words of packagers and makers in front of or behind a name.
constexpr std::array kNoise = {"meta",        "unsloth",   "gguf",   "dynamic",
                               "static",      "quantized", "marlin", "hq",
                               "safetensors", "facebook",  "google", "microsoft"};

bool digit(char c) {
  return c >= '0' && c <= '9';
}
bool letter(char c) {
  return c >= 'a' && c <= 'z';
}
bool all_digits(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, digit);
}
template <typename List>
bool among(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

std::string last_part(std::string_view name) {
  std::string text = lower(fold_width(trim(name)));
  while (text.ends_with('/')) text.pop_back();
  const std::size_t slash = text.rfind('/');
  if (slash != std::string::npos) text = text.substr(slash + 1);
  // ModelScope's cache writes '.' as "___".
  for (std::size_t at; (at = text.find("___")) != std::string::npos;) text.replace(at, 3, ".");
  for (const std::string_view end : {".gguf", ".safetensors", ".json"}) {
    if (text.ends_with(end)) text.resize(text.size() - end.size());
  }
  return text;
}

// "Q4_K_M", "IQ3_XXS", "Q8_0" behind '-' or '.': taken out, since it is one word.
std::string take_gguf_type(std::string& text) {
  for (std::size_t at = text.size(); at-- > 1;) {
    if (text[at - 1] != '-' && text[at - 1] != '.' && text[at - 1] != ':') continue;
    std::size_t p = at;
    if (p < text.size() && (text[p] == 'i' || text[p] == 't')) ++p;
    if (p + 2 >= text.size() || text[p] != 'q' || !digit(text[p + 1])) continue;
    const std::string word = text.substr(at, text.find_first_of("-.:", at) - at);
    if (word.find('_') == std::string::npos) continue;
    text.erase(at - 1, word.size() + 1);
    return word;
  }
  return {};
}

// Words at '-', '_', spaces and brackets; "qwen2.5" -> "qwen", "2.5"; "3", "1" -> "3.1".
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // A point belongs to a number only: "2.5", "v0.1", not "quantized.w8a8".
    const bool point =
        c == '.' && i > 0 && digit(text[i - 1]) && i + 1 < text.size() && digit(text[i + 1]);
    const bool part = letter(c) || digit(c) || point || static_cast<unsigned char>(c) >= 0x80;
    if (!part) {
      finish();
      continue;
    }
    // A name and its generation part company; sizes ("a3b", "e4b"), "v0.1" and "w8a8" stay whole.
    if (digit(c) && word.size() > 1 && std::ranges::all_of(word, letter)) finish();
    word += c;
  }
  finish();
  std::vector<std::string> merged;
  for (const std::string& w : words) {
    if (!merged.empty() && w.size() == 1 && digit(w[0]) && merged.back().size() == 1 &&
        digit(merged.back()[0])) {
      merged.back() += "." + w;
    } else {
      merged.push_back(w);
    }
  }
  return merged;
}

bool is_size(std::string_view word) {
  if (word.size() < 2 || !digit(word.front())) return false;
  const char unit = word.back();
  return (unit == 'b' || unit == 'm' || unit == 't') &&
         std::ranges::all_of(word.substr(0, word.size() - 1),
                             [](char c) { return digit(c) || c == '.' || c == 'x'; });
}

bool is_version(std::string_view word) {
  return word.size() > 3 && word[0] == 'v' && digit(word[1]) &&
         word.find('.') != std::string_view::npos;
}

// "int4" and "fp8" were parted at the digit; joined again here.
std::string take_format(std::vector<std::string>& words) {
  std::set<std::string> found;
  std::vector<std::string> rest;
  constexpr std::array whole = {"gptq", "awq", "bnb", "4bit", "8bit", "w8a8", "w4a16", "bf16"};
  constexpr std::array parted = {"int4",  "int8", "fp8",  "nf4", "nvfp4",
                                 "mxfp4", "fp16", "bf16", "fp4"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string pair = i + 1 < words.size() ? words[i] + words[i + 1] : "";
    if (among(whole, words[i])) {
      found.insert(words[i]);
    } else if (among(parted, pair) || pair == "4bit" || pair == "8bit") {
      found.insert(pair);
      ++i;
    } else {
      rest.push_back(words[i]);
    }
  }
  words = std::move(rest);
  const auto has = [&](const char* word) { return found.contains(word); };
  const bool eight = has("int8") || has("8bit") || has("w8a8");
  if (has("gptq")) return eight ? "gptq-int8" : "gptq";
  if (has("awq")) return "awq";
  if (has("bnb")) return eight ? "bnb-int8" : "nf4";
  for (const char* word : {"nf4", "nvfp4", "mxfp4", "fp8"}) {
    if (has(word)) return word;
  }
  if (has("fp4")) return "nvfp4";
  if (eight) return "int8";
  if (has("int4") || has("4bit") || has("w4a16")) return "int4";
  if (has("fp16")) return "fp16";
  return has("bf16") ? "bf16" : "";
}

}  // namespace

NameParts name_parts(std::string_view name) {
  std::string text = last_part(name);
  NameParts parts;
  parts.format = take_gguf_type(text);
  std::vector<std::string> words = words_of(text);
  const std::string format = take_format(words);
  if (parts.format.empty()) parts.format = format;
  for (const std::string& word : words) {
    if (is_version(word)) {
      parts.version = word;
    } else if (among(kVariants, word) || (all_digits(word) && word.size() >= 4) ||
               (all_digits(word) && word.size() == 2 && word[0] <= '1')) {
      parts.soft.push_back(word);  // also dates: "2507", "12" of "12-2024"
    } else if (!among(kNoise, word)) {
      parts.has_size = parts.has_size || is_size(word);
      parts.hard.push_back(word);
    }
  }
  std::ranges::sort(parts.hard);
  std::ranges::sort(parts.soft);
  return parts;
}

namespace {

// "name (remark)" without the remark, but with the remark's size where the name has none.
std::string without_brackets(std::string_view name) {
  const std::size_t open = name.find('('), close = name.find(')', open);
  if (open == std::string_view::npos || open == 0 || close == std::string_view::npos) return {};
  std::string plain(trim(name.substr(0, open)));
  if (!name_parts(plain).has_size) {
    for (const std::string& word : words_of(lower(name.substr(open + 1, close - open - 1)))) {
      if (is_size(word)) plain += "-" + word;
    }
  }
  return plain;
}

// "1_5b" -> "1.5b": a size whose point a file name could not hold.
std::string with_point(std::string name) {
  for (std::size_t i = 1; i + 2 < name.size(); ++i) {
    if (name[i] != '_' || !digit(name[i - 1]) || !digit(name[i + 1])) continue;
    std::size_t end = i + 1;
    while (end < name.size() && digit(name[end])) ++end;
    if (end < name.size() && (name[end] == 'b' || name[end] == 'm')) name[i] = '.';
  }
  return name;
}

// "org_model" -> "model"; an organisation has no digits of a model's name before it.
std::string without_organisation(std::string_view name) {
  const std::size_t at = name.find('_');
  if (at == std::string_view::npos || std::ranges::any_of(name.substr(0, at), digit)) return {};
  return std::string(name.substr(at + 1));
}

// "org/V3/R1" -> "org/V3": the second is one short word without a size.
std::string first_of_two(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string_view::npos || slash == 0 || name.size() - slash > 5) return {};
  return name_parts(name.substr(slash + 1)).has_size ? "" : std::string(name.substr(0, slash));
}

}  // namespace

std::vector<std::string> other_spellings(std::string_view name) {
  std::vector<std::string> found;
  std::vector<std::string> from = {lower(trim(name))};
  if (std::string plain = without_brackets(from.front()); !plain.empty()) {
    from.push_back(plain);
    found.push_back(std::move(plain));
  }
  for (const std::string& start : from) {
    for (std::string other :
         {with_point(start), without_organisation(start), first_of_two(start)}) {
      if (!other.empty() && other != start) found.push_back(std::move(other));
    }
  }
  return found;
}

bool same_shape(const NameParts& wanted, const NameParts& candidate) {
  if (wanted.hard.empty() || wanted.hard != candidate.hard) return false;
  if (wanted.version == candidate.version) return true;
  // "Mistral-7B" may be any of its versions; "DeepSeek" alone is no model.
  if (wanted.version.empty()) return wanted.has_size;
  return candidate.version.empty();
}

std::optional<std::vector<std::string>> words_beyond(const NameParts& wanted,
                                                     const NameParts& candidate) {
  if (wanted.hard.empty() || !std::ranges::includes(candidate.hard, wanted.hard)) {
    return std::nullopt;
  }
  std::vector<std::string> more;
  std::ranges::set_difference(candidate.hard, wanted.hard, std::back_inserter(more));
  return more;
}

bool only_lacks_size(const NameParts& wanted, const NameParts& candidate) {
  if (wanted.has_size || wanted.hard.size() < 2 || !candidate.has_size) return false;
  const auto more = words_beyond(wanted, candidate);
  // "17b", "16e", "a3b": figures of a size.
  return more && std::ranges::all_of(*more, [](const std::string& word) {
           return is_size(word) || (digit(word[0]) && word.back() == 'e') ||
                  (word[0] == 'a' && is_size(word.substr(1)));
         });
}

int variant_difference(const NameParts& a, const NameParts& b) {
  std::vector<std::string> difference;
  std::ranges::set_symmetric_difference(a.soft, b.soft, std::back_inserter(difference));
  return static_cast<int>(difference.size()) + (a.version != b.version ? 1 : 0);
}

}  // namespace steelyard::model

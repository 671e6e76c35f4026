#include "serving_row.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>

namespace steelyard::accuracy {
namespace {

// Words of a name that say how it is stored or tuned, not which shape it has.
constexpr std::string_view tuning_words[] = {"instruct", "chat",  "it",      "hf",  "base",
                                             "meta",     "class", "thinker", "text"};
struct StoredWord {
  std::string_view word, format;
};
constexpr StoredWord stored_words[] = {
    {"nvfp4", "nvfp4"}, {"fp4", "nvfp4"},    {"mxfp4", "mxfp4"}, {"awq", "awq"},
    {"gptq", "gptq"},   {"fp8", "fp8"},      {"bnb", "nf4"},     {"bitsandbytes", "nf4"},
    {"nf4", "nf4"},     {"int4", "int4"},    {"w4a16", "int4"},  {"int8", "int8"},
    {"bf16", "bf16"},   {"bfloat16", "bf16"}};
constexpr std::string_view ignored_words[] = {
    "4bit",     "8bit",   "gguf",   "dynamic", "mtp",     "unsloth",    "quantized",
    "modelopt", "marlin", "static", "bit",     "tensors", "compressed", "bnb"};

// Letters and digits in runs; a dot between digits stays (2.5), "2___5" is the hub cache's 2.5.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  std::string text = lower(name);
  for (std::size_t at = text.find("___"); at != std::string::npos; at = text.find("___")) {
    text.replace(at, 3, ".");
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool dot = c == '.' && i > 0 && i + 1 < text.size() &&
                     std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0 &&
                     std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
    if (std::isalnum(c) != 0 || dot) {
      words.back() += text[i];
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

template <typename List>
bool holds(const List& list, const std::string& word) {
  return std::ranges::find(list, std::string_view(word)) != std::end(list);
}

bool is_stored_word(const std::string& word) {
  return std::ranges::any_of(stored_words, [&](const StoredWord& s) { return s.word == word; });
}

std::string_view last_part(std::string_view name) {
  const std::size_t remark = name.find(" (");
  if (remark != std::string_view::npos) name = name.substr(0, remark);
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

// A GGUF mix in a name: "Q4_K_M", "Q8_0".
std::string gguf_mix_of(std::string_view name) {
  for (std::size_t i = 0; i + 3 < name.size(); ++i) {
    const bool start = i == 0 || name[i - 1] == '-' || name[i - 1] == '.' || name[i - 1] == '_';
    if (!start || (name[i] != 'Q' && name[i] != 'q') || name[i + 2] != '_') continue;
    if (std::isdigit(static_cast<unsigned char>(name[i + 1])) == 0) continue;
    std::size_t end = i;
    while (end < name.size() && name[end] != '.' && name[end] != '-') ++end;
    return lower(name.substr(i, end - i));
  }
  return {};
}

std::string shape_key(std::string_view name) {
  std::string key;
  bool mix = false;
  const std::string gguf = gguf_mix_of(name);
  for (const std::string& word : words_of(last_part(name))) {
    mix = mix || (!gguf.empty() && gguf.starts_with(word) && word.size() == 2);
    if (mix || holds(tuning_words, word) || holds(ignored_words, word) || is_stored_word(word)) {
      continue;
    }
    key += word;
  }
  std::erase(key, '.');
  return key;
}

// Keys of the catalogue; a name without stored words wins over one with them.
const std::map<std::string, std::string>& catalogue_keys() {
  static const std::map<std::string, std::string> keys = [] {
    std::map<std::string, std::string> result;
    for (const std::string& name : model::catalogue_names()) {
      const auto words = words_of(last_part(name));
      const bool stored = std::ranges::any_of(words, is_stored_word);
      auto [at, added] = result.try_emplace(shape_key(name), name);
      if (!added && !stored) at->second = name;
    }
    return result;
  }();
  return keys;
}

bool is_revision(std::string_view rest) {
  if (rest.starts_with('v')) rest.remove_prefix(1);
  return rest.size() <= 4 &&
         std::ranges::all_of(rest, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// A published config of the same shape in the same format says which tensors stay as they were.
std::string stored_entry_of(const std::string& name, const std::string& format) {
  if (format.empty()) return {};
  for (const std::string& entry : model::catalogue_names()) {
    if (shape_key(entry) != shape_key(name)) continue;
    const auto words = words_of(last_part(entry));
    if (holds(words, format)) return entry;
  }
  return {};
}

std::string catalogue_name_of(const std::string& name) {
  const std::string key = shape_key(name);
  if (key.size() < 3) return {};
  const auto& keys = catalogue_keys();
  if (const auto found = keys.find(key); found != keys.end()) return found->second;
  // The same name with a revision behind it: "mistral7b" is "mistral7bv01".
  for (auto at = keys.lower_bound(key); at != keys.end() && at->first.starts_with(key); ++at) {
    if (is_revision(std::string_view(at->first).substr(key.size()))) return at->second;
  }
  // And the reverse: a dated release of a shape that the catalogue has under its plain name.
  if (key.size() > 8 && is_revision(std::string_view(key).substr(key.size() - 4))) {
    const auto dated = keys.find(key.substr(0, key.size() - 4));
    if (dated != keys.end()) return dated->second;
  }
  return {};
}

std::string format_of(const std::string& name, const std::string& quantisation) {
  const auto column = words_of(quantisation);
  const auto in_name = words_of(last_part(name));
  const std::string mix = gguf_mix_of(name);
  if (!mix.empty()) return mix;
  if (holds(column, "experts") && holds(column, "int8")) return "experts_int8";
  const bool eight = holds(column, "int8") || holds(in_name, "int8") || holds(column, "8bit");
  for (const auto& words : {column, in_name}) {
    for (const StoredWord& s : stored_words) {
      for (const std::string& word : words) {
        if (!word.starts_with(s.word)) continue;
        return eight && s.format == "gptq" ? std::string("int8") : std::string(s.format);
      }
    }
  }
  return {};
}

}  // namespace

std::optional<double> number_of(std::string_view cell) {
  const std::string text(trim(cell));
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> count_of(std::string_view cell) {
  const auto value = number_of(cell);
  return value && *value >= 0 ? std::optional(static_cast<std::uint64_t>(*value + 0.5))
                              : std::nullopt;
}

NamedModel named_model(const std::string& name, const std::string& quantisation) {
  NamedModel result;
  const std::string plain(trim(name));
  if (plain.empty() || plain == "unknown" || plain.front() == '(') {
    result.reason = "the row does not name its model";
    return result;
  }
  result.named = true;
  result.format = format_of(plain, quantisation);
  std::string entry = stored_entry_of(plain, result.format);
  if (entry.empty()) entry = catalogue_name_of(plain);
  auto found = model::catalogue_model(entry.empty() ? plain : entry);
  if (!found) {
    result.reason = entry.empty()
                        ? "the model's configuration is neither in the row nor in the catalogue"
                        : "catalogue: " + found.error().what;
    return result;
  }
  const bool as_stored =
      result.format.empty() || found->quantisation.method.find(result.format) != std::string::npos;
  if (as_stored) {
    result.model = std::move(*found);
    return result;
  }
  auto stored = model::with_weights(*found, result.format);
  if (!stored) {
    result.reason = "weights in " + result.format + ": " + stored.error().what;
    return result;
  }
  result.model = std::move(*stored);
  return result;
}

namespace {

// "T4 16GB class (T4) (inferred from total)": the name in front, then those in parentheses.
std::vector<std::string> names_in(const std::string& cell) {
  std::vector<std::string> names = {cell.substr(0, cell.find(" ("))};
  for (const std::string_view tail : {" class", " limited"}) {
    if (const std::size_t at = names[0].find(tail); at != std::string::npos) names[0].resize(at);
  }
  for (std::size_t at = cell.find('('); at != std::string::npos; at = cell.find('(', at + 1)) {
    names.push_back(cell.substr(at + 1, cell.find(')', at) - at - 1));
  }
  return names;
}

// Do all cards that the name may mean hold the same memory, within what ECC takes?
bool one_size(const facts::CardMatch& match) {
  const auto size = [](const facts::Accelerator* card) {
    return facts::usable_memory(*card).total.value.as_double();
  };
  const auto [least, most] = std::ranges::minmax_element(match.variants, {}, size);
  return size(*most) <= size(*least) * 1.1;
}

}  // namespace

std::optional<memory::CardMemory> named_card(const std::string& name,
                                             std::optional<double> total_gib) {
  static const auto catalogue = facts::Catalogue::embedded();
  memory::CardMemory card{.name = name.substr(0, name.find(" ("))};
  bool known = false;
  const bool guessed = name.find("guessed") != std::string::npos;
  for (const std::string& word : names_in(name)) {
    if (known || !catalogue || trim(word).empty()) continue;
    const facts::CardMatch match = catalogue->find_card(word);
    if (match.variants.empty() || (guessed && !one_size(match))) continue;
    const facts::Accelerator& first = *match.variants.front();
    card.compute_capability = first.compute_capability;
    card.host_links_only = first.link.empty();
    card.usable = facts::usable_memory(first).total;
    known = true;
  }
  if (total_gib) card.usable = ByteFigure::exact(gib(*total_gib));
  return known || total_gib ? std::optional(card) : std::nullopt;
}

std::string excluded(std::string_view source) {
  struct Bad {
    std::string_view source, reason;
  };
  constexpr Bad bad[] = {
      {"vllm-project/vllm#7878",
       "left out: 6.57 GiB on each of two stages cannot hold 12.2e9 16-bit parameters"},
      {"vllm-project/vllm#9420", "left out: 0.27 GiB cannot hold 7.2e9 8-bit parameters"},
      {"public GitHub file, index id 59673648832",
       "left out: its author expected half and calls the figure a fallback or duplicated tensors"},
  };
  for (const Bad& row : bad) {
    if (row.source == source) return std::string(row.reason);
  }
  return {};
}

bool mixed_layers(const model::Model& model) {
  return std::ranges::any_of(model.layers, [&](const model::Layer& layer) {
    return layer.mixer != model.layers.front().mixer;
  });
}

}  // namespace steelyard::accuracy

#include "model/gguf_mix_rules.h"

#include <algorithm>
#include <array>

#include "facts/facts.h"

namespace steelyard::model {
namespace {

struct NamedMix {
  std::string_view name, base;
};

// The rules below follow llama.cpp's quantiser (llama-quant.cpp). Q, K and V in one matrix are
// treated as its versions up to early 2026 did, which made nearly all such files.
constexpr NamedMix mixes[] = {
    {"q2_k", "q2_k"},       {"q2_k_s", "q2_k"},   {"q3_k_s", "q3_k"},  {"q3_k_m", "q3_k"},
    {"q3_k_l", "q3_k"},     {"q4_k_s", "q4_k"},   {"q4_k_m", "q4_k"},  {"q5_k_s", "q5_k"},
    {"q5_k_m", "q5_k"},     {"q6_k", "q6_k"},     {"iq1_s", "iq1_s"},  {"iq1_m", "iq1_m"},
    {"iq2_xxs", "iq2_xxs"}, {"iq2_xs", "iq2_xs"}, {"iq2_s", "iq2_xs"}, {"iq2_m", "iq2_s"},
    {"iq3_xxs", "iq3_xxs"}, {"iq3_xs", "iq3_s"},  {"iq3_s", "iq3_s"},  {"iq3_m", "iq3_s"},
    {"iq4_nl", "iq4_nl"},   {"iq4_xs", "iq4_xs"}, {"tq1_0", "tq1_0"},  {"tq2_0", "tq2_0"},
    {"mxfp4_moe", "mxfp4"}, {"mxfp4", "mxfp4"},
};

bool one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, word) != list.end();
}

bool below_three_bits(std::string_view mix) {
  return one_of(mix, {"iq1_s", "iq1_m", "iq2_xxs", "iq2_xs", "iq2_s", "iq2_m"});
}
bool upper_two_bits(std::string_view mix) {
  return one_of(mix, {"iq2_s", "iq2_m"});
}

// The first and last eighth of the layers, and every third between.
bool more_bits(std::uint64_t layer, std::uint64_t layers) {
  const std::uint64_t eighth = layers / 8;
  return layer < eighth || layer >= 7 * layers / 8 || (layer - eighth) % 3 == 2;
}

std::string_view head_type(const Mix& mix, const MixFacts& f, bool fills_blocks) {
  if (mix.base == "mxfp4" || f.falcon || !fills_blocks) return "q8_0";
  if (below_three_bits(mix.name) || mix.name == "iq3_xxs") return "q5_k";
  return mix.base == "q8_0" ? "q8_0" : "q6_k";
}

std::string_view embedding_type(const Mix& mix) {
  const std::string_view m = mix.name;
  if (one_of(m, {"iq2_xxs", "iq2_xs", "iq1_s", "iq1_m"})) return "q2_k";
  if (one_of(m, {"iq2_s", "iq2_m", "iq3_xxs"})) return "iq3_s";
  if (one_of(m, {"tq1_0", "tq2_0"})) return "q4_k";
  return mix.base;
}

std::string_view low_bits_type(const Mix& mix, const MixFacts& f, Role role, std::uint64_t layer) {
  const bool upper = upper_two_bits(mix.name);
  switch (role) {
    case Role::attention_v:
      if (f.grouping >= 4 || f.experts >= 4) return "q4_k";
      return upper ? "iq3_s" : "q2_k";
    case Role::attention_k:
      return f.experts == 8 ? std::string_view("q4_k") : mix.base;
    case Role::ffn_down:
    case Role::expert_down:
      if (layer < f.layers / 8) return upper ? "iq3_s" : "q2_k";
      return mix.base;
    case Role::attention_output:
      if (f.experts == 8) return "q5_k";
      if (one_of(mix.name, {"iq1_s", "iq1_m"})) return "iq2_xxs";
      return upper ? std::string_view("iq3_s") : mix.base;
    default:
      return mix.base;
  }
}

std::string_view value_type(const Mix& mix, const MixFacts& f, std::uint64_t index) {
  const std::string_view m = mix.name;
  const bool grouped = f.grouping >= 4;
  std::string_view type = mix.base;
  if (m == "q2_k") {
    type = grouped ? "q4_k" : "q3_k";
  } else if (m == "q2_k_s" && grouped) {
    type = "q4_k";
  } else if (m == "iq3_xxs") {
    type = grouped ? "q4_k" : mix.importance ? "iq3_xxs" : "iq3_s";
  } else if (one_of(m, {"iq3_xs", "iq3_s"}) && grouped) {
    type = "q4_k";
  } else if (m == "iq3_m") {
    type = "q4_k";
  } else if (m == "q3_k_m") {
    type = index < 2 ? "q5_k" : "q4_k";
  } else if (m == "q3_k_l") {
    type = "q5_k";
  } else if (one_of(m, {"iq4_nl", "iq4_xs"}) && grouped) {
    type = "q5_k";
  } else if (one_of(m, {"q4_k_m", "q5_k_m"}) && more_bits(index, f.values)) {
    type = "q6_k";
  } else if (m == "q4_k_s" && index < 4) {
    type = "q5_k";
  }
  if (f.seventy && one_of(type, {"q3_k", "q4_k"})) type = "q5_k";
  return f.experts == 8 ? "q8_0" : type;
}

std::string_view down_type(const Mix& mix, const MixFacts& f, std::uint64_t layer) {
  const std::string_view m = mix.name;
  const std::uint64_t n = f.layers;
  const bool early = layer < n / 8;
  if (m == "q2_k") return "q3_k";
  if (m == "q2_k_s") return early ? std::string_view("q4_k") : mix.base;
  if (m == "iq3_xxs" && !mix.importance) return early ? "q4_k" : "q3_k";
  if (m == "q3_k_m") {
    if (layer < n / 16) return "q5_k";
    return !f.falcon || more_bits(layer, n) ? "q4_k" : "q3_k";
  }
  if (m == "iq3_m") {
    return early || (f.experts == 8 && more_bits(layer, n)) ? std::string_view("q4_k") : mix.base;
  }
  if (m == "q3_k_l") return f.falcon ? "q4_k" : "q5_k";
  if (m == "q4_k_m") {
    if (f.falcon) return layer < n / 16 ? "q6_k" : more_bits(layer, n) ? "q5_k" : "q4_k";
    return more_bits(layer, n) ? "q6_k" : "q4_k";
  }
  if (one_of(m, {"iq4_nl", "iq4_xs"}) && early && !mix.importance) return "q5_k";
  if (m == "q5_k_m" && more_bits(layer, n)) return "q6_k";
  if (m == "q4_k_s" && !f.falcon && early) return "q5_k";
  return mix.base;
}

std::string_view output_type(const Mix& mix, const MixFacts& f) {
  const std::string_view m = mix.name;
  if (f.falcon) return m == "q3_k_l" ? std::string_view("q4_k") : mix.base;
  if (f.experts == 8) {
    return one_of(m, {"q2_k", "iq3_xs", "iq3_xxs", "q3_k_s", "q3_k_m", "iq4_nl", "q4_k_s", "q4_k_m",
                      "iq3_s", "iq3_m", "iq4_xs"})
               ? std::string_view("q5_k")
               : mix.base;
  }
  if (m == "q2_k") return "q3_k";
  if (m == "iq3_xxs") return "iq3_s";
  if (one_of(m, {"q3_k_m", "iq3_m"})) return "q4_k";
  return m == "q3_k_l" ? std::string_view("q5_k") : mix.base;
}

std::string_view inner_type(const Mix& mix, const MixFacts& f, Role role, std::uint64_t layer,
                            std::uint64_t value_index) {
  const std::string_view m = mix.name;
  switch (role) {
    case Role::attention_v:
      return value_type(mix, f, value_index);
    case Role::attention_k:
    case Role::attention_q:
      if (role == Role::attention_k && f.experts == 8) return "q8_0";
      if (m == "iq3_xs") return "iq3_xxs";
      return m == "iq3_xxs" ? std::string_view("iq2_s") : mix.base;
    case Role::ffn_down:
    case Role::expert_down:
    case Role::shared_down:
      return down_type(mix, f, layer);
    case Role::attention_output:
      return output_type(mix, f);
    case Role::attention_qkv:
      if (one_of(m, {"q3_k_m", "q3_k_l", "iq3_m"})) return "q4_k";
      if (m == "q4_k_m") return "q5_k";
      return m == "q5_k_m" ? std::string_view("q6_k") : mix.base;
    case Role::ffn_gate:
    case Role::ffn_up:
    case Role::expert_gate:
    case Role::expert_up:
    case Role::shared_gate:
    case Role::shared_up:
      if (m == "iq3_xs" && layer >= f.layers / 8 && layer < 7 * f.layers / 8) return "iq3_xxs";
      return mix.base;
    default:
      return mix.base;
  }
}

// Rows that do not fill the blocks of 256 take a type with blocks of 32, and failing that f16.
std::string_view fallback(std::string_view type) {
  if (type.starts_with("iq")) return "iq4_nl";
  if (one_of(type, {"q2_k", "q3_k", "tq1_0", "tq2_0"})) return "q4_0";
  if (type == "q4_k") return "q5_0";
  if (type == "q5_k") return "q5_1";
  if (type == "q6_k") return "q8_0";
  return "f16";
}

bool fills(std::string_view type, std::uint64_t columns) {
  const auto format = facts::find_format(type);
  return format && columns % format->block_elements == 0;
}

}  // namespace

std::optional<Mix> find_mix(std::string_view name) {
  std::string key = lower(trim(name));
  if (key.starts_with("mostly ")) key.erase(0, 7);
  for (const auto& [word, letter] :
       {std::pair{" - medium", "_m"}, std::pair{" - small", "_s"}, std::pair{" - large", "_l"}}) {
    if (const auto at = key.find(word); at != std::string::npos) key = key.substr(0, at) + letter;
  }
  if (const auto at = key.find(" - "); at != std::string::npos) key.erase(at);  // "- 4.25 bpw"
  std::ranges::replace(key, '-', '_');
  if (key == "q2_k_m") key = "q2_k";
  if (key == "q3_k" || key == "q4_k" || key == "q5_k") key += "_m";
  const auto found = std::ranges::find(mixes, key, &NamedMix::name);
  if (found != std::end(mixes)) {
    return Mix{std::string(found->name), std::string(found->base), key.starts_with("iq")};
  }
  // Any other type a GGUF file may hold is a mix of its own: that type, and more bits for the head.
  for (const facts::FormatRow& row : facts::format_rows()) {
    if (row.gguf_type >= 0 && row.name == key) return Mix{key, key, false};
  }
  const auto format = facts::find_format(key);
  for (const facts::FormatRow& row : facts::format_rows()) {
    if (format && row.gguf_type >= 0 && row.name == format->name) {
      return Mix{std::string(format->name), std::string(format->name), false};
    }
  }
  return std::nullopt;
}

std::string mix_type(const Mix& mix, const MixFacts& f, Role role, std::uint64_t layer,
                     std::uint64_t value_index, std::uint64_t columns) {
  if (one_of(mix.base, {"f64", "f32", "f16", "bf16"})) return mix.base;
  const bool head = role == Role::output_head || (role == Role::token_embedding && !f.head_stored);
  const bool experts =
      role == Role::expert_gate || role == Role::expert_up || role == Role::expert_down;
  std::string_view type;
  if (head) {
    type = head_type(mix, f, fills(mix.base, columns));
  } else if (mix.base == "mxfp4") {
    type = experts ? "mxfp4" : "q8_0";
  } else if (role == Role::token_embedding) {
    type = embedding_type(mix);
  } else if (below_three_bits(mix.name)) {
    type = low_bits_type(mix, f, role, layer);
  } else {
    type = inner_type(mix, f, role, layer, value_index);
  }
  if (!fills(type, columns)) type = fallback(type);
  return std::string(fills(type, columns) ? type : "f16");
}

}  // namespace steelyard::model

#include <algorithm>

#include <fmt/format.h>

#include "model/quantisation.h"

namespace steelyard::model {
namespace {

// A list cut short by whoever copied it: "... 93 entries[ in total]". What it shows of one layer is
// then taken to hold in every layer.
void complete_excerpt(std::vector<std::string>& patterns, std::vector<std::string>& notes) {
  const auto mark = std::ranges::find_if(patterns, [](const std::string& p) {
    return p.starts_with("... ") && (p.ends_with(" in total") || p.ends_with(" entries"));
  });
  if (mark == patterns.end()) return;
  patterns.erase(mark);
  for (std::string& pattern : patterns) {
    const std::size_t at = pattern.find("layers.");
    if (at == std::string::npos) continue;
    const std::size_t digits = at + 7;
    const std::size_t end = pattern.find_first_not_of("0123456789", digits);
    if (end == std::string::npos || end == digits || pattern[end] != '.') continue;
    if (pattern.size() < end + 3) continue;  // "layers.1.*": a whole layer, only that one
    pattern.replace(digits, end - digits, "*");
  }
  notes.push_back("assumed: the list of unquantised modules is an excerpt, applied to every layer");
}

std::optional<Packing> modelopt_packing(std::string_view algorithm, std::uint64_t group) {
  const std::string key = lower(algorithm);
  if (key == "fp8") return fp8_tensor_packing();
  if (key == "nvfp4" || key == "nvfp4_awq" || key == "w4a16_nvfp4") return nvfp4_packing();
  if (key == "mxfp4") return mxfp4_packing();
  if (key.starts_with("fp8_pb") || key == "fp8_block_scales") return fp8_block_packing(128, 128);
  if (key.starts_with("fp8_pc")) return fp8_channel_packing(4);
  if (key.find("awq") != std::string::npos) return awq_packing(4, group > 0 ? group : 128);
  if (key == "w8a8_sq" || key.find("int8") != std::string::npos) return int8_channel_packing();
  return std::nullopt;
}

void describe(Scheme& s, std::string method, const Packing& packing) {
  s.info.method = std::move(method);
  s.info.description = packing.description;
}

// Algorithms layer by layer; where that list was left out, experts or MLPs in NVFP4, rest in FP8.
void read_mixed(Scheme& s, const Fields& q) {
  s.info.method = "nvfp4";
  s.info.description = "mixed precision, NVFP4 and FP8";
  const std::string for_experts = q.text({"moe_quant_algo"});
  if (const auto packing = modelopt_packing(for_experts, 16)) {
    s.rules.push_back({.packing = *packing, .scope = Scope::experts});
    s.rules.push_back({.packing = fp8_block_packing(128, 128), .scope = Scope::not_experts});
    // Its ignore list speaks of the four-bit part only; the rest keeps the file's own FP8.
    s.ignore.clear();
    return;
  }
  if (q.is_object("quantized_layers")) {
    const Fields layers = q.object("quantized_layers");
    for (const std::string& name : layers.keys()) {
      if (!layers.is_object(name)) continue;
      const Fields entry = layers.object(name);
      const auto packing =
          modelopt_packing(entry.text({"quant_algo"}), entry.number({"group_size"}, 0));
      if (packing) s.rules.push_back({.packing = *packing, .targets = {name}});
    }
    return;
  }
  s.notes.push_back(
      "assumed: feed-forward matrices in NVFP4, all others in FP8; the list by layer is not here");
  s.rules.push_back({.packing = nvfp4_packing(), .scope = Scope::feed_forward});
  s.rules.push_back({.packing = fp8_tensor_packing()});
}

void read_kv(Scheme& s, const Fields& q) {
  std::string word = lower(q.text({"kv_cache_quant_algo", "kv_cache_scheme"}));
  if (q.is_object("kv_cache_scheme")) {
    const Fields scheme = q.object("kv_cache_scheme");
    const std::uint64_t bits = scheme.number({"num_bits"}, 0, 64);
    word = fmt::format("{}{}", scheme.text({"type"}) == "float" ? "fp" : "int", bits);
  }
  if (!word.empty() && word != "none") s.info.kv_format = word;
}

void read_modelopt(Scheme& s, const Fields& q) {
  const std::string algorithm = q.text({"quant_algo"});
  if (lower(algorithm) == "mixed_precision") return read_mixed(s, q);
  const auto packing = modelopt_packing(algorithm, q.number({"group_size"}, 0));
  if (!packing) {
    s.info.method = lower(algorithm);
    s.notes.push_back(fmt::format("not established: bytes of quant_algo {}", algorithm));
    return;
  }
  describe(s, packing->method, *packing);
  s.rules.push_back({.packing = *packing});
}

// One config group of compressed-tensors. Errors none: an unknown kind adds a note.
std::optional<Packing> group_packing(const Fields& group, const std::string& outer_format) {
  const Fields w = group.object("weights");
  std::string format = group.text({"format"});
  if (format.empty()) format = outer_format;
  const std::uint64_t bits = w.number({"num_bits"}, 0, 64);
  const std::uint64_t size = w.is_negative("group_size") ? 0 : w.number({"group_size"}, 0);
  const std::string strategy = w.text({"strategy"});
  const bool is_float = w.text({"type"}) == "float";
  if (is_float && bits == 4) {
    return format.starts_with("mxfp4") || size == 32 ? mxfp4_packing() : nvfp4_packing();
  }
  if (is_float && bits == 8) {
    const auto block = w.numbers("block_structure");
    if (block.size() == 2 && block[0] > 0 && block[1] > 0) {
      return fp8_block_packing(block[0], block[1]);
    }
    return strategy == "channel" ? fp8_channel_packing(2) : fp8_tensor_packing(1);
  }
  const bool g_idx = w.text({"actorder"}) == "group" || w.text({"actorder"}) == "static";
  if (!is_float && bits == 8 && format.find("pack") == std::string::npos) {
    return int8_channel_packing();
  }
  if (!is_float && bits > 0 && bits <= 8) {
    return packed_int_packing(bits, strategy == "channel" ? 0 : size, w.flag({"symmetric"}, true),
                              g_idx);
  }
  return std::nullopt;
}

void read_groups(Scheme& s, const Fields& q) {
  s.info.method = "compressed-tensors";
  const Fields groups = q.object("config_groups");
  for (const std::string& name : groups.keys()) {
    const Fields group = groups.object(name);
    const auto packing = group_packing(group, q.text({"format"}));
    if (!packing) {
      s.notes.push_back(fmt::format("not established: bytes of {}", q.path(name)));
      continue;
    }
    PackingRule rule{.packing = *packing};
    for (const std::string& target : group.texts("targets")) {
      if (target == "Linear") {  // every linear module: no pattern at all
        rule.targets.clear();
        break;
      }
      rule.targets.push_back(target);
    }
    if (s.rules.empty()) s.info.description = "compressed-tensors, " + packing->description;
    s.rules.push_back(std::move(rule));
  }
}

void read_fp8(Scheme& s, const Fields& q) {
  const auto block = q.numbers("weight_block_size");
  const bool blocks = block.size() == 2 && block[0] > 0 && block[1] > 0;
  const bool fixed = q.text({"activation_scheme"}) == "static";
  const Packing packing =
      blocks ? fp8_block_packing(block[0], block[1]) : fp8_tensor_packing(fixed ? 2 : 1);
  describe(s, "fp8", packing);
  s.rules.push_back({.packing = packing});
}

void read_bitsandbytes(Scheme& s, const Fields& q) {
  const bool eight = q.flag({"load_in_8bit", "_load_in_8bit"}, false);
  const Packing packing =
      eight ? bnb8_packing() : nf4_packing(q.flag({"bnb_4bit_use_double_quant"}, false));
  describe(s, packing.method, packing);
  s.rules.push_back({.packing = packing});
}

// DeepSeek-V4 publishes four-bit experts and FP8 for the rest, with 8-bit exponents as scales.
void read_four_bit_experts(Scheme& s) {
  describe(s, "mxfp4", mxfp4_packing());
  s.rules.push_back({.packing = mxfp4_packing(), .scope = Scope::experts});
  s.rules.push_back({.packing = fp8_block_packing(128, 128, 1), .scope = Scope::not_experts});
}

// The method's own reader; false when we have none.
bool read_method(Scheme& s, const Fields& q, const std::string& method) {
  const std::uint64_t bits = q.number({"bits", "w_bit", "num_bits"}, 4, 64);
  if (bits == 0 || bits > 16) {
    q.report({.kind = ErrorKind::bad_input,
              .what = fmt::format("weights of {} bits", bits),
              .field = q.path("bits"),
              .try_this = "2, 3, 4 or 8 bits are what engines read"});
  }
  // -1 in these files means one group as long as the row.
  const std::uint64_t group =
      q.is_negative("group_size") ? 0 : q.number({"group_size", "q_group_size"}, 0);
  if (method == "awq" || method == "gptq" || method == "gptqmodel" || method == "auto-round") {
    const Packing packing = method == "awq" ? awq_packing(bits, group) : gptq_packing(bits, group);
    describe(s, packing.method, packing);
    s.rules.push_back({.packing = packing});
  } else if (q.is_object("config_groups") && !q.has("quant_algo")) {
    read_groups(s, q);
  } else if (q.has("quant_algo")) {
    read_modelopt(s, q);
  } else if (method == "fp8") {
    read_fp8(s, q);
  } else if (method == "fbgemm_fp8") {
    const Packing packing = fp8_channel_packing(4);
    describe(s, "fp8", packing);
    s.rules.push_back({.packing = packing});
  } else if (method == "mxfp4") {
    describe(s, "mxfp4", mxfp4_packing());
    s.rules.push_back({.packing = mxfp4_packing(), .scope = Scope::experts});
  } else if (method == "experts_int8") {
    describe(s, "int8", int8_channel_packing());
    s.rules.push_back({.packing = int8_channel_packing(), .scope = Scope::experts});
  } else if (method == "bitsandbytes" || q.has_any({"load_in_4bit", "load_in_8bit"})) {
    read_bitsandbytes(s, q);
  } else {
    return false;
  }
  return true;
}

Fields scheme_fields(const Fields& root, const Fields& text) {
  for (const Fields& part : {root, text}) {
    for (const std::string_view name :
         {"quantization_config", "compression_config", "hf_quant_config"}) {
      if (!part.is_object(name)) continue;
      const Fields q = part.object(name);
      return q.is_object("quantization") ? q.object("quantization") : q;
    }
  }
  return {};
}

}  // namespace

std::optional<Scheme> read_scheme(const Fields& root, const Fields& text) {
  Scheme s;
  const Fields q = scheme_fields(root, text);
  if (!q.present()) {
    if (lower(text.text({"expert_dtype"})) != "fp4") return std::nullopt;
    s.notes.push_back("assumed: FP8 in 128 x 128 blocks beside the four-bit experts");
    read_four_bit_experts(s);
    return s;
  }
  for (const char* name : {"ignore", "ignored_layers", "modules_to_not_convert", "exclude_modules",
                           "llm_int8_skip_modules"}) {
    const auto listed = q.texts(name);
    s.ignore.insert(s.ignore.end(), listed.begin(), listed.end());
  }
  complete_excerpt(s.ignore, s.notes);
  const std::string method = lower(q.text({"quant_method"}));
  const bool four_bit_experts = lower(text.text({"expert_dtype"})) == "fp4";
  if (four_bit_experts && method == "fp8" && !q.has("quant_algo")) {
    read_four_bit_experts(s);
  } else if (!read_method(s, q, method)) {
    s.info.method = method.empty() ? "unknown" : method;
    s.notes.push_back(fmt::format(
        "not established: bytes of quantisation method {}; counted unquantised", s.info.method));
  }
  read_kv(s, q);
  return s;
}

}  // namespace steelyard::model

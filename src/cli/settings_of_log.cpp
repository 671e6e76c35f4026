#include "cli/settings_of_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace steelyard::cli {
namespace {

using logs::Program;
using logs::Setting;

std::uint64_t whole(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Engines write types as torch does, llama.cpp as ggml does; empty where the engine chose.
std::string format_word(std::string_view text) {
  constexpr auto words =
      std::to_array<std::pair<std::string_view, std::string_view>>({{"bfloat16", "bf16"},
                                                                    {"float16", "fp16"},
                                                                    {"half", "fp16"},
                                                                    {"float32", "fp32"},
                                                                    {"float", "fp32"},
                                                                    {"fp8_e4m3", "fp8"},
                                                                    {"fp8_e5m2", "fp8_e5m2"},
                                                                    {"fp8_inc", "fp8"},
                                                                    {"float8_e4m3fn", "fp8"},
                                                                    {"float8_e4m3fnuz", "fp8"},
                                                                    {"float8_e5m2", "fp8_e5m2"},
                                                                    {"auto", ""}});
  const auto found =
      std::ranges::find(words, text, &std::pair<std::string_view, std::string_view>::first);
  return std::string(found == words.end() ? text : found->second);
}

// One log setting as an option's value; empty where it says nothing to the sum.
std::string option_value(const Arguments& given, const logs::StartupLog& log,
                         const logs::Option& one) {
  switch (one.setting) {
    case Setting::kv_format:
      // "auto" is the compute type, unless the checkpoint says more: a contradiction at most.
      if (one.value == "auto" && given.has("--kv")) {
        const logs::Option* type = log.option(Setting::dtype);
        return type == nullptr ? "auto" : format_word(type->value);
      }
      return format_word(one.value);
    case Setting::dtype:
      return format_word(one.value);
    case Setting::eager:
      return one.value == "True" ? "off" : "";
    case Setting::flash_attention: {
      const std::string value = lower(one.value);
      const bool on = value == "1" || value == "true" || value == "enabled" || value == "on";
      const bool off = value == "0" || value == "false" || value == "disabled" || value == "off";
      return on ? "on" : off ? "off" : "";
    }
    case Setting::kv_keys: {
      const logs::Option* values = log.option(Setting::kv_values);
      return values == nullptr ? one.value : fmt::format("{},{}", one.value, values->value);
    }
    case Setting::layers_on_cards:
      return one.value.substr(0, one.value.find('/'));
    default:
      return one.value;
  }
}

struct Pair {
  Setting setting;
  std::string_view option;
};
constexpr auto pairs = std::to_array<Pair>({{Setting::tp, "--tp"},
                                            {Setting::pp, "--pp"},
                                            {Setting::ep, "--ep"},
                                            {Setting::dcp, "--dcp"},
                                            {Setting::dtype, "--dtype"},
                                            {Setting::kv_format, "--kv"},
                                            {Setting::utilization, "--memory-utilization"},
                                            {Setting::batched_tokens, "--max-batched-tokens"},
                                            {Setting::sequences, "--max-num-seqs"},
                                            {Setting::eager, "--cuda-graphs"},
                                            {Setting::draft_tokens, "--mtp"},
                                            {Setting::total_context, "--ctx-size"},
                                            {Setting::micro_batch, "--ubatch"},
                                            {Setting::flash_attention, "--flash-attention"},
                                            {Setting::kv_keys, "--kv"},
                                            {Setting::layers_on_cards, "--gpu-layers"}});

// Whether two ways to write a value mean the same: 8k and 8192, 0.9 and 0.90, fp8 and FP8.
bool same_value(std::string_view option, const std::string& given, const std::string& logged) {
  if (lower(given) == lower(logged)) return true;
  const auto a = parse_number(given, option), b = parse_number(logged, option);
  if (a && b) return *a == *b;
  const auto x = parse_tokens(given, option), y = parse_tokens(logged, option);
  if (x && y) return *x == *y;
  const auto f = facts::find_format(given), g = facts::find_format(logged);
  return f && g && f->name == g->name;
}

void merge(std::string_view option, const std::string& logged, std::uint64_t line, FromLog& out) {
  if (logged.empty()) return;
  auto& values = out.arguments.values;
  if (const auto given = values.find(option); given != values.end()) {
    if (!same_value(option, given->second.front(), logged)) {
      out.conflicts.push_back({std::string(option), given->second.front(), logged, line});
    }
    return;
  }
  values[std::string(option)] = {logged};
  out.taken.push_back({std::string(option), logged, line});
}

// The engine with its version: the log's, unless the user named another.
void merge_engine(const logs::StartupLog& log, FromLog& out) {
  std::string name(logs::program_name(log.program));
  if (log.program == Program::vllm && log.v0) name = "vllm-v0";
  const bool known = !log.version.empty() && memory::parse_version(log.version).has_value();
  const std::string whole_name = known ? fmt::format("{}@{}", name, log.version) : name;
  auto& given = out.arguments.values["--engine"];
  if (given.empty()) {
    given = {whole_name};
    out.taken.push_back({"--engine", whole_name, known ? log.version_line : log.first_line});
    return;
  }
  const std::size_t at = given.front().find('@');
  if (at == std::string::npos) {
    given = {whole_name};
  } else if (known && trim(given.front().substr(at + 1)) != log.version) {
    out.conflicts.push_back({"--engine", given.front(), whole_name, log.version_line});
  }
}

void merge_data_parallel(const logs::StartupLog& log, FromLog& out) {
  const logs::Option* dp = log.option(Setting::dp);
  if (dp != nullptr) {
    const bool attention = log.option(Setting::attention_dp) != nullptr;
    merge(attention ? "--attention-dp" : "--dp", dp->value, dp->line, out);
  }
  // vLLM spreads experts over all cards of an engine; SGLang says how many.
  const logs::Option* experts = log.option(Setting::expert_parallel);
  if (experts == nullptr || experts->value != "True") return;
  const logs::Option* tp = log.option(Setting::tp);
  const std::uint64_t cards = std::max<std::uint64_t>(1, tp == nullptr ? 1 : whole(tp->value)) *
                              std::max<std::uint64_t>(1, dp == nullptr ? 1 : whole(dp->value));
  if (cards <= 65536) merge("--ep", std::to_string(cards), experts->line, out);
}

// Cards that llama.cpp put buffers on.
std::uint32_t cards_at_work(const logs::StartupLog& log) {
  std::set<std::string> cards;
  for (const logs::Amount& one : log.amounts) {
    std::string name = one.where.substr(0, one.where.find("_Mapped"));
    const bool host = name.empty() || name.starts_with("CPU") || name.ends_with("_Host") ||
                      name == "AMX" || name == "BLAS";
    if (one.term >= logs::Term::model_buffer && !host) cards.insert(std::move(name));
  }
  return u32(cards.size());
}

// "Q4_K - Medium" is Q4_K_M, "IQ3_XXS - 3.0625 bpw" is IQ3_XXS, "mostly Q4_0" is Q4_0.
std::string file_type_word(std::string_view text) {
  for (const std::string_view before : {"mostly ", "all "}) {
    if (text.starts_with(before)) text.remove_prefix(before.size());
  }
  const std::size_t dash = text.find(" - ");
  std::string word(text.substr(0, dash));
  if (dash == std::string_view::npos) return word;
  const std::string_view size = text.substr(dash + 3);
  for (const std::string_view name : {"Small", "Medium", "Large"}) {
    if (size == name) word += std::string("_") + name.front();
  }
  return word;
}

// What the engines call a format of weights, as --weights calls it; empty: no name here.
std::string weight_word(const logs::StartupLog& log, std::string_view text) {
  if (log.program == Program::llama_cpp || log.program == Program::ollama) {
    return file_type_word(text);
  }
  constexpr auto words =
      std::to_array<std::pair<std::string_view, std::string_view>>({{"fp8", "fp8"},
                                                                    {"awq", "awq"},
                                                                    {"awq_marlin", "awq"},
                                                                    {"gptq", "gptq"},
                                                                    {"gptq_marlin", "gptq"},
                                                                    {"bitsandbytes", "nf4"},
                                                                    {"modelopt", "fp8"},
                                                                    {"modelopt_fp4", "nvfp4"},
                                                                    {"mxfp4", "mxfp4"}});
  const auto found =
      std::ranges::find(words, text, &std::pair<std::string_view, std::string_view>::first);
  return std::string(found == words.end() ? std::string_view() : found->second);
}

Status read_question(FromLog& out) {
  auto& values = out.arguments.values;
  for (const auto& [option, target] : {std::pair("--context", &out.question.context),
                                       {"--concurrency", &out.question.concurrency}}) {
    const auto given = values.find(option);
    if (given == values.end()) continue;
    auto parsed = parse_tokens(given->second.front(), option);
    if (!parsed) return std::unexpected(parsed.error());
    *target = *parsed;
    values.erase(given);
  }
  return {};
}

FromLog with_cards(const logs::StartupLog& log, FromLog out) {
  const std::uint32_t cards = cards_at_work(log);
  out.cards = std::max(1U, cards);
  if (cards == 0 && log.option(Setting::layers_on_cards) == nullptr) {
    merge("--gpu-layers", "0", log.first_line, out);
  }
  return out;
}

}  // namespace

void take_weights(const logs::StartupLog& log, FromLog& from) {
  const logs::Option* format = log.option(Setting::quantization);
  if (format == nullptr) return;
  merge("--weights", weight_word(log, format->value), format->line, from);
}

std::optional<Program> program_of(memory::EngineKind kind) {
  switch (kind) {
    case memory::EngineKind::vllm:
      return Program::vllm;
    case memory::EngineKind::sglang:
      return Program::sglang;
    case memory::EngineKind::llama_cpp:
      return Program::llama_cpp;
    case memory::EngineKind::ollama:
      return Program::ollama;
    default:
      return std::nullopt;
  }
}

Result<FromLog> settings_of_log(const Arguments& arguments, const logs::StartupLog& log) {
  FromLog out{.arguments = arguments};
  if (auto read = read_question(out); !read) return std::unexpected(read.error());
  merge_engine(log, out);
  for (const Pair& pair : pairs) {
    if (const logs::Option* one = log.option(pair.setting)) {
      merge(pair.option, option_value(arguments, log, *one), one->line, out);
    }
  }
  merge_data_parallel(log, out);
  if (const logs::Option* context = log.option(Setting::context)) {
    merge("--context", context->value, context->line, out);
  } else if (out.question.context && log.option(Setting::total_context) == nullptr) {
    out.arguments.values["--context"] = {std::to_string(*out.question.context)};
  }
  const bool ggml = log.program == Program::llama_cpp || log.program == Program::ollama;
  if (!ggml) return out;
  // Four slots that nobody asked for share one cache; asked for, each would have its own.
  const logs::Option* unified = log.option(Setting::unified);
  const bool by_default = unified != nullptr && unified->value == "true";
  const logs::Option* slots = log.option(Setting::slots);
  if (slots != nullptr && by_default && slots->value == "4") return with_cards(log, std::move(out));
  if (slots != nullptr) {
    merge("--concurrency", slots->value, slots->line, out);
  } else {
    out.arguments.values["--concurrency"] = {"1"};  // logs before slots were printed
  }
  return with_cards(log, std::move(out));
}

}  // namespace steelyard::cli

// Engine names and versions, as the engines themselves write them.
#include <cctype>

#include "memory/engines/engine.h"

namespace steelyard::memory {
namespace {

// Digits at the front; leaves the rest. Nothing when there is none or the number is absurd.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value = 0;
  std::size_t used = 0;
  while (used < text.size() && std::isdigit(static_cast<unsigned char>(text[used])) != 0) {
    if (used == 9) return std::nullopt;
    value = value * 10 + static_cast<std::uint32_t>(text[used] - '0');
    ++used;
  }
  if (used == 0) return std::nullopt;
  text.remove_prefix(used);
  return value;
}

std::string known_engines() {
  std::string names;
  for (const EngineRules& rules : engine_list()) {
    if (!names.empty()) names += ", ";
    names += rules.name;
  }
  return names;
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
  Version version;
  version.text = std::string(trim(text));
  std::string_view rest = version.text;
  if (!rest.empty() && (rest[0] == 'b' || rest[0] == 'v' || rest[0] == 'B' || rest[0] == 'V')) {
    rest.remove_prefix(1);
  }
  for (std::size_t i = 0; i < version.parts.size(); ++i) {
    const auto number = take_number(rest);
    if (!number) return i == 0 ? std::nullopt : std::optional(version);
    version.parts[i] = *number;
    if (rest.empty() || rest[0] != '.') break;
    rest.remove_prefix(1);
  }
  // What follows must be a suffix such as rc3, .dev148+g..., -12-gabc, not more letters of a word.
  const bool suffix = rest.empty() || rest[0] == '.' || rest[0] == '-' || rest[0] == '+' ||
                      rest.starts_with("rc") || rest.starts_with("post") ||
                      rest.starts_with("dev") || rest.starts_with("a") || rest.starts_with("b") ||
                      std::isdigit(static_cast<unsigned char>(rest[0])) != 0;
  if (!suffix) return std::nullopt;
  return version;
}

std::string_view engine_name(EngineKind kind) {
  return rules_of(kind).name;
}

Result<Engine> parse_engine(std::string_view text) {
  const std::string_view whole = trim(text);
  const std::size_t at = whole.find('@');
  const std::string word = lower(trim(whole.substr(0, at)));
  for (const EngineRules& rules : engine_list()) {
    const bool v0 = rules.kind == EngineKind::vllm && word == "vllm-v0";
    bool named = word == rules.name || v0;
    for (const std::string_view spelling : split(rules.spellings, ' ')) {
      named = named || (!spelling.empty() && word == spelling);
    }
    if (!named) continue;
    Engine engine{.kind = rules.kind, .version = std::nullopt, .v0 = v0};
    if (at == std::string_view::npos) return engine;
    engine.version = parse_version(whole.substr(at + 1));
    if (!engine.version) {
      return fail({.kind = ErrorKind::usage,
                   .what = "\"" + std::string(whole.substr(at + 1)) + "\" is not a version",
                   .field = "--engine",
                   .try_this = "write it as the engine does: vllm@0.8.3, llama.cpp@b6123"});
    }
    return engine;
  }
  return fail({.kind = ErrorKind::usage,
               .what = "unknown engine \"" + word + "\"",
               .field = "--engine",
               .try_this = "known engines: " + known_engines()});
}

}  // namespace steelyard::memory

// Names of engines and settings, and the look-ups of a start.
#include <algorithm>
#include <array>

#include "logs/logs.h"

namespace steelyard::logs {
namespace {

template <typename List, typename Key, typename Member>
const typename List::value_type* found(const List& list, Key key, Member member) {
  const auto at = std::ranges::find(list, key, member);
  return at == list.end() ? nullptr : &*at;
}

}  // namespace

std::string_view program_name(Program program) {
  constexpr auto names = std::to_array<std::string_view>({"vllm", "sglang", "llama.cpp", "ollama"});
  return names[static_cast<std::size_t>(program)];
}

std::string_view setting_words(Setting setting) {
  constexpr auto words = std::to_array<std::string_view>({"model",
                                                          "compute type",
                                                          "weight format",
                                                          "context",
                                                          "context of all slots",
                                                          "slots",
                                                          "context of a slot",
                                                          "one cache for all slots",
                                                          "KV format",
                                                          "K format",
                                                          "V format",
                                                          "memory utilisation",
                                                          "tokens per step",
                                                          "sequences at once",
                                                          "tensor parallel",
                                                          "pipeline parallel",
                                                          "data parallel",
                                                          "expert parallel",
                                                          "decode context parallel",
                                                          "data parallel attention",
                                                          "experts over all cards",
                                                          "eager mode",
                                                          "block size",
                                                          "pool given",
                                                          "draft tokens of its own layers",
                                                          "speculative decoding",
                                                          "weights in host memory",
                                                          "flash attention",
                                                          "micro-batch",
                                                          "layers on cards",
                                                          "card"});
  return words[static_cast<std::size_t>(setting)];
}

const Option* StartupLog::option(Setting setting) const {
  return found(options, setting, &Option::setting);
}
const Amount* StartupLog::amount(Term term) const {
  return found(amounts, term, &Amount::term);
}
const Count* StartupLog::count(Counted what) const {
  return found(counts, what, &Count::what);
}

}  // namespace steelyard::logs

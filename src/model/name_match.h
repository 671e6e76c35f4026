// What a model's name says: its family and size words, its variant, and its weight format.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::model {

struct NameParts {
  std::vector<std::string> hard;  // sorted words that must agree: "qwen", "2.5", "vl", "7b"
  std::vector<std::string> soft;  // variant words: "instruct", "chat", dates
  std::string version;            // "v0.1": must agree where both have one
  std::string format;             // "awq", "gptq", "fp8", "q4_k_m" ...; empty: as published
  bool has_size = false;          // some word is a size
};

// "Qwen/Qwen2___5-7B-Instruct-AWQ" -> {qwen 2.5 7b}, {instruct}, "", "awq". Only the part after
// the last '/' is read; case, '_' against '-', and "3-1" against "3.1" do not matter.
NameParts name_parts(std::string_view name);

// Whether two names mean one shape, whatever their variant and format.
bool same_shape(const NameParts& wanted, const NameParts& candidate);

// The words that `candidate` has beyond all of `wanted`'s; nothing when it lacks one of them.
std::optional<std::vector<std::string>> words_beyond(const NameParts& wanted,
                                                     const NameParts& candidate);

// Whether `candidate` is `wanted` with its size said: "llama-4-scout" of "Llama-4-Scout-17B-16E".
// One word alone ("qwen") names a maker.
bool only_lacks_size(const NameParts& wanted, const NameParts& candidate);

// What else a name may have meant, nearest first, for when it fits nothing as it stands: without
// remarks in brackets ("Qwen3-8B (ollama)"; a size in them counts where the name has none), "_" for
// "/" behind an organisation, "1_5b" for "1.5b", the first of two models joined by "/" ("V3/R1").
std::vector<std::string> other_spellings(std::string_view name);

// Number of variant words that only one of the two has.
int variant_difference(const NameParts& a, const NameParts& b);

}  // namespace steelyard::model

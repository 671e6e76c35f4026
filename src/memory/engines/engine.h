// What each engine's file brings: its rules as a few functions. One file, one line in engines.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "memory/memory.h"

namespace steelyard::memory {

// The length an engine is sized for when none was given, and why that one.
struct DefaultContext {
  std::uint64_t tokens = 0;
  std::string why;
};

struct EngineRules {
  EngineKind kind;
  std::string_view name;       // as the engine writes itself, the word of --engine
  std::string_view spellings;  // other accepted words, separated by blanks
  std::string_view newest;     // version whose rules are the newest known; empty: one set for all

  // Requests come resolved (asked.h). Fills ranks (terms, repeats, name, host), budget, capacity,
  // buffers, assumptions, warnings, refusal. Totals, free room, verdict and launch line are added
  // by the caller (size.cpp), alike for all engines. `budget` is only read when the request has a
  // card. Errors: usage, missing_field.
  Result<Answer> (*size)(const model::Model& model, const Request& request);

  // See memory.h. Called only for models whose layers are known.
  ByteFigure (*kv_bytes_per_token)(const model::Model& model, const Request& request);

  // The engine's command line for this placement and workload; defaults need not be repeated.
  std::string (*launch)(const model::Model& model, const Request& request, const Answer& answer);

  // Null: the usual length of asked.h.
  DefaultContext (*default_context)(const model::Model& model, const Request& request) = nullptr;

  // What alternatives() may propose, from many bits to few, as with_weights() spells them.
  std::span<const std::string_view> weight_formats;
  std::span<const std::string_view> kv_formats;
  // Whether more cards need a tensor parallel size that divides the heads (else layers are split).
  bool cards_by_tensor_parallel = true;
};

EngineRules vllm_rules();
EngineRules sglang_rules();
EngineRules tensorrt_llm_rules();
EngineRules transformers_rules();
EngineRules llama_cpp_rules();
EngineRules ollama_rules();

// All engines, in the order in which help lists them.
std::span<const EngineRules> engine_list();
const EngineRules& rules_of(EngineKind kind);

}  // namespace steelyard::memory

// From options to what memory/ is asked.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "facts/facts.h"
#include "memory/memory.h"
#include "offers/offers.h"

namespace steelyard::cli {

// One card argument with all it may mean; the first variant is taken.
struct CardChoice {
  std::string asked;  // as typed, without the count
  std::uint32_t count = 1;
  std::vector<const facts::Accelerator*> variants;  // empty: from --gpu-memory
  bool assumed = false;
  std::vector<memory::CardMemory> memory;  // one per variant, at least one
};

// "H100:2", "2x RTX 4090", "A100 80GB". Errors: usage.
Result<std::pair<std::string, std::uint32_t>> split_card_count(std::string_view text);

// What a word means wherever a card is expected: a card, several of one, or an instance type.
struct NamedCards {
  std::string asked;                         // as typed, without the count
  std::optional<std::uint32_t> count;        // said in the text
  facts::CardMatch match;                    // never empty
  std::optional<offers::Instance> instance;  // the type that holds them
};
// Errors: usage; not_found with the nearest names, or why an instance type does not exist.
Result<NamedCards> named_cards(const facts::Catalogue& catalogue, std::string_view text,
                               std::string_view field);

// All --gpu (and --gpu-memory) of the command line. Errors: not_found with the nearest names.
Result<std::vector<CardChoice>> card_choices(const Arguments& arguments,
                                             const facts::Catalogue& catalogue);

// --engine, or llama.cpp for GGUF and on a Mac, and vLLM for all else. Errors: usage.
Result<memory::Engine> engine_of(const Arguments& arguments, const model::Model& model,
                                 const memory::CardMemory* card = nullptr);

// The sizes of --tp, --pp and so on as typed; `auto` and 0 read as 0. Errors: usage.
Status read_placement(const Arguments& arguments, memory::Placement& place);

// Engine, placement and workload. The request's card is left empty; `cards` decide `auto`, `card`
// which engine is meant where none is named.
Result<memory::Request> read_request(const Arguments& arguments, const model::Model& model,
                                     std::uint32_t cards, const memory::CardMemory* card = nullptr);

}  // namespace steelyard::cli

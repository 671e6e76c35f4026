// The answer of `size` in every format. Pure: values in, text out.
#pragma once

#include <string>
#include <vector>

#include "facts/facts.h"
#include "memory/memory.h"
#include "pick/pick.h"

namespace steelyard::report {

// What another variant of the card, fitting the same name, would have answered.
struct VariantAnswer {
  std::string name;
  memory::Verdict verdict;
  ByteFigure free;
};

// One card asked about, or the sum without a card.
struct SizeCase {
  memory::Request request;
  memory::Answer answer;
  std::string asked;  // the card's name as typed; empty without a card
  const facts::Accelerator* card = nullptr;
  bool card_assumed = false;
  std::vector<VariantAnswer> variants;  // the others, when the name fits several
  std::vector<memory::Alternative> alternatives;
  std::vector<pick::CardFit> smallest;  // without a card: what would hold it
};

struct SizeDocument {
  const model::Model& model;
  std::string argument;  // MODEL as typed
  std::vector<SizeCase> cases;
};

struct TextStyle {
  bool color = false;
  bool quiet = false;
  bool explain = false;
};

std::string size_text(const SizeDocument& document, TextStyle style);
std::string size_json(const SizeDocument& document);
std::string size_csv(const SizeDocument& document);
std::string size_markdown(const SizeDocument& document);

// The rule of thumb people use for the same question, beside the real sum.
struct RuleOfThumb {
  std::string rule;
  Bytes bytes;
  std::string verdict;  // how far it is off, and why when it misleads
};
RuleOfThumb rule_of_thumb(const model::Model& model, const memory::Answer& answer);

}  // namespace steelyard::report

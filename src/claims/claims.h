// Front header: what an advert or an article says of a card, and every meaning that fits its
// figures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.h"

namespace steelyard::claims {

enum class Measure { rate, memory, bandwidth, power, feature };

// A figure as it stands in the text, in base units (FLOP/s, bytes, bytes/s, watts).
struct Figure {
  Measure quantity = Measure::rate;
  double value = 0;
  double tolerance = 0.01;      // relative: one per cent, or half of the last printed digit
  std::string text;             // as written: "1248TFLOPS"
  std::size_t at = 0, end = 0;  // bytes of the folded text
  bool integer_unit = false;    // TOPS
  bool labelled_gb = true;      // GB or G, not GiB
};

// How a reading stands to what a buyer thinks it says.
enum class Verdict { right, not_comparable, misleading, wrong, impossible };
std::string_view verdict_word(Verdict verdict);

// One meaning that reproduces a figure.
struct Reading {
  const facts::Accelerator* card = nullptr;
  std::string figure;      // the text it reads
  std::string meaning;     // one sentence
  double value = 0;        // what the catalogue gives for this meaning
  std::string unit;        // "FLOP/s", "B", "B/s", "W"
  std::string precision;   // "fp16", "" where it does not apply
  std::string accumulate;  // "fp32", "fp16", ""
  bool sparse = false;
  std::uint32_t cards = 1;
  bool plausible = true;  // nothing else in the text speaks against it
  Verdict verdict = Verdict::right;
  std::string because;  // why it is not simply right, or not plausible
};

// A figure that no meaning reproduces.
struct Unread {
  std::string figure;
  Verdict verdict = Verdict::wrong;
  std::string because;  // the nearest figures of the card, or the bound it breaks
};

struct Claim {
  std::string text;
  std::vector<const facts::Accelerator*> cards;  // as they stand in the text, best variant each
  std::uint32_t count = 1;                       // cards of the machine; 1 when not said
  bool count_said = false, assumed = false;
  std::vector<Reading> readings;  // by figure, plausible ones first
  std::vector<Unread> unread;
  std::vector<std::string> in_practice;  // what the buyer will see
  std::vector<std::string> ask;          // what to ask the seller
  // Every figure has a plausible reading that is not wrong.
  bool holds() const;
};

// Errors: usage (empty text), too_large (over 64 KiB), not_found (no card of the catalogue is
// named, with what looks nearest).
Result<Claim> read_claim(const facts::Catalogue& catalogue, std::string_view text);

}  // namespace steelyard::claims

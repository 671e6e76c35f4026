// Front header: what an advert or an article says of a card, and every meaning that fits its
// figures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.h"

namespace steelyard::claims {

// `part`: what a chip is made of (cores, bus, clock, cache).
enum class Measure { rate, memory, bandwidth, power, part, feature };
enum class Part { none, shader_cores, tensor_cores, ray_cores, multiprocessors, bus, clock, cache };

// A figure as it stands in the text, in base units (FLOP/s, bytes, bytes/s, watts, hertz).
struct Figure {
  Measure quantity = Measure::rate;
  double value = 0;
  double tolerance = 0.01;  // relative: one per cent, or half of the last printed digit
  double cut_off = 0;       // one step of the last digit: what cutting instead of rounding hides
  std::string text;         // as written: "1248TFLOPS"
  std::size_t at = 0, end = 0;  // bytes of the plain text
  bool integer_unit = false;    // TOPS
  bool labelled_gb = true;      // GB or G, not GiB
  bool bits = false;            // "Gb", which counts bits
  bool ai = false;              // "AI TOPS"
  Part part = Part::none;
};

// How a reading stands to what a buyer thinks it says. `unknown`: the catalogue cannot tell.
enum class Verdict { right, not_comparable, misleading, unknown, wrong, impossible };
std::string_view verdict_word(Verdict verdict);

// One meaning that reproduces a figure.
struct Reading {
  const facts::Accelerator* card = nullptr;
  std::string figure;      // the text it reads
  std::string meaning;     // one sentence
  double value = 0;        // what the catalogue gives for this meaning
  std::string unit;        // "FLOP/s", "B", "B/s", "W", "Hz", "1"
  std::string precision;   // "fp16", "" where it does not apply
  std::string accumulate;  // "fp32", "fp16", ""
  bool sparse = false;
  std::uint32_t cards = 1;
  bool plausible = true;  // nothing else in the text speaks against it
  Verdict verdict = Verdict::right;
  std::string because;  // why it is not simply right, or not plausible
};

// A figure that no meaning reproduces, or (unknown) that the catalogue cannot judge.
struct Unread {
  std::string figure;
  Verdict verdict = Verdict::wrong;
  std::string because;  // the nearest figures of the card, or the bound it breaks
};

// What looks like a figure and was not understood.
struct NotRead {
  std::string text;
  std::string because;
};

// yes: every figure is what the card has. tight: real figures with another meaning, or some that
// were not read. no: a figure is wrong. open: nothing could be judged. none: no figure is there.
enum class Outcome { yes, tight, no, open, none };

struct Claim {
  std::string text;
  std::vector<const facts::Accelerator*> cards;  // as they stand in the text, best variant each
  std::uint32_t count = 1;                       // cards of the machine; 1 when not said
  bool count_said = false, assumed = false;
  std::vector<Reading> readings;  // by figure, plausible ones first
  std::vector<Unread> unread;
  std::vector<NotRead> not_read;
  std::vector<std::string> aside;        // figures of the host, the price and so on
  std::vector<std::string> in_practice;  // what the buyer will see
  std::vector<std::string> ask;          // what to ask the seller

  Outcome outcome() const;
  // No figure is wrong or contradicted, and something could be judged (or nothing was said).
  bool holds() const;
};

// Errors: usage (empty text, a figure or count of zero or below), too_large (over 64 KiB),
// not_found (no card of the catalogue is named, with what looks nearest).
Result<Claim> read_claim(const facts::Catalogue& catalogue, std::string_view text);

}  // namespace steelyard::claims

// TFLOPS and TOPS: precision, accumulator, 2:4 sparsity, cards summed, shares of a card.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "claims/readings.h"

namespace steelyard::claims {
namespace {

struct Precision {
  std::string_view key;  // of Accelerator::dense, or of facts::derived_rate()
  std::string_view precision, accumulate;
  std::string_view name;  // in a sentence
  bool matrix_units = true;
};

constexpr auto precisions = std::to_array<Precision>({
    {"fp16_fp32acc", "fp16", "fp32", "FP16 on the tensor cores, FP32 accumulation"},
    {"bf16", "bf16", "fp32", "BF16 on the tensor cores, FP32 accumulation"},
    {"fp16_fp16acc", "fp16", "fp16", "FP16 on the tensor cores, FP16 accumulation"},
    {"tf32", "tf32", "fp32", "TF32 on the tensor cores"},
    {"fp32", "fp32", "", "FP32 on the shader units", false},
    {"fp8", "fp8", "fp32", "FP8, FP32 accumulation"},
    {"fp8_fp16acc", "fp8", "fp16", "FP8, FP16 accumulation"},
    {"int8", "int8", "int32", "INT8"},
    {"fp4", "fp4", "fp32", "FP4"},
    {"int4", "int4", "int32", "INT4"},
    {"fp64", "fp64", "", "FP64 on the shader units", false},
    {"fp64_matrix", "fp64", "fp64", "FP64 on the tensor cores"},
    {"fp16_shader", "fp16", "", "FP16 on the shader units", false},
});

// TOPS of integers, not of floating-point numbers.
std::string rate_text(const Precision& p, double value) {
  std::string text = shown(Measure::rate, value);
  if (p.precision.starts_with("int")) text.replace(text.rfind("TFLOP/s"), 7, "TOP/s");
  return text;
}

// "FP32 accumulate" speaks of the accumulator: taken out before precisions are looked for.
struct Accumulators {
  bool fp16 = false, fp32 = false;
  std::string rest;
};
Accumulators said_accumulators(std::string text) {
  Accumulators said;
  for (const std::string_view width : {"fp16", "fp32", "16-bit", "32-bit"}) {
    for (const std::string_view word :
         {"累加", " 累加", " accum", "-accum", " acc", "-acc", "acc"}) {
      const std::string phrase = std::string(width) + std::string(word);
      for (std::size_t at = text.find(phrase); at != std::string::npos; at = text.find(phrase)) {
        (width.contains("16") ? said.fp16 : said.fp32) = true;
        text.replace(at, phrase.size(), " ");
      }
    }
  }
  said.rest = std::move(text);
  return said;
}

std::vector<std::string_view> precisions_in(std::string_view text) {
  std::vector<std::string_view> said;
  const auto add = [&](std::initializer_list<std::string_view> words, std::string_view name) {
    const bool there = std::ranges::any_of(
        words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
    if (there) said.push_back(name);
  };
  add({"fp16", "半精度", "half precision", "half-precision"}, "fp16");
  add({"bf16", "bfloat16"}, "bf16");
  add({"tf32"}, "tf32");
  add({"fp32", "单精度", "single precision", "single-precision"}, "fp32");
  add({"fp8", "fp6"}, "fp8");
  add({"int8"}, "int8");
  add({"fp4"}, "fp4");
  add({"int4"}, "int4");
  add({"fp64", "双精度", "double precision", "double-precision"}, "fp64");
  return said;
}

// Why a buyer should not take the reading as the rate of a model in 16 bit.
void judge(Reading& r, const Precision& p, const Figure& figure) {
  if (r.sparse) {
    r.verdict = Verdict::misleading;
    r.because = "holds only for weights pruned to 2:4; dense work gets half";
  } else if (p.key == "fp16_fp16acc" && r.card->dense.contains("fp16_fp32acc") &&
             !close(r.card->dense.at("fp16_fp32acc").value(),
                    r.card->dense.at(std::string(p.key)).value(), 0.02)) {
    r.verdict = Verdict::not_comparable;
    r.because = "PyTorch and cuBLAS accumulate in FP32 by default and get half of it";
  } else if (p.precision == "fp8" || p.precision == "int8" || p.precision == "fp4" ||
             p.precision == "int4") {
    r.verdict = Verdict::not_comparable;
    r.because = "not the rate of 16-bit work";
  } else if (p.precision == "fp64") {
    r.verdict = Verdict::not_comparable;
    r.because = "double precision: simulations use it, language models do not";
  } else if (!p.matrix_units) {
    r.verdict = Verdict::not_comparable;
    r.because = "matrix work of models runs on the tensor cores, not here";
  } else if (figure.integer_unit && !figure.ai) {
    r.verdict = Verdict::not_comparable;
    r.because = "TOPS counts integer operations; this rate is floating point";
  }
}

void doubt(Reading& r, std::string why) {
  r.plausible = false;
  r.because = r.because.empty() ? std::move(why) : r.because + "; " + why;
}

void weigh(Reading& r, const Precision& p, const Advert& advert, const Figure& figure) {
  const Accumulators accumulators = said_accumulators(around(advert, figure));
  const auto said = precisions_in(accumulators.rest);
  if (!said.empty() && std::ranges::find(said, p.precision) == said.end()) {
    doubt(r, fmt::format("the text says {}", said.front()));
  }
  if (accumulators.fp16 != accumulators.fp32 && !p.accumulate.empty() &&
      p.accumulate != (accumulators.fp16 ? "fp16" : "fp32")) {
    doubt(r, fmt::format("the text says {} accumulation", accumulators.fp16 ? "FP16" : "FP32"));
  }
  const std::string text = around(advert, figure);
  const auto has = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return text.contains(word); });
  };
  if (has({"tensor", "张量"}) && !p.matrix_units) doubt(r, "the text says tensor cores");
  const bool plain = has({"非稀疏", "non-sparse", "without sparsity", "no sparsity"});
  const bool dense = has({"dense", "稠密"});
  if (r.sparse && (plain || dense)) doubt(r, "the text says dense");
  if (!r.sparse && !plain && !dense && has({"sparse", "sparsity", "稀疏"})) {
    doubt(r, "the text says sparse");
  }
  weigh_cards(r, advert);
}

std::vector<std::uint32_t> card_counts(const Advert& advert) {
  std::vector<std::uint32_t> counts = {1, 2, 4, 8};
  for (const std::uint32_t count : advert.cards.all) {
    if (std::ranges::find(counts, count) == counts.end()) counts.push_back(count);
  }
  return counts;
}

// The parts of a card that the text sells: all of it, "1/4", one of seven slices.
std::vector<double> parts_of(const Advert& advert) {
  std::vector<double> parts = {1};
  for (const Share& share : advert.shares) {
    if (share.kind == Share::Kind::fraction) parts.push_back(share.fraction);
    if (share.kind == Share::Kind::mig) parts.push_back(share.slices / 7.0);
  }
  return parts;
}

void add_rate(const facts::Accelerator& card, const Precision& p, const Advert& advert,
              const Figure& figure, std::uint32_t cards, double part, bool sparse,
              std::vector<Reading>& readings) {
  const auto rate = facts::derived_rate(card, p.key);
  const double more = sparse ? card.sparse_multiplier.value_or(1) : 1;
  const bool no_sparse = !p.matrix_units || p.precision == "fp64" || more <= 1;
  if (!rate || (sparse && no_sparse)) return;
  const double value = rate->value() * more * cards * part;
  if (!fits(figure, value)) return;
  Reading r{.card = &card,
            .figure = figure.text,
            .value = value,
            .unit = "FLOP/s",
            .precision = std::string(p.precision),
            .accumulate = std::string(p.accumulate),
            .sparse = sparse,
            .cards = cards};
  r.meaning = fmt::format("{}{}{}, {}: {}", cards > 1 ? fmt::format("{} cards, ", cards) : "",
                          part < 1 ? "its part of the card, " : "", p.name,
                          sparse ? "2:4 sparse" : "dense", rate_text(p, value));
  judge(r, p, figure);
  weigh(r, p, advert, figure);
  readings.push_back(std::move(r));
}

}  // namespace

std::vector<std::string_view> said_precisions(const Advert& advert, const Figure& figure) {
  return precisions_in(said_accumulators(around(advert, figure)).rest);
}

void weigh_cards(Reading& r, const Advert& advert) {
  if (r.cards == 1) return;
  if (!advert.allows(r.cards)) {
    doubt(r, advert.cards.said ? fmt::format("the text names {} cards", advert.cards.count)
                               : std::string("the text names one card"));
  } else if (r.plausible && r.verdict == Verdict::right) {
    r.verdict = Verdict::not_comparable;
    r.because = fmt::format("the sum of {} cards", r.cards);
  }
}

void read_rate(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
               std::vector<Reading>& readings) {
  for (const std::uint32_t cards : card_counts(advert)) {
    for (const double part : parts_of(advert)) {
      for (const Precision& p : precisions) {
        for (const bool sparse : {false, true}) {
          add_rate(card, p, advert, figure, cards, part, sparse, readings);
        }
      }
    }
  }
}

Unread nearest_rate(const facts::Accelerator& card, const Advert& advert, const Figure& figure) {
  double best = 0, highest = 0;
  std::string_view best_name;
  bool narrow_known = false;
  const auto said = said_precisions(advert, figure);
  bool said_known = said.empty();
  for (const Precision& p : precisions) {
    const auto rate = facts::derived_rate(card, p.key);
    if (!rate) continue;
    narrow_known = narrow_known || p.precision == "int8" || p.precision == "fp8";
    said_known = said_known || std::ranges::find(said, p.precision) != said.end();
    const double value = rate->value();
    highest = std::max(highest, value * (p.matrix_units ? card.sparse_multiplier.value_or(1) : 1));
    if (best == 0 ||
        std::abs(std::log(figure.value / value)) < std::abs(std::log(figure.value / best))) {
      best = value;
      best_name = p.name;
    }
  }
  Unread unread{.figure = figure.text, .verdict = Verdict::unknown, .because = {}};
  if (best == 0) {
    unread.because = fmt::format("no rate of the {} is in the catalogue", card.name);
    return unread;
  }
  const double bound = highest * std::max(1U, advert.cards.all.back());
  if (figure.value >= 1e17 && !advert.cards.said) {
    unread.because = fmt::format(
        "a sum of many cards: at {} each it takes {:.0f} or more; how "
        "many are there?",
        shown(Measure::rate, highest), std::ceil(figure.value / highest));
    return unread;
  }
  const bool no_units = said.size() == 1 && facts::has_units(card, said.front()) == false;
  if (!said_known && !no_units && said.front() != "int4" && figure.value <= 4 * bound) {
    unread.because = fmt::format("the catalogue has no {} rate of the {}", said.front(), card.name);
    return unread;
  }
  if (said.empty() && !narrow_known && figure.value > bound && figure.value <= 4 * bound) {
    unread.because = fmt::format("the catalogue lacks the 8-bit rates of the {}", card.name);
    return unread;
  }
  unread.verdict =
      figure.value > bound * (1 + figure.tolerance) ? Verdict::impossible : Verdict::wrong;
  unread.because =
      unread.verdict == Verdict::impossible
          ? fmt::format("above every rate of {}{}: the highest is {}",
                        advert.cards.all.back() > 1 ? fmt::format("{} x ", advert.cards.all.back())
                                                    : "the ",
                        card.name, shown(Measure::rate, bound))
          : fmt::format("no rate of the {}; nearest: {}, {} ({:.2f} times)", card.name, best_name,
                        shown(Measure::rate, best), figure.value / best);
  return unread;
}

}  // namespace steelyard::claims

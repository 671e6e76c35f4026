// TFLOPS and TOPS: precision, accumulator, 2:4 sparsity and cards summed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "claims/readings.h"

namespace steelyard::claims {
namespace {

struct Precision {
  std::string_view key;  // of Accelerator::dense
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
});

// Integer rates count operations, not floating-point ones.
std::string rate_text(const Precision& p, double value) {
  std::string text = shown(Measure::rate, value);
  if (p.key == "int8") text.replace(text.rfind("TFLOP/s"), 7, "TOP/s");
  return text;
}

// What the text says of the precision; empty when it says nothing.
std::vector<std::string_view> said_precisions(const Advert& a, const Figure& f) {
  std::vector<std::string_view> said;
  const auto add = [&](std::initializer_list<std::string_view> words, std::string_view name) {
    if (says(a, f, words)) said.push_back(name);
  };
  add({"fp16", "半精度", "half precision"}, "fp16");
  add({"bf16"}, "bf16");
  add({"tf32"}, "tf32");
  add({"fp32", "单精度", "single precision"}, "fp32");
  add({"fp8"}, "fp8");
  add({"int8"}, "int8");
  add({"fp4"}, "fp4");
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
  } else if (p.precision == "fp8" || p.precision == "int8" || p.precision == "fp4") {
    r.verdict = Verdict::not_comparable;
    r.because = "not the rate of 16-bit work";
  } else if (!p.matrix_units) {
    r.verdict = Verdict::not_comparable;
    r.because = "matrix work of models runs on the tensor cores, not here";
  } else if (figure.integer_unit) {
    r.verdict = Verdict::not_comparable;
    r.because = "TOPS counts integer operations; this rate is floating point";
  }
}

void doubt(Reading& r, std::string why) {
  r.plausible = false;
  r.because = r.because.empty() ? std::move(why) : r.because + "; " + why;
}

void weigh(Reading& r, const Precision& p, const Advert& advert, const Figure& figure) {
  const auto said = said_precisions(advert, figure);
  if (!said.empty() && std::ranges::find(said, p.precision) == said.end()) {
    doubt(r, fmt::format("the text says {}", said.front()));
  }
  if (r.sparse && says(advert, figure, {"dense", "稠密"})) doubt(r, "the text says dense");
  if (!r.sparse && says(advert, figure, {"sparse", "sparsity", "稀疏"})) {
    doubt(r, "the text says sparse");
  }
  if (r.cards > 1 && !advert.count_said) doubt(r, "the text names one card");
  if (r.cards > 1 && advert.count_said && r.cards != advert.count) {
    doubt(r, fmt::format("the text names {} cards", advert.count));
  }
  if (r.cards > 1 && r.plausible && r.verdict == Verdict::right) {
    r.verdict = Verdict::not_comparable;
    r.because = fmt::format("the sum of {} cards", r.cards);
  }
}

std::vector<std::uint32_t> card_counts(const Advert& advert) {
  std::vector<std::uint32_t> counts = {1, 2, 4, 8};
  if (advert.count > 1 && std::ranges::find(counts, advert.count) == counts.end()) {
    counts.push_back(advert.count);
  }
  return counts;
}

}  // namespace

void read_rate(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
               std::vector<Reading>& readings) {
  for (const std::uint32_t cards : card_counts(advert)) {
    for (const Precision& p : precisions) {
      const auto rate = card.dense.find(std::string(p.key));
      if (rate == card.dense.end()) continue;
      for (const bool sparse : {false, true}) {
        const double more = sparse ? card.sparse_multiplier.value_or(1) : 1;
        if (sparse && (more <= 1 || !p.matrix_units)) continue;
        const double value = rate->second.value() * more * cards;
        if (!close(figure.value, value, figure.tolerance)) continue;
        Reading r{.card = &card,
                  .figure = figure.text,
                  .value = value,
                  .unit = "FLOP/s",
                  .precision = std::string(p.precision),
                  .accumulate = std::string(p.accumulate),
                  .sparse = sparse,
                  .cards = cards};
        r.meaning = fmt::format("{}{}, {}: {}", cards > 1 ? fmt::format("{} cards, ", cards) : "",
                                p.name, sparse ? "2:4 sparse" : "dense", rate_text(p, value));
        judge(r, p, figure);
        weigh(r, p, advert, figure);
        readings.push_back(std::move(r));
      }
    }
  }
}

Unread nearest_rate(const facts::Accelerator& card, const Advert& advert, const Figure& figure) {
  double best = 0, highest = 0;
  std::string_view best_name;
  for (const Precision& p : precisions) {
    const auto rate = card.dense.find(std::string(p.key));
    if (rate == card.dense.end()) continue;
    const double value = rate->second.value();
    highest = std::max(highest, value * (p.matrix_units ? card.sparse_multiplier.value_or(1) : 1));
    if (best == 0 ||
        std::abs(std::log(figure.value / value)) < std::abs(std::log(figure.value / best))) {
      best = value;
      best_name = p.name;
    }
  }
  Unread unread{.figure = figure.text};
  if (best == 0) {
    unread.because = fmt::format("no rate of the {} is in the catalogue", card.name);
    return unread;
  }
  highest *= std::max(1U, advert.count);
  unread.verdict =
      figure.value > highest * (1 + figure.tolerance) ? Verdict::impossible : Verdict::wrong;
  unread.because = unread.verdict == Verdict::impossible
                       ? fmt::format("above every rate of {}{}: the highest is {}",
                                     advert.count > 1 ? fmt::format("{} x ", advert.count) : "",
                                     card.name, shown(Measure::rate, highest))
                       : fmt::format("no rate of the {}; nearest: {}, {} ({:.2f} times)", card.name,
                                     best_name, shown(Measure::rate, best), figure.value / best);
  return unread;
}

}  // namespace steelyard::claims

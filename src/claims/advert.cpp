#include "claims/advert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace steelyard::claims {
namespace {

constexpr std::string_view ends[] = {",", "，", ";", "；", "。", "\n", "|", "、", " / ",
                                     "(", "（", ")", "）", "!",  "！", "?", "？"};

// The clause around [at, end).
std::string_view clause(std::string_view whole, std::size_t at, std::size_t end) {
  constexpr std::size_t reach = 160;
  const std::size_t from = at > reach ? at - reach : 0;
  const std::string_view text = whole.substr(from, end - from + reach);
  at -= from;
  end -= from;
  std::size_t first = 0, last = text.size();
  for (const std::string_view mark : ends) {
    if (at > 0) {
      const std::size_t before = text.rfind(mark, at - 1);
      if (before != std::string_view::npos && before + mark.size() <= at) {
        first = std::max(first, before + mark.size());
      }
    }
    last = std::min(last, text.find(mark, end));
  }
  return text.substr(first, last - first);
}

bool any_in(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool names_precision(std::string_view text) {
  return any_in(text, {"fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp6", "fp4", "int8", "int4",
                       "精度", "dense", "sparse", "稠密", "稀疏"});
}

bool of_a_card(const Advert& advert, double value,
               const std::function<bool(const facts::Accelerator&, double)>& has) {
  return std::ranges::any_of(advert.named, [&](const Named& named) {
    return std::ranges::any_of(named.match.variants,
                               [&](const facts::Accelerator* card) { return has(*card, value); });
  });
}

}  // namespace

bool label_of_a_card(const Advert& advert, double gb) {
  return of_a_card(advert, gb, [](const facts::Accelerator& card, double value) {
    return card.sold_as_gb == value ||
           std::ranges::find(card.also_sold_as_gb, value) != card.also_sold_as_gb.end();
  });
}

bool speed_of_a_card(const Advert& advert, double bytes) {
  return of_a_card(advert, bytes, [](const facts::Accelerator& card, double value) {
    const auto near = [&](const std::optional<BytesPerSecond>& speed, double part) {
      return speed && std::abs(value / (speed->value() * part) - 1) < 0.025;
    };
    return near(card.bandwidth, 1) || near(card.link_bidirectional, 1) ||
           near(card.link_bidirectional, 0.5);
  });
}

void Advert::take(Span span) {
  if (taken.size() < text.size()) taken.resize(text.size(), false);
  for (std::size_t i = span.at; i < span.end && i < taken.size(); ++i) taken[i] = true;
}

bool Advert::allows(std::uint32_t cards_summed) const {
  return std::ranges::find(cards.all, cards_summed) != cards.all.end();
}

// Several figures in one clause: "47 TOPS INT8 12 TFLOPS" names each behind it, "FP64 1 TFLOPS
// FP32 67 TFLOPS" before it. The words before the first figure tell which.
std::string around(const Advert& advert, const Figure& figure) {
  const std::string_view text = advert.lowered;
  const auto same = std::ranges::count(advert.figures, figure.quantity, &Figure::quantity);
  if (same <= 1) return advert.lowered;
  const std::string_view whole = clause(text, figure.at, figure.end);
  const auto from = static_cast<std::size_t>(whole.data() - text.data());
  std::size_t start = from, end = from + whole.size();
  bool before = true, first = true, heading = false, others = false;
  for (const Figure& other : advert.figures) {
    const bool inside = other.at >= from && other.end <= from + whole.size();
    if (!inside || other.quantity != figure.quantity) continue;
    others = others || other.at != figure.at;
    if (other.at > figure.at) {
      end = std::min(end, other.at);
    } else {
      before = before && names_precision(text.substr(start, other.at - start));
      heading = heading || (first && before);
      first = false;
      if (other.at < figure.at) start = other.end;
    }
  }
  if (!others) return std::string(whole);
  // "FP16: 989 TFLOPS vs 330 TFLOPS": a heading holds for all that follow without a word of theirs.
  const std::string_view behind = text.substr(figure.at, end - figure.at);
  if (heading && !before && !names_precision(behind)) {
    return std::string(text.substr(from, figure.end - from));
  }
  return std::string(before ? text.substr(start, figure.end - start) : behind);
}

bool says(const Advert& advert, const Figure& figure,
          std::initializer_list<std::string_view> words) {
  const auto same = std::ranges::count(advert.figures, figure.quantity, &Figure::quantity);
  if (same <= 1) return any_in(advert.lowered, words);
  return any_in(clause(advert.lowered, figure.at, figure.end), words);
}

bool says(const Advert& advert, std::initializer_list<std::string_view> words) {
  return any_in(advert.lowered, words);
}

Error refused(const Advert& advert, Span span, std::string_view why) {
  const std::size_t from = span.at > 0 && advert.text[span.at - 1] == '-' ? span.at - 1 : span.at;
  const std::string before = advert.text.substr(0, from);
  const auto characters = std::ranges::count_if(
      before, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return {.kind = ErrorKind::usage,
          .what = fmt::format("'{}' {}", advert.text.substr(from, span.end - from), why),
          .field = fmt::format("--claim, character {}", characters + 1),
          .try_this = "correct the number, or leave it out"};
}

}  // namespace steelyard::claims

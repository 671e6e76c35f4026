// Parts of a card: "1/4卡", "半卡", "half a GPU", MIG profiles "1g.10gb", vGPU profiles "A10-8Q".
#include <algorithm>
#include <array>

#include "claims/advert.h"
#include "claims/scan.h"

namespace steelyard::claims {
namespace {

struct Fraction {
  std::string_view words;
  double value;
};
constexpr auto said = std::to_array<Fraction>({{"半张", 0.5},
                                               {"半卡", 0.5},
                                               {"半块", 0.5},
                                               {"二分之一", 0.5},
                                               {"三分之一", 1.0 / 3},
                                               {"四分之一", 0.25},
                                               {"八分之一", 0.125},
                                               {"half a gpu", 0.5},
                                               {"half a card", 0.5},
                                               {"half gpu", 0.5},
                                               {"half of a", 0.5},
                                               {"quarter of a", 0.25},
                                               {"quarter gpu", 0.25},
                                               {"third of a", 1.0 / 3},
                                               {"eighth of a", 0.125}});
constexpr std::string_view card_words[] = {"卡",   "张",   "块",    "gpu",  "card",
                                           "of a", "的",   "个gpu", "a100", "h100",
                                           "4090", "算力", "显存",  "切分", "vgpu"};

std::size_t digits_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// "1/4", "0.25卡", "25% gpu".
void number_share(Advert& advert, std::size_t at) {
  const std::string& text = advert.lowered;
  const auto number = number_at(text, at);
  if (!number) return;
  std::size_t end = number->end;
  double value = number->value;
  if (end + 1 < text.size() && text[end] == '/' && is_digit(text[end + 1])) {
    const auto below = number_at(text, end + 1);
    if (!below || below->value <= value || below->value > 64 || value > 16) return;
    const std::size_t behind = skip_blanks(text, below->end);
    const bool whole = number->last_digit == 1 && below->last_digit == 1;
    // "1/7" alone is a share; "9.7/19.5 TFLOPS" and "3/4 GB" are not.
    const bool alone = behind >= text.size() || !is_word(text[behind]);
    const bool before_name =
        std::ranges::any_of(advert.named, [&](const Named& named) { return named.at == behind; });
    if (!whole ||
        (!before_name && any_at(text, behind, card_words) == 0 && (value != 1 || !alone))) {
      return;
    }
    value /= below->value;
    end = below->end;
  } else if (end < text.size() && text[end] == '%') {
    value /= 100;
    ++end;
    if (any_at(text, skip_blanks(text, end), card_words) == 0) return;
  } else if (value >= 1 || any_at(text, skip_blanks(text, end), card_words) == 0) {
    return;
  }
  if (!(value > 0) || value >= 1) return;
  const std::size_t behind = skip_blanks(text, end);
  if (const std::size_t word = any_at(text, behind, card_words); word > 0) end = behind + word;
  advert.shares.push_back(
      {.text = advert.text.substr(at, end - at), .fraction = value, .span = {at, end}});
}

// "1g.10gb", "3g.40gb".
bool mig_profile(Advert& advert, std::size_t at) {
  const std::string& text = advert.lowered;
  if (at + 3 >= text.size() || text[at + 1] != 'g' || text[at + 2] != '.') return false;
  const std::size_t end = digits_end(text, at + 3);
  if (end == at + 3 || end > at + 6 || !text.substr(end).starts_with("gb")) return false;
  const auto gb = number_at(text, at + 3);
  if (!gb) return false;
  advert.shares.push_back({.kind = Share::Kind::mig,
                           .text = advert.text.substr(at, end + 2 - at),
                           .slices = text[at] - '0',
                           .gb = gb->value,
                           .span = {at, end + 2}});
  return true;
}

// "-8Q" behind a card's name.
void vgpu_profile(Advert& advert, std::size_t name_end) {
  const std::string& text = advert.lowered;
  if (name_end >= text.size() || text[name_end] != '-') return;
  const auto gb = number_at(text, name_end + 1);
  if (!gb || gb->end >= text.size() ||
      std::string_view("qcab").find(text[gb->end]) == std::string::npos) {
    return;
  }
  const std::size_t end = gb->end + 1;
  if (end < text.size() && is_word(text[end])) return;
  advert.shares.push_back({.kind = Share::Kind::vgpu,
                           .text = advert.text.substr(name_end + 1, end - name_end - 1),
                           .gb = gb->value,
                           .span = {name_end, end}});
}

}  // namespace

void find_shares(Advert& advert) {
  const std::string& text = advert.lowered;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool inside = i > 0 && (is_word(text[i - 1]) || text[i - 1] == '.' || text[i - 1] == '/');
    if (!is_digit(text[i]) || inside || advert.is_taken(i)) continue;
    if (!mig_profile(advert, i)) number_share(advert, i);
    i = digits_end(text, i);
  }
  for (const Named& named : advert.named) vgpu_profile(advert, named.end);
  for (const Fraction& fraction : said) {
    const std::size_t at = text.find(fraction.words);
    if (at == std::string::npos) continue;
    const std::size_t end = at + fraction.words.size();
    advert.shares.push_back(
        {.text = advert.text.substr(at, end - at), .fraction = fraction.value, .span = {at, end}});
  }
  for (const Share& share : advert.shares) advert.take(share.span);
}

}  // namespace steelyard::claims

// The checks of a row: numbers and figures of the catalogue, joined by + - * / from left to right.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "statement.h"

namespace steelyard::claims_document {
namespace {

const facts::Accelerator* card_named(const facts::Catalogue& catalogue, std::string_view name) {
  for (const facts::Accelerator& card : catalogue.accelerators()) {
    if (card.name == name) return &card;
  }
  return nullptr;
}

std::optional<double> figure_of(const facts::Accelerator& card, const std::string& key) {
  if (const auto rate = card.dense.find(key); rate != card.dense.end()) {
    return rate->second.value() / 1e12;
  }
  if (key == "bandwidth" && card.bandwidth) return card.bandwidth->value() / 1e9;
  if (key == "link") return card.link_bidirectional ? card.link_bidirectional->value() / 1e9 : 0;
  if (key == "tdp" && card.tdp) return card.tdp->value();
  if (key == "sold" && card.sold_as_gb > 0) return card.sold_as_gb;
  if (key == "mib" && card.reported) return card.reported->as_mib();
  if (key == "pcie" && !card.pcie_generation.empty()) {
    return std::strtod(card.pcie_generation.c_str(), nullptr);
  }
  if (key == "mig") return card.mig_max.value_or(0);
  return std::nullopt;
}

std::optional<double> operand(const facts::Catalogue& catalogue, const std::string& word) {
  const std::size_t colon = word.rfind(':');
  if (colon == std::string::npos) {
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    return end == word.c_str() + word.size() ? std::optional(value) : std::nullopt;
  }
  const facts::Accelerator* card = card_named(catalogue, word.substr(0, colon));
  return card == nullptr ? std::nullopt : figure_of(*card, word.substr(colon + 1));
}

// One unit of the last digit printed, or a half per cent: sheets round, too.
double slack(const std::string& printed, double wanted) {
  const std::size_t point = printed.find('.');
  const double digit = point == std::string::npos
                           ? 0.51
                           : 0.51 * std::pow(10.0, -double(printed.size() - point - 1));
  return std::max(digit, 0.0005 * std::abs(wanted));
}

// The text up to the next operator standing between blanks; advances past it.
std::string next_word(std::string_view& rest, char& following) {
  std::size_t at = 0;
  for (; at + 2 < rest.size(); ++at) {
    if (rest[at] == ' ' && rest[at + 2] == ' ' &&
        std::string_view("+-*/=").find(rest[at + 1]) != std::string_view::npos) {
      break;
    }
  }
  const bool more = at + 2 < rest.size();
  const std::string word(rest.substr(0, more ? at : rest.size()));
  following = more ? rest[at + 1] : '\0';
  rest = more ? rest.substr(at + 3) : std::string_view();
  return word;
}

}  // namespace

std::string fault_of_check(const std::string& check, const facts::Catalogue& catalogue) {
  std::string_view rest = check;
  double value = 0;
  char pending = '+';
  while (true) {
    char following = '\0';
    const std::string word = next_word(rest, following);
    const auto number = operand(catalogue, word);
    if (!number) return fmt::format("\"{}\": no figure \"{}\" in the catalogue", check, word);
    if (pending == '=') {
      return std::abs(value - *number) <= slack(word, *number)
                 ? std::string()
                 : fmt::format("\"{}\": the left side is {:g}", check, value);
    }
    switch (pending) {
      case '+':
        value += *number;
        break;
      case '-':
        value -= *number;
        break;
      case '*':
        value *= *number;
        break;
      default:
        value /= *number;
        break;
    }
    if (following == '\0') return fmt::format("\"{}\" has no result", check);
    pending = following;
  }
}

}  // namespace steelyard::claims_document

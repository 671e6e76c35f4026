// What a calculator on a napkin says, and how far it is off here.
#include <fmt/format.h>

#include <cmath>

#include "report/size.h"

namespace steelyard::report {

RuleOfThumb rule_of_thumb(const model::Model& model, const memory::Answer& answer) {
  const double parameters = static_cast<double>(model.parameters());
  const double bits = parameters > 0 ? 8.0 * model.weight_bytes().as_double() / parameters : 0;
  if (answer.ranks.empty() || bits == 0) return {};
  // The usual sentence: parameters times whole bytes of the format, a fifth on top.
  const double nominal = bits > 12 ? 16 : bits > 6 ? 8 : 4;
  RuleOfThumb rule{
      .rule = fmt::format("{:.3g} B parameters x {:.3g} B x 1.2", parameters / 1e9, nominal / 8),
      .bytes = bytes_from(parameters * nominal / 8 * 1.2)};
  Bytes real;
  for (const memory::Rank& rank : answer.ranks) real += rank.total.value * rank.repeats;
  const double ratio = rule.bytes.as_double() / std::max(1.0, real.as_double());
  const double off = std::abs(ratio - 1) * 100;
  rule.verdict = off < 10 ? fmt::format("within {:.0f} % of the real sum here", std::ceil(off))
                 : ratio < 1
                     ? fmt::format("{:.0f} % too low here: it knows neither context nor users", off)
                     : fmt::format("{:.0f} % too high here: it charges a flat fifth", off);
  return rule;
}

}  // namespace steelyard::report

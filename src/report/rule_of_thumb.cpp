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
  const double nominal = bits > 24 ? 32 : bits > 12 ? 16 : bits > 6 ? 8 : 4;
  RuleOfThumb rule{
      .rule = fmt::format("{:.3g} B parameters x {:.3g} B x 1.2", parameters / 1e9, nominal / 8),
      .bytes = bytes_from(parameters * nominal / 8 * 1.2)};
  Bytes real;
  Bytes host;
  for (const memory::Rank& rank : answer.ranks) {
    real += rank.total.value * rank.repeats;
    host += rank.host;
  }
  // The napkin puts all weights in one place: what was moved off the cards belongs to its sum.
  const bool moved = host.as_double() > 0.1 * model.weight_bytes().as_double();
  if (moved) real += host;
  const std::string_view where =
      moved ? "of the real sum here, cards and host together" : "of the real sum here";
  const double ratio = rule.bytes.as_double() / std::max(1.0, real.as_double());
  const double off = std::abs(ratio - 1) * 100;
  rule.verdict =
      off < 10    ? fmt::format("within {:.0f} % {}", std::ceil(off), where)
      : ratio < 1 ? fmt::format("{:.0f} % below {}: it knows neither context nor users", off,
                                where.substr(3))
                  : fmt::format("{:.0f} % above {}: it charges a flat fifth", off, where.substr(3));
  return rule;
}

}  // namespace steelyard::report

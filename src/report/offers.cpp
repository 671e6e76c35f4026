#include "report/offers.h"

#include <fmt/format.h>

#include "report/words.h"
#include "report/wrap.h"

namespace steelyard::report {
namespace {

std::string cut(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  std::size_t end = width - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "~";
}

std::string card_name(const OfferRow& row) {
  return row.card != nullptr ? row.card->name : row.offer.card;
}

std::string instance_lines(const offers::Instance& one) {
  std::string what = one.card;
  if (one.count > 0) what = fmt::format("{} x {}", one.count, what);
  if (one.memory_gb) what += fmt::format(", {:g} GB each", *one.memory_gb);
  if (one.vcpu) what += fmt::format(", {:g} vCPU", *one.vcpu);
  if (one.host_memory_gb) what += fmt::format(", {:g} GB of host memory", *one.host_memory_gb);
  return wrapped(fmt::format("{}  {}{}: {} [{}; {}]", one.provider, one.name, one.family ? "*" : "",
                             what, one.confidence, one.source),
                 0, 2) +
         "\n\n";
}

}  // namespace

std::string offers_text(const OffersDocument& document) {
  std::string text;
  if (document.instance) text += instance_lines(*document.instance);
  if (document.rows.empty()) {
    text += fmt::format("{}\n", say(Word::offers_none));
  } else {
    text += fmt::format("{}\n", say(Word::offers_per_card));
  }
  for (const OfferRow& row : document.rows) {
    const offers::Offer& o = row.offer;
    const offers::Money each = o.per_card_hour();
    text += fmt::format(
        "{:>9.3f} {}  {:>2} x {:<24}  {:<12} {:<18} {:<11} {:>9.2f}/{}{}\n", each.amount,
        each.currency, o.count, cut(card_name(row), 24), cut(o.tier, 12), cut(o.provider, 18),
        row.history ? std::string(say(Word::offers_history)) : offers::date_text(o.date),
        o.price.amount, o.monthly ? "month" : "h", o.sla.empty() ? "" : "  " + o.sla);
  }
  if (document.left_out > 0) {
    text += fmt::format("\n{} {}\n", document.left_out, say(Word::offers_older));
  }
  return text;
}

std::string offers_csv(const OffersDocument& document) {
  std::string text =
      "provider,region,instance,card,count,memory_gb,vcpu,host_memory_gb,tier,price,currency,per,"
      "link,sla,date,source,note\n";
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:g}", *value) : std::string();
  };
  for (const OfferRow& row : document.rows) {
    const offers::Offer& o = row.offer;
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(o.provider),
        csv_cell(o.region), csv_cell(o.instance), csv_cell(o.card), o.count, number(o.memory_gb),
        number(o.vcpu), number(o.host_memory_gb), csv_cell(o.tier), o.price.amount,
        o.price.currency, o.monthly ? "month" : "hour", csv_cell(o.link), csv_cell(o.sla),
        offers::date_text(o.date), csv_cell(o.source), csv_cell(o.note));
  }
  return text;
}

std::string offers_markdown(const OffersDocument& document) {
  std::string text =
      "| per card and hour | currency | cards | card | tier | provider | instance | date |\n"
      "|---:|---|---:|---|---|---|---|---|\n";
  for (const OfferRow& row : document.rows) {
    const offers::Offer& o = row.offer;
    text += fmt::format("| {:.3f} | {} | {} | {} | {} | {} | {} | {} |\n", o.per_card_hour().amount,
                        o.price.currency, o.count, card_name(row), o.tier, o.provider, o.instance,
                        offers::date_text(o.date));
  }
  return text;
}

}  // namespace steelyard::report

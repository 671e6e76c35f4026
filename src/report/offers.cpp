#include "report/offers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/words.h"
#include "report/wrap.h"

namespace steelyard::report {
namespace {

// Cut and padded to `width`. A list may have hundreds of thousands of rows: what is plain ASCII is
// copied, only other text is measured.
void put(std::string& line, std::string_view word, std::size_t width) {
  std::string shorter;
  if (word.size() > width) {
    std::size_t end = width - 1;
    while (end > 0 && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) --end;
    shorter = std::string(word.substr(0, end)) + "~";
    word = shorter;
  }
  const bool plain =
      std::ranges::all_of(word, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (plain) {
    line.append(word).append(width - word.size(), ' ');
  } else {
    fmt::format_to(std::back_inserter(line), "{:<{}}", word, width);
  }
}

std::string_view card_name(const OfferRow& row) {
  return row.card != nullptr ? row.card->name : row.offer.card;
}

std::string age_of(const OfferRow& row) {
  if (row.history) return fmt::format(" {}", say(Word::offers_history));
  return row.superseded ? fmt::format(" {}", say(Word::offers_replaced)) : "";
}

void put_row(const OfferRow& row, const offers::Money& each, std::string& text) {
  const offers::Offer& o = row.offer;
  fmt::format_to(std::back_inserter(text), "{:>9.3f} {}  {:>2} x ", each.amount, each.currency,
                 o.count);
  put(text, card_name(row), 24);
  text += "  ";
  put(text, o.tier, 12);
  text += ' ';
  put(text, o.provider, 18);
  text += ' ';
  put(text, offers::date_text(o.date), 10);
  fmt::format_to(std::back_inserter(text), " {:>9.2f}", o.price.amount);
  text += o.monthly ? "/month" : "/h";
  if (!o.sla.empty()) text.append("  ").append(o.sla);
  text.append(age_of(row)).append(1, '\n');
}

}  // namespace

std::string instance_lines(const offers::Instance& one) {
  std::string what = one.card;
  if (one.count > 0) what = fmt::format("{} x {}", one.count, what);
  if (one.memory_gb) what += fmt::format(", {:g} GB each", *one.memory_gb);
  if (one.vcpu) what += fmt::format(", {:g} vCPU", *one.vcpu);
  if (one.host_memory_gb) what += fmt::format(", {:g} GB of host memory", *one.host_memory_gb);
  std::string origin = fmt::format("{}; {}", one.confidence, one.source);
  if (!one.inferred.empty()) origin += "; inferred: " + one.inferred;
  return wrapped(fmt::format("{}  {}{}: {} [{}]", one.provider, one.name, one.family ? "*" : "",
                             what, origin),
                 0, 2) +
         "\n\n";
}

std::string offers_text(const OffersDocument& document) {
  std::string text;
  if (document.instance) text += instance_lines(*document.instance);
  if (document.rows.empty()) {
    text += wrapped(fmt::format("{}: {}", say(Word::offers_none), document.none), 0, 2) + "\n";
  }
  std::string_view currency;
  for (const OfferRow& row : document.rows) {
    const offers::Offer& o = row.offer;
    const offers::Money each = o.per_card_hour();
    if (o.price.currency != currency) {
      // Amounts of two currencies are not compared, so they do not share a list.
      fmt::format_to(std::back_inserter(text), "{}{}, {}\n", currency.empty() ? "" : "\n",
                     o.price.currency, say(Word::offers_per_card));
      currency = o.price.currency;
    }
    put_row(row, each, text);
  }
  const std::pair<std::size_t, Word> left_out[] = {
      {document.left_out, Word::offers_older},
      {document.left_out_superseded, Word::offers_superseded},
      {document.left_out_later, Word::offers_later},
      {document.unknown_cards, Word::offers_unknown}};
  std::string notes;
  for (const auto& [count, word] : left_out) {
    if (count > 0) notes += fmt::format("{} {}\n", count, say(word));
  }
  return notes.empty() ? text : text + "\n" + notes;
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

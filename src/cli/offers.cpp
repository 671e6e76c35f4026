// `offers`: price lists, and what an instance type holds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/output.h"
#include "cli/verbs.h"
#include "report/report.h"

namespace steelyard::cli {
namespace {

Result<offers::Date> day_asked(const Arguments& arguments, const World& world) {
  if (!arguments.has("--as-of")) return world.today();
  const std::string text(arguments.value("--as-of"));
  const auto date = offers::parse_date(text);
  if (date && date->month > 0) return *date;
  return fail({.kind = ErrorKind::usage,
               .what = fmt::format("'{}' is not a day", text),
               .field = "--as-of",
               .try_this = "write it as 2026-11-30"});
}

// The built-in list and the user's files; with files, those alone.
Result<std::vector<offers::Offer>> all_offers(const Arguments& arguments, World& world) {
  const auto files = arguments.values.find("--offers");
  if (files == arguments.values.end()) return offers::embedded_offers();
  std::vector<offers::Offer> all;
  for (const std::string& path : files->second) {
    auto some =
        path == "catalogue" ? offers::embedded_offers() : offers::read_offers(world.files, path);
    if (!some) return some;
    std::ranges::move(*some, std::back_inserter(all));
  }
  return all;
}

// The cards that --gpu may mean. Errors: not_found with the nearest.
Result<std::vector<const facts::Accelerator*>> cards_asked(const Arguments& arguments,
                                                           const facts::Catalogue& catalogue) {
  if (!arguments.has("--gpu")) return std::vector<const facts::Accelerator*>{};
  const std::string name(arguments.value("--gpu"));
  auto match = catalogue.find_card(name);
  if (!match.variants.empty()) return std::move(match.variants);
  return fail({.kind = ErrorKind::not_found,
               .what = fmt::format("no card is called '{}'", name),
               .field = "--gpu",
               .try_this = fmt::format("did you mean {}?", fmt::join(match.nearest, ", "))});
}

bool names(const offers::Offer& offer, std::string_view filter) {
  for (const std::string* text : {&offer.provider, &offer.instance, &offer.card, &offer.region}) {
    if (contains_icase(*text, filter)) return true;
  }
  return false;
}

}  // namespace

int run_offers(const Arguments& arguments, World& world) {
  auto catalogue = load_catalogue(arguments, world);
  if (!catalogue) return refuse(catalogue.error(), world);
  const auto today = day_asked(arguments, world);
  if (!today) return refuse(today.error(), world);
  auto cards = cards_asked(arguments, *catalogue);
  if (!cards) return refuse(cards.error(), world);
  auto all = all_offers(arguments, world);
  if (!all) return refuse(all.error(), world);

  report::OffersDocument document{.as_of = *today};
  const std::string filter = arguments.positionals.empty() ? "" : arguments.positionals.front();
  if (!filter.empty()) document.instance = offers::find_instance(filter);
  for (offers::Offer& offer : *all) {
    const auto other = [&](std::string_view option, const std::string& value) {
      return arguments.has(option) && name_key(arguments.value(option)) != name_key(value);
    };
    if (other("--provider", offer.provider) || other("--tier", offer.tier) ||
        other("--currency", offer.price.currency) || (!filter.empty() && !names(offer, filter))) {
      continue;
    }
    report::OfferRow row{.card = offers::card_of(*catalogue, offer),
                         .history = offers::is_history(offer, *today)};
    if (arguments.has("--gpu") && std::ranges::find(*cards, row.card) == cards->end()) continue;
    if (row.history && !arguments.has("--all")) {
      ++document.left_out;
      continue;
    }
    row.offer = std::move(offer);
    document.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(document.rows, [](const report::OfferRow& a, const report::OfferRow& b) {
    const auto x = a.offer.per_card_hour(), y = b.offer.per_card_hour();
    return std::tie(x.currency, x.amount) < std::tie(y.currency, y.amount);
  });
  if (document.rows.empty() && !document.instance && !filter.empty() && document.left_out == 0) {
    return refuse(
        {.kind = ErrorKind::not_found,
         .what = fmt::format("no offer and no instance type is called '{}'", filter),
         .try_this = "give a provider, a card or an instance type; docs/offers.md says how "
                     "to add your own prices"},
        world);
  }
  auto outputs = Outputs::open(arguments, world);
  if (!outputs) return refuse(outputs.error(), world);
  return outputs->write({.text = [&] { return report::offers_text(document); },
                         .json = [&] { return report::offers_json(document); },
                         .csv = [&] { return report::offers_csv(document); },
                         .markdown = [&] { return report::offers_markdown(document); }},
                        exit_yes, world);
}

}  // namespace steelyard::cli

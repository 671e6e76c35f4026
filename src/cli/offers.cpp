// `offers`: price lists, and what an instance type holds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "cli/output.h"
#include "cli/request.h"
#include "cli/verbs.h"
#include "report/report.h"

namespace steelyard::cli {
namespace {

using Rows = std::vector<report::OfferRow>;

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

// The last day a price can have been seen: today, or the day that was asked. A clock of another
// zone may be a day ahead.
offers::Date latest_day(const offers::Date& asked, const World& world) {
  return offers::day_after(std::max(asked, world.today()));
}

// The built-in list and the user's files; with files, those alone.
Result<std::vector<offers::Offer>> all_offers(const Arguments& arguments, World& world,
                                              const offers::Date& asked) {
  const auto files = arguments.values.find("--offers");
  if (files == arguments.values.end()) return offers::embedded_offers();
  std::vector<offers::Offer> all;
  for (const std::string& path : files->second) {
    auto some = path == "catalogue"
                    ? offers::embedded_offers()
                    : offers::read_offers(world.files, path, latest_day(asked, world));
    if (!some) return some;
    if (all.empty()) {
      all = std::move(*some);
    } else {
      std::ranges::move(*some, std::back_inserter(all));
    }
  }
  return all;
}

// One thing that a row must meet.
struct Filter {
  std::string option;  // "--tier"; empty for the word without an option
  std::string value;
  std::function<bool(const report::OfferRow&)> meets;
  std::function<std::string(const report::OfferRow&)> says;  // what the row has instead
};

bool mentions(const offers::Offer& offer, std::string_view word) {
  for (const std::string* text : {&offer.provider, &offer.instance, &offer.card, &offer.region}) {
    if (contains_icase(*text, word)) return true;
  }
  return false;
}

std::string card_name(const report::OfferRow& row) {
  return row.card != nullptr ? row.card->name : row.offer.card;
}

// Cards first: what is missing is then told of that card. Errors: those of named_cards.
Result<std::vector<Filter>> filters_of(const Arguments& arguments,
                                       const facts::Catalogue& catalogue,
                                       report::OffersDocument& document) {
  std::vector<Filter> filters;
  if (arguments.has("--gpu")) {
    auto named = named_cards(catalogue, arguments.value("--gpu"), "--gpu");
    if (!named) return std::unexpected(named.error());
    document.instance = named->instance;
    filters.push_back({"--gpu", std::string(arguments.value("--gpu")),
                       [cards = named->match.variants](const report::OfferRow& row) {
                         return std::ranges::find(cards, row.card) != cards.end();
                       },
                       card_name});
    if (named->count && !named->instance) {
      filters.push_back(
          {"--gpu", fmt::format("{} cards", *named->count),
           [count = *named->count](const report::OfferRow& row) {
             return row.offer.count == count;
           },
           [](const report::OfferRow& row) { return fmt::format("{}", row.offer.count); }});
    }
  }
  if (!arguments.positionals.empty()) {
    const std::string& word = arguments.positionals.front();
    if (const auto type = offers::find_instance(word)) document.instance = type;
    filters.push_back(
        {"", word,
         [word, cards = catalogue.find_card(word).variants](const report::OfferRow& row) {
           return mentions(row.offer, word) || std::ranges::find(cards, row.card) != cards.end();
         },
         card_name});
  }
  using Text = std::string (*)(const report::OfferRow&);
  const std::pair<const char*, Text> words[] = {
      {"--provider", [](const report::OfferRow& row) { return row.offer.provider; }},
      {"--tier", [](const report::OfferRow& row) { return row.offer.tier; }},
      {"--currency", [](const report::OfferRow& row) { return row.offer.price.currency; }}};
  for (const auto& [option, text] : words) {
    if (!arguments.has(option)) continue;
    filters.push_back({option, std::string(arguments.value(option)),
                       [text, key = name_key(arguments.value(option))](
                           const report::OfferRow& row) { return name_key(text(row)) == key; },
                       text});
  }
  return filters;
}

// Different answers of the rows, in order of appearance, at most eight.
std::vector<std::string> values_of(const Rows& rows, const Filter& filter) {
  constexpr std::size_t most = 8;
  std::vector<std::string> values;
  for (const report::OfferRow& row : rows) {
    std::string value = filter.says(row);
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
    if (values.size() > most) break;
  }
  if (values.size() > most) values.back() = "...";
  return values;
}

constexpr std::string_view own_list = "your own prices: --offers FILE, docs/offers.md";

// A provider, a tier or a word that no row of the whole list has is a slip, not an answer.
Status known_words(const Rows& rows, const std::vector<Filter>& filters, bool is_instance) {
  for (const Filter& filter : filters) {
    if (filter.option == "--gpu" || std::ranges::any_of(rows, filter.meets)) continue;
    if (filter.option.empty() && is_instance) continue;
    if (filter.option.empty()) {
      const std::string no_type = offers::why_no_instance(filter.value);
      return fail(
          {.kind = ErrorKind::not_found,
           .what = no_type.empty() ? fmt::format("no offer and no instance type is called "
                                                 "'{}'",
                                                 filter.value)
                                   : no_type,
           .try_this = fmt::format("give a provider, a card or an instance type; {}", own_list)});
    }
    return fail(
        {.kind = ErrorKind::not_found,
         .what = fmt::format("no offer has {} '{}'", filter.option.substr(2), filter.value),
         .field = filter.option,
         .try_this = fmt::format("the list has {}", fmt::join(values_of(rows, filter), ", "))});
  }
  return {};
}

// Keeps what meets every filter; where one leaves nothing, says so.
void narrow(Rows& rows, const std::vector<Filter>& filters, std::string& none) {
  std::string so_far;
  for (const Filter& filter : filters) {
    Rows kept;
    for (report::OfferRow& row : rows) {
      if (filter.meets(row)) kept.push_back(std::move(row));
    }
    const std::string said = filter.option.empty() || filter.option == "--gpu"
                                 ? filter.value
                                 : fmt::format("{} {}", filter.option.substr(2), filter.value);
    if (kept.empty() && none.empty()) {
      none = so_far.empty()
                 ? fmt::format("the list has no price of {}; {}", said, own_list)
                 : fmt::format("{} prices of {}, none of them of {}; they have {}", rows.size(),
                               so_far, said, fmt::join(values_of(rows, filter), ", "));
      rows.clear();
      return;
    }
    so_far += (so_far.empty() ? "" : ", ") + said;
    rows = std::move(kept);
  }
}

void mark_superseded(Rows& rows) {
  std::vector<offers::Meant> meant;
  meant.reserve(rows.size());
  for (const report::OfferRow& row : rows) meant.push_back({&row.offer, row.card});
  const std::vector<bool> replaced = offers::superseded(meant);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].superseded = replaced[i];
}

// Prices of another day are left out and counted.
void drop_other_days(bool all, report::OffersDocument& document) {
  Rows& rows = document.rows;
  document.left_out_later = std::erase_if(
      rows, [&](const report::OfferRow& row) { return row.offer.date > document.as_of; });
  mark_superseded(rows);
  for (report::OfferRow& row : rows) row.history = offers::is_history(row.offer, document.as_of);
  if (all) return;
  document.left_out = std::erase_if(rows, [](const report::OfferRow& row) { return row.history; });
  document.left_out_superseded =
      std::erase_if(rows, [](const report::OfferRow& row) { return row.superseded; });
}

// Sorted by key, then moved once: a row is large.
void order(Rows& rows) {
  struct Key {
    std::array<char, 3> currency{};
    bool old = false;
    double each = 0;
    std::size_t at = 0;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<Key> keys;
  keys.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const offers::Money each = rows[i].offer.per_card_hour();
    Key key{.old = !rows[i].is_current(), .each = each.amount, .at = i};
    each.currency.copy(key.currency.data(), key.currency.size());
    keys.push_back(key);
  }
  std::ranges::sort(keys, [](const Key& a, const Key& b) { return a < b; });
  // Each cycle of the permutation in place: a second list of all rows would cost more than sorting.
  for (std::size_t start = 0; start < keys.size(); ++start) {
    if (keys[start].at == start) continue;
    report::OfferRow first = std::move(rows[start]);
    std::size_t to = start;
    while (keys[to].at != start) {
      rows[to] = std::move(rows[keys[to].at]);
      to = std::exchange(keys[to].at, to);
    }
    rows[to] = std::move(first);
    keys[to].at = to;
  }
}

Result<report::OffersDocument> answer(const Arguments& arguments, World& world,
                                      const facts::Catalogue& catalogue) {
  const auto today = day_asked(arguments, world);
  if (!today) return std::unexpected(today.error());
  report::OffersDocument document{.as_of = *today};
  const auto filters = filters_of(arguments, catalogue, document);
  if (!filters) return std::unexpected(filters.error());
  auto all = all_offers(arguments, world, *today);
  if (!all) return std::unexpected(all.error());
  offers::CardFinder finder(catalogue);
  document.rows.reserve(all->size());
  for (offers::Offer& offer : *all) {
    const facts::Accelerator* card = finder.card_of(offer);
    document.rows.push_back({.offer = std::move(offer), .card = card});
  }
  if (auto known = known_words(document.rows, *filters, document.instance.has_value()); !known) {
    return std::unexpected(known.error());
  }
  narrow(document.rows, *filters, document.none);
  drop_other_days(arguments.has("--all"), document);
  if (document.rows.empty() && document.none.empty()) {
    document.none =
        document.left_out > 0
            ? fmt::format("all that fit are older than a year on {}", offers::date_text(*today))
            : fmt::format("all that fit were seen after {}", offers::date_text(*today));
  }
  document.unknown_cards = static_cast<std::size_t>(std::ranges::count_if(
      document.rows, [](const report::OfferRow& row) { return row.card == nullptr; }));
  order(document.rows);
  return document;
}

}  // namespace

int run_offers(const Arguments& arguments, World& world) {
  auto catalogue = load_catalogue(arguments, world);
  if (!catalogue) return refuse(catalogue.error(), world);
  const auto document = answer(arguments, world, *catalogue);
  if (!document) return refuse(document.error(), world);
  auto outputs = Outputs::open(arguments, world);
  if (!outputs) return refuse(outputs.error(), world);
  // Nothing to be had is a "no"; what a named type holds is an answer even without a price.
  const bool never = lower(arguments.value("--fail-on")) == "never";
  const bool held = document->instance && !arguments.has("--gpu");
  const bool yes = !document->rows.empty() || held || never;
  return outputs->write({.text = [&] { return report::offers_text(*document); },
                         .json = [&] { return report::offers_json(*document); },
                         .csv = [&] { return report::offers_csv(*document); },
                         .markdown = [&] { return report::offers_markdown(*document); }},
                        yes ? exit_yes : exit_no, world);
}

}  // namespace steelyard::cli

// Which prices a newer one has replaced.
#include <algorithm>
#include <array>
#include <map>

#include "offers/offers.h"

namespace steelyard::offers {
namespace {

// Stands for "whichever"; no region or instance is written so.
constexpr std::string_view any = "\n*";

// What must be equal for one price to replace another. Pieced together without formatting: a list
// may have hundreds of thousands of rows.
void put_thing(const Meant& one, std::string& key) {
  const Offer& o = *one.offer;
  key.clear();
  key.append(o.provider).append(1, '\n');
  key.append(one.card != nullptr ? one.card->id : o.card).append(1, '\n');
  key.append(o.tier).append(1, '\n').append(o.price.currency);
  key.append(o.monthly ? "\nmonth\n" : "\nhour\n").append(std::to_string(o.count));
}

// What a row's region or instance may be compared with: itself and a blank, or all for a blank.
std::array<std::string_view, 2> agreeing(std::string_view mine) {
  if (mine.empty()) return {any, any};
  return {mine, ""};
}

using Place = std::pair<std::string_view, std::string_view>;  // region, instance

// The newest day of each place, and of each place but for one or both of its words.
class Newest {
 public:
  void add(const Place& place, const Date& date) {
    for (const std::string_view r : {place.first, any}) {
      for (const std::string_view i : {place.second, any}) {
        Date& seen = days_[{r, i}];
        seen = std::max(seen, date);
      }
    }
  }
  bool has_after(const Place& place, const Date& date) const {
    for (const std::string_view r : agreeing(place.first)) {
      for (const std::string_view i : agreeing(place.second)) {
        const auto seen = days_.find({r, i});
        if (seen != days_.end() && seen->second > date) return true;
      }
    }
    return false;
  }

 private:
  std::map<Place, Date> days_;
};

}  // namespace

std::vector<bool> superseded(const std::vector<Meant>& offers) {
  std::unordered_map<std::string, std::vector<std::size_t>> things;
  std::string thing;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    put_thing(offers[i], thing);
    things[thing].push_back(i);
  }
  std::vector<bool> replaced(offers.size(), false);
  for (const auto& [key, rows] : things) {
    const auto date = [&](std::size_t row) { return offers[row].offer->date; };
    // Most things have one price, or several of one day: nothing replaces anything there.
    if (std::ranges::all_of(rows, [&](std::size_t r) { return date(r) == date(rows[0]); })) {
      continue;
    }
    const auto place = [&](std::size_t row) {
      return Place{offers[row].offer->region, offers[row].offer->instance};
    };
    Newest newest;
    for (const std::size_t row : rows) newest.add(place(row), date(row));
    for (const std::size_t row : rows) replaced[row] = newest.has_after(place(row), date(row));
  }
  return replaced;
}

}  // namespace steelyard::offers

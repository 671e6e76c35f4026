#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "offers/offers.h"

namespace steelyard::offers {
namespace {

std::optional<int> digits(std::string_view text, std::size_t wanted) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = text.size() == wanted && end == text.data() + text.size();
  return error == std::errc() && whole && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<Date> parse_date(std::string_view text) {
  const auto year = digits(text.substr(0, 4), 4);
  if (!year || *year < 2000 || *year > 2100) return std::nullopt;
  if (text.size() == 4) return Date{.year = *year};
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto month = digits(text.substr(5, 2), 2), day = digits(text.substr(8, 2), 2);
  if (!month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return Date{.year = *year, .month = *month, .day = *day};
}

std::string date_text(const Date& date) {
  if (date.month == 0) return fmt::format("{}", date.year);
  // Without a format to parse: a list prints one for each of its rows.
  std::string text = "0000-00-00";
  const auto put = [&](std::size_t end, int value) {
    for (; value > 0; value /= 10) text[--end] = static_cast<char>('0' + value % 10);
  };
  put(4, date.year % 10000);
  put(7, date.month);
  put(10, date.day);
  return text;
}

Date day_after(const Date& date) {
  namespace ch = std::chrono;
  const ch::year_month_day day{ch::year(date.year), ch::month(static_cast<unsigned>(date.month)),
                               ch::day(static_cast<unsigned>(date.day))};
  const ch::year_month_day next{ch::sys_days(day) + ch::days(1)};
  return {.year = static_cast<int>(next.year()),
          .month = static_cast<int>(static_cast<unsigned>(next.month())),
          .day = static_cast<int>(static_cast<unsigned>(next.day()))};
}

bool is_history(const Offer& offer, const Date& today) {
  const Date year_ago{.year = today.year - 1, .month = today.month, .day = today.day};
  return offer.date < year_ago;
}

}  // namespace steelyard::offers

// Front header: what providers ask for cards. Prices keep their currency and their date.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.h"
#include "os/os.h"

namespace steelyard::offers {

// A day; month and day are 0 where only the year is known.
struct Date {
  int year = 0, month = 0, day = 0;
  auto operator<=>(const Date&) const = default;
};
// "2026-05-24" or "2026". Nothing for other text and for days that no calendar has.
std::optional<Date> parse_date(std::string_view text);
std::string date_text(const Date& date);

struct Money {
  double amount = 0;
  std::string currency;  // three capital letters
};

// The price of one instance with `count` cards.
struct Offer {
  std::string provider, region, instance, card;
  std::uint32_t count = 1;
  std::optional<double> memory_gb, vcpu, host_memory_gb;  // memory of one card
  std::string tier;  // on-demand, reserved, monthly, spot, marketplace, community, secure, ...
  Money price;
  bool monthly = false;  // per month of 730 hours, else per hour
  std::string link, sla;
  Date date;
  std::string source, note;

  Money per_card_hour() const;
};

// An instance type, or a family by the beginning of its name.
struct Instance {
  std::string provider, name, card;
  std::uint32_t count = 0;  // 0: not known from the family's name
  std::optional<double> memory_gb, vcpu, host_memory_gb;
  std::string confidence, source;
  bool family = false;
};

// The formats of docs/offers.md, by the file's ending (.csv, .toml). Errors name file, line and
// field.
Result<std::vector<Offer>> read_offers(os::Files& files, const std::string& path);
Result<std::vector<Offer>> parse_offers_csv(std::string_view text, const std::string& file);
Result<std::vector<Offer>> parse_offers_toml(std::string_view text, const std::string& file);

// What is built in.
Result<std::vector<Offer>> embedded_offers();
// The type of that name, else the longest family that begins it. For families of Alibaba Cloud the
// count follows from the name: c8g1.2xlarge has 8 cores, so one card.
std::optional<Instance> find_instance(std::string_view name);
std::vector<Instance> embedded_instances();

// A price older than a year on `today`, or of a year alone that may be: shown, never used.
bool is_history(const Offer& offer, const Date& today);

// The card that an offer means, by its name and memory; null when the catalogue lacks it.
const facts::Accelerator* card_of(const facts::Catalogue& catalogue, const Offer& offer);

}  // namespace steelyard::offers

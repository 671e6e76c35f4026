// Front header: what providers ask for cards. Prices keep their currency and their date.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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
Date day_after(const Date& date);

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
  std::string sizes;     // of a family: how its names are read, see data/offers/README.md
  std::string inferred;  // what was concluded from the name alone; empty: the list says it
};

// The formats of docs/offers.md, by the file's ending (.csv, .toml). A price seen after `latest` is
// a mistake of its row; without that day dates are not held against one. Errors name file, line and
// field; a list without a single offer is an error too.
using Latest = std::optional<Date>;
Result<std::vector<Offer>> read_offers(os::Files& files, const std::string& path, Latest latest);
Result<std::vector<Offer>> parse_offers_csv(std::string_view text, const std::string& file,
                                            Latest latest = {});
Result<std::vector<Offer>> parse_offers_toml(std::string_view text, const std::string& file,
                                             Latest latest = {});

// What is built in.
Result<std::vector<Offer>> embedded_offers();
// The type of that name, else the longest family that begins it and can have that size. For
// families of Alibaba Cloud the count follows from the name: c8g1.2xlarge has 8 cores, so one card.
std::optional<Instance> find_instance(std::string_view name);
// Why a name that begins as a known family is no type of it; empty for every other name.
std::string why_no_instance(std::string_view name);
std::vector<Instance> embedded_instances();

// A price older than a year on `today`, or of a year alone that may be: shown, never used.
bool is_history(const Offer& offer, const Date& today);

// Finds the card that an offer means, by its name and memory; null when the catalogue lacks it.
// Each name is resolved once: a list repeats few names many times.
class CardFinder {
 public:
  explicit CardFinder(const facts::Catalogue& catalogue) : catalogue_(catalogue) {}
  const facts::Accelerator* card_of(const Offer& offer);

 private:
  const facts::Catalogue& catalogue_;
  std::unordered_map<std::string, const facts::Accelerator*> known_;
};

// An offer and the card it means; the card may be null.
struct Meant {
  const Offer* offer;
  const facts::Accelerator* card;
};
// For each one whether a newer price of the same thing stands in the list: same provider, card,
// count, tier, currency and unit of time, and neither region nor instance contradicts it (a blank
// one does not).
std::vector<bool> superseded(const std::vector<Meant>& offers);

}  // namespace steelyard::offers

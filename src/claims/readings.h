// The meanings of one figure on one card.
#pragma once

#include "claims/advert.h"

namespace steelyard::claims {

// `card` is one variant. Each appends what fits the figure.
void read_rate(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
               std::vector<Reading>& readings);
void read_memory(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
                 std::vector<Reading>& readings);
void read_bandwidth(const facts::Catalogue& catalogue, const facts::Accelerator& card,
                    const Advert& advert, const Figure& figure, std::vector<Reading>& readings);
void read_power(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
                std::vector<Reading>& readings);
// Cores, multiprocessors, bus, clock, cache.
void read_part(const facts::Accelerator& card, const Figure& figure,
               std::vector<Reading>& readings);
// Values that other sources print for the card, where the catalogue's own do not fit.
void read_other_values(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
                       std::vector<Reading>& readings);

// Claims without a figure: NVLink, PCIe generation, ECC, MIG, FP8 and FP4 units, the board, how it
// is shared. `catalogue` is asked nothing: `card` is one variant.
void read_features(const facts::Accelerator& card, const Advert& advert,
                   std::vector<Reading>& readings, std::vector<Unread>& unread);
void read_board(const facts::Accelerator& card, const Advert& advert,
                std::vector<Reading>& readings);
// Words that speak against the card or against each other: another architecture, SXM and PCIe, a
// MIG slice and the whole card.
void read_words(const facts::Accelerator& card, const Advert& advert,
                std::vector<Reading>& readings, std::vector<Unread>& unread);
// Shares of a card: fractions, MIG and vGPU profiles, on the first of `variants` that has them.
void read_shares(const std::vector<const facts::Accelerator*>& variants, const Advert& advert,
                 std::vector<Reading>& readings, std::vector<Unread>& unread);

// Why no meaning fits: the nearest figures of the card, the bound it breaks, or what the catalogue
// does not know.
Unread explain_unread(const facts::Accelerator& card, const Advert& advert, const Figure& figure);
Unread nearest_rate(const facts::Accelerator& card, const Advert& advert, const Figure& figure);

// What the words straight before or behind a figure say of a link between cards: nothing, its name
// in a list ("NVLink 2039GB/s"), or that the figure is the link's ("NVLink带宽 600GB/s").
enum class LinkSaid { no, beside, labelled };
LinkSaid link_said(const Advert& advert, const Figure& figure);
// The link's key, or "nvlink1", "nvlink" where the catalogue has its name and no rate.
std::string link_of(const facts::Accelerator& card);

// What the text around a figure says of its precision ("fp16"); empty when it says nothing.
std::vector<std::string_view> said_precisions(const Advert& advert, const Figure& figure);
// Marks a sum over cards that the text does not name as not plausible.
void weigh_cards(Reading& reading, const Advert& advert);

bool close(double value, double wanted, double tolerance);
// `wanted` rounds, or is cut off, to the figure's own digits.
bool fits(const Figure& figure, double wanted, double least_tolerance = 0);
// "330 TFLOP/s", "80 GB", "1,008 GB/s".
std::string shown(Measure quantity, double value);

}  // namespace steelyard::claims

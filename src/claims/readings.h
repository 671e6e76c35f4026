// The meanings of one figure on one card.
#pragma once

#include "claims/advert.h"

namespace steelyard::claims {

// `card` is one variant; `count` the cards of the machine. Appends what fits the figure.
void read_rate(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
               std::vector<Reading>& readings);
void read_memory(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
                 std::vector<Reading>& readings);
void read_bandwidth(const facts::Catalogue& catalogue, const facts::Accelerator& card,
                    const Advert& advert, const Figure& figure, std::vector<Reading>& readings);
void read_power(const facts::Accelerator& card, const Advert& advert, const Figure& figure,
                std::vector<Reading>& readings);

// Claims without a figure: NVLink, PCIe generation, ECC, MIG, FP8 and FP4 units, blower boards.
void read_features(const facts::Accelerator& card, const Advert& advert,
                   std::vector<Reading>& readings, std::vector<Unread>& unread);

// The nearest figure of the card, or the bound that the claimed one breaks.
Unread nearest_rate(const facts::Accelerator& card, const Advert& advert, const Figure& figure);

bool close(double value, double wanted, double tolerance);
// "330 TFLOP/s", "80 GB", "1,008 GB/s".
std::string shown(Measure quantity, double value);

}  // namespace steelyard::claims

// What a buyer will see on the machine, and what to ask before paying.
#pragma once

#include "claims/advert.h"

namespace steelyard::claims {

void describe_practice(const Advert& advert, Claim& claim);

}  // namespace steelyard::claims

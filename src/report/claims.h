// What an advert says, as text, CSV and inside the document of `gpus`.
#pragma once

#include <string>

#include "claims/claims.h"

namespace steelyard::report {

// `all`: also each meaning that the rest of the text contradicts, with its reason.
std::string claim_text(const claims::Claim& claim, bool all);
std::string claim_csv(const claims::Claim& claim);       // one line per reading
std::string claim_markdown(const claims::Claim& claim);  // a table

// `steelyard.gpus/1` with the cards of the text and `claim`, `readings`, `unread`, `in_practice`,
// `ask_the_seller`.
std::string claim_json(const claims::Claim& claim);

}  // namespace steelyard::report

// What went wrong with a hub, in two lines: what, and the way out.
#pragma once

#include "hub/address.h"

namespace steelyard::hub {

enum class Wanted { json, header, anything };

// A good answer (200, 206), or the error that tells people what to do.
Result<os::HttpResponse> accept(os::HttpResult answer, const Address& address,
                                const std::string& url, Wanted wanted,
                                const std::vector<std::string>& known_names);

}  // namespace steelyard::hub

// Lines of at most 100 columns.
#pragma once

#include <string>
#include <string_view>

namespace steelyard::report {

// Breaks at spaces; continuation lines are indented.
std::string wrapped(std::string_view text, std::size_t first, std::size_t indent);

}  // namespace steelyard::report

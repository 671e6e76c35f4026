// Text from files, names and networks, made safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace steelyard {

// Replaces by U+FFFD what a terminal would obey instead of show: control characters other than
// newline and tab, C1 controls, marks that turn the reading direction, and bytes that are no
// UTF-8. Colours (ESC [ digits m), which our own reports write, stay.
std::string printable(std::string_view text);

// One line of text from outside, without colours: newlines and tabs are replaced too, so that a
// name cannot pretend to be a line of the answer.
std::string one_line(std::string_view text);

}  // namespace steelyard

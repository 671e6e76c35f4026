// The facts as compact bytes. A build step packs data/ once, so that starting the program costs
// microseconds where reading 150 kB of TOML costs milliseconds.
#pragma once

#include <string>
#include <string_view>

#include "facts/toml_reader.h"

namespace steelyard::facts {

std::string write_pack(const Facts& facts);
// Errors: internal, for bytes that write_pack of the same build did not make.
Result<Facts> read_pack(std::string_view bytes);

}  // namespace steelyard::facts

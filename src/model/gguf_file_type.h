// general.file_type: the mix a GGUF file was quantised with.
#pragma once

#include <cstdint>
#include <string>

namespace steelyard::model {

// "Q4_K - Medium" for 15; "file type 99" for a number we do not know.
std::string gguf_file_type_name(std::uint64_t type);

}  // namespace steelyard::model

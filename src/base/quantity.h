// Reads what people type: 8k tokens, 24GB, 24GiB, 90s, 1.5h. Full-width digits are understood.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "base/units.h"

namespace steelyard {

// "8192", "8k" (8 x 1024), "1m" (1024 x 1024), "32,768". Whole, positive. `field` names the option.
Result<std::uint64_t> parse_tokens(std::string_view text, std::string_view field);

// "24GB" decimal, "24GiB" binary, "24G" is GiB as nvidia-smi means it, plain digits are bytes.
Result<Bytes> parse_bytes(std::string_view text, std::string_view field);

// "90s", "5m", "4h", "500ms", "3y" (365.25 d). Positive.
Result<Seconds> parse_duration(std::string_view text, std::string_view field);

// "0.92" or "92%"; must lie in (0, 1].
Result<double> parse_fraction(std::string_view text, std::string_view field);

// A finite number; no unit.
Result<double> parse_number(std::string_view text, std::string_view field);

// 1536 MiB -> "1.50 GiB"; below 0.1 GiB in MiB; three significant digits.
std::string format_bytes(Bytes bytes);

}  // namespace steelyard

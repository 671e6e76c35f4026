// A number format: how many bytes a block of elements takes. Exact, from the format's definition.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/base.h"

namespace steelyard::facts {

// A stored format. Plain types have block_elements 1. Examples: bf16 {1, 2}, q4_0 {32, 18},
// q6_k {256, 210}. Sub-byte plain types use a block (int4: {2, 1}).
struct Format {
  std::string_view name;  // our canonical lower-case name, of the table: "bf16", "q4_k"
  std::uint32_t block_elements = 1;
  std::uint32_t block_bytes = 2;
  std::uint32_t row_bytes = 0;  // once per row, before its blocks (row scales of ik_llama.cpp)

  // Of the blocks alone; the scale of a row adds 8 * row_bytes / columns.
  double bits_per_element() const { return 8.0 * block_bytes / block_elements; }
  // Bytes of a row-major matrix whose rows are each padded to whole blocks. Saturates.
  Bytes matrix_bytes(std::uint64_t rows, std::uint64_t cols) const {
    const std::uint64_t row =
        saturating_add(saturating_mul(ceil_div(cols, block_elements), block_bytes), row_bytes);
    return Bytes(saturating_mul(rows, row));
  }
  bool operator==(const Format&) const = default;
};

// One line of the table of formats.
struct FormatRow {
  std::string_view name;
  std::uint32_t block_elements, block_bytes, row_bytes;
  int gguf_type;                 // number in a GGUF tensor table, -1 when it has none
  std::string_view safetensors;  // dtype word of a safetensors header, "" when it has none
  std::string_view spellings;    // further names, separated by spaces
};
// Every format we know, plain ones first.
std::span<const FormatRow> format_rows();

// By any spelling: "BF16", "bfloat16", "F8_E4M3", "Q4_K". Nothing for mixes such as "q4_k_m",
// which are weight schemes (see weights.h in model/), not stored types.
std::optional<Format> find_format(std::string_view name);
// By the type number in a GGUF tensor table (0 = f32, 1 = f16, 2 = q4_0 ...).
std::optional<Format> gguf_format(std::uint32_t type_number);
// By the dtype word of a safetensors header ("F32", "BF16", "F8_E4M3", "I32", "U8", "F4" ...).
std::optional<Format> safetensors_format(std::string_view dtype);

}  // namespace steelyard::facts

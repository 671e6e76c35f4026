#include "model/packing.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/stored.h"

namespace steelyard::model {
namespace {

// Integers of `bits` as they are packed into 32-bit words.
facts::Format int_format(std::uint64_t bits) {
  if (bits == 4) return stored_int4();
  if (bits == 8) return stored_int8();
  if (bits == 2) return {.name = "i2", .block_elements = 4, .block_bytes = 1};
  if (bits == 3) return {.name = "i3", .block_elements = 32, .block_bytes = 12};
  return {.name = "i8", .block_elements = 1, .block_bytes = 1};
}

std::string groups_text(std::string_view method, std::uint64_t bits, std::uint64_t group) {
  return group > 0 ? fmt::format("{}, {}-bit, groups of {}", method, bits, group)
                   : fmt::format("{}, {}-bit, one scale per output feature", method, bits);
}

}  // namespace

std::uint64_t Packing::bytes(std::uint64_t rows, std::uint64_t cols) const {
  if (flat_group > 0) {
    const std::uint64_t values = saturating_mul(rows, cols);
    const std::uint64_t blocks = ceil_div(values, flat_group);
    const std::uint64_t codes = format.matrix_bytes(1, values).value();
    // Nested: 8-bit scales, a 32-bit scale per 256 of them, their offset and both code tables.
    const std::uint64_t beside =
        nested ? saturating_add(blocks, 4 * ceil_div(blocks, 256) + 4 + 4 * (16 + 256))
               : saturating_add(saturating_mul(4, blocks), 4 * 16);
    return saturating_add(codes, beside);
  }
  const std::uint64_t per_row = group > 0 ? ceil_div(cols, group) : 1;
  const std::uint64_t scales =
      saturating_mul(ceil_div(rows, std::max<std::uint64_t>(1, group_rows)), per_row);
  std::uint64_t sum = format.matrix_bytes(rows, cols).value();
  sum = saturating_add(sum, saturating_mul(scales, scale_bytes));
  sum = saturating_add(sum, ceil_div(saturating_mul(scales, zero_bits), 8));
  sum = saturating_add(sum, saturating_mul(cols, column_bytes));
  return saturating_add(sum, tensor_bytes);
}

Packing plain_packing(const facts::Format& format) {
  return {.format = format};
}

Packing awq_packing(std::uint64_t bits, std::uint64_t group) {
  return {.method = "awq",
          .description = groups_text("AWQ", bits, group),
          .format = int_format(bits),
          .group = group,
          .scale_bytes = 2,
          .zero_bits = bits};
}

Packing gptq_packing(std::uint64_t bits, std::uint64_t group, bool g_idx) {
  return {.method = "gptq",
          .description = groups_text("GPTQ", bits, group),
          .format = int_format(bits),
          .group = group,
          .scale_bytes = 2,
          .zero_bits = bits,
          .column_bytes = g_idx ? 4u : 0u};
}

Packing packed_int_packing(std::uint64_t bits, std::uint64_t group, bool symmetric, bool g_idx) {
  return {.method = fmt::format("int{}", bits),
          .description = groups_text("packed integers", bits, group),
          .format = int_format(bits),
          .group = group,
          .scale_bytes = 2,
          .zero_bits = symmetric ? 0 : bits,
          .column_bytes = g_idx ? 4u : 0u,
          .tensor_bytes = 16};  // the unpacked shape, two 64-bit integers
}

Packing int8_channel_packing() {
  return {.method = "int8",
          .description = "8-bit integers, one scale per output feature",
          .format = stored_int8(),
          .scale_bytes = 4};
}

Packing fp8_tensor_packing(std::uint64_t scales) {
  return {.method = "fp8",
          .description = "FP8 (e4m3), one scale per tensor",
          .format = stored_fp8(),
          .tensor_bytes = 4 * scales};
}

Packing fp8_channel_packing(std::uint64_t scale_bytes) {
  return {.method = "fp8",
          .description = "FP8 (e4m3), one scale per output feature",
          .format = stored_fp8(),
          .scale_bytes = scale_bytes};
}

Packing fp8_block_packing(std::uint64_t rows, std::uint64_t cols, std::uint64_t scale_bytes) {
  return {.method = "fp8",
          .description = fmt::format("FP8 (e4m3), one scale per {} x {} block", rows, cols),
          .format = stored_fp8(),
          .group = cols,
          .group_rows = rows,
          .scale_bytes = scale_bytes};
}

Packing nvfp4_packing() {
  return {.method = "nvfp4",
          .description = "NVFP4, FP8 scales per 16 values",
          .format = stored_fp4(),
          .group = 16,
          .scale_bytes = 1,
          .tensor_bytes = 8};
}

Packing mxfp4_packing() {
  return {.method = "mxfp4",
          .description = "MXFP4, 8-bit exponents per 32 values",
          .format = stored_fp4(),
          .group = 32,
          .scale_bytes = 1};
}

Packing nf4_packing(bool nested) {
  return {.method = "bnb-nf4",
          .description = nested ? "bitsandbytes 4-bit, blocks of 64, scales quantised again"
                                : "bitsandbytes 4-bit, blocks of 64",
          .format = {.name = "nf4", .block_elements = 2, .block_bytes = 1},
          .flat_group = 64,
          .nested = nested};
}

Packing bnb8_packing() {
  return {.method = "bnb-int8",
          .description = "bitsandbytes 8-bit, one scale per output feature",
          .format = stored_int8(),
          .scale_bytes = 4};
}

}  // namespace steelyard::model

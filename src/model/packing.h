// How a weight scheme stores one matrix: packed values, and the scales, zero points and indices
// beside them. All arithmetic of bytes per quantised tensor is here.
#pragma once

#include <cstdint>
#include <string>

#include "base/base.h"
#include "facts/facts.h"

namespace steelyard::model {

struct Packing {
  std::string method;              // "awq"
  std::string description;         // "AWQ, 4-bit, groups of 128"
  facts::Format format;            // of the values themselves
  std::uint64_t group = 0;         // input features per scale; 0: one scale per output row
  std::uint64_t group_rows = 1;    // output features per scale (blocks of 128 x 128)
  std::uint64_t scale_bytes = 0;   // of each scale
  std::uint64_t zero_bits = 0;     // of each zero point, one per scale
  std::uint64_t column_bytes = 0;  // per input feature (GPTQ's g_idx)
  std::uint64_t tensor_bytes = 0;  // per tensor (global scales, shapes)
  // bitsandbytes quantises the matrix as one row: blocks of `flat_group` values, whose scales are
  // quantised again when `nested`.
  std::uint64_t flat_group = 0;
  bool nested = false;

  // Bytes of a rows x cols matrix with everything beside it. Saturates.
  std::uint64_t bytes(std::uint64_t rows, std::uint64_t cols) const;
};

Packing plain_packing(const facts::Format& format);
Packing awq_packing(std::uint64_t bits, std::uint64_t group);
Packing gptq_packing(std::uint64_t bits, std::uint64_t group, bool g_idx = true);
// compressed-tensors' packed integers; scales in 16 bits, zero points only when asymmetric.
Packing packed_int_packing(std::uint64_t bits, std::uint64_t group, bool symmetric, bool g_idx);
Packing int8_channel_packing();                        // W8A8: one 32-bit scale per output feature
Packing fp8_tensor_packing(std::uint64_t scales = 2);  // 32-bit scales of weight and input
Packing fp8_channel_packing(std::uint64_t scale_bytes);
Packing fp8_block_packing(std::uint64_t rows, std::uint64_t cols, std::uint64_t scale_bytes = 4);
Packing nvfp4_packing();           // fp8 scale per 16, two 32-bit scales per tensor
Packing mxfp4_packing();           // 8-bit exponent per 32
Packing nf4_packing(bool nested);  // bitsandbytes, blocks of 64
Packing bnb8_packing();            // bitsandbytes LLM.int8(): 32-bit scale per output feature

}  // namespace steelyard::model

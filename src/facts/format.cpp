#include "facts/format.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace steelyard::facts {
namespace {

// A block layout is the definition of a format, not a fact that changes: so it is code, once.
// GGUF layouts follow the block structs of ggml (ggml-common.h); numbers 96 and up are those of
// the ik_llama.cpp fork, whose _r4/_r8/_r16 types hold the same bytes with rows interleaved.
// Number 36 is left out: it means two different things in mainline's past and in the fork.
constexpr FormatRow rows[] = {
    // Plain numbers.
    {"f64", 1, 8, 0, 28, "F64", "fp64 float64 double"},
    {"f32", 1, 4, 0, 0, "F32", "fp32 float32 float"},
    {"f16", 1, 2, 0, 1, "F16", "fp16 float16 half"},
    {"bf16", 1, 2, 0, 30, "BF16", "bfloat16"},
    {"f8_e4m3", 1, 1, 0, -1, "F8_E4M3", "fp8 f8 float8 fp8_e4m3 fp8_e4m3fn float8_e4m3fn e4m3"},
    {"f8_e5m2", 1, 1, 0, -1, "F8_E5M2", "fp8_e5m2 float8_e5m2 e5m2"},
    {"f8_e8m0", 1, 1, 0, -1, "F8_E8M0", "fp8_e8m0 float8_e8m0fnu e8m0"},
    {"f8_e4m3fnuz", 1, 1, 0, -1, "F8_E4M3FNUZ", "fp8_e4m3fnuz float8_e4m3fnuz"},
    {"f8_e5m2fnuz", 1, 1, 0, -1, "F8_E5M2FNUZ", "fp8_e5m2fnuz float8_e5m2fnuz"},
    {"f6_e2m3", 4, 3, 0, -1, "F6_E2M3", "fp6_e2m3 fp6 f6"},
    {"f6_e3m2", 4, 3, 0, -1, "F6_E3M2", "fp6_e3m2"},
    {"f4", 2, 1, 0, -1, "F4", "fp4 f4_e2m1 fp4_e2m1 float4_e2m1fn_x2"},
    {"c64", 1, 8, 0, -1, "C64", "complex64"},
    {"i64", 1, 8, 0, 27, "I64", "int64"},
    {"i32", 1, 4, 0, 26, "I32", "int32"},
    {"i16", 1, 2, 0, 25, "I16", "int16"},
    {"i8", 1, 1, 0, 24, "I8", "int8"},
    {"i4", 2, 1, 0, -1, "", "int4 uint4 u4"},
    {"i2", 4, 1, 0, -1, "", "int2 uint2 u2"},
    {"u64", 1, 8, 0, -1, "U64", "uint64"},
    {"u32", 1, 4, 0, -1, "U32", "uint32"},
    {"u16", 1, 2, 0, -1, "U16", "uint16"},
    {"u8", 1, 1, 0, -1, "U8", "uint8"},
    {"bool", 1, 1, 0, -1, "BOOL", "boolean"},
    // GGUF: blocks of 32 and their scales.
    {"q4_0", 32, 18, 0, 2, "", ""},
    {"q4_1", 32, 20, 0, 3, "", ""},
    {"q5_0", 32, 22, 0, 6, "", ""},
    {"q5_1", 32, 24, 0, 7, "", ""},
    {"q8_0", 32, 34, 0, 8, "", ""},
    {"q8_1", 32, 36, 0, 9, "", ""},
    {"mxfp4", 32, 17, 0, 39, "", ""},
    {"nvfp4", 64, 36, 0, 40, "", ""},
    {"q1_0", 128, 18, 0, 41, "", "q1_0_g128"},
    {"q2_0", 64, 18, 0, 42, "", ""},
    // GGUF: super-blocks of 256.
    {"q2_k", 256, 84, 0, 10, "", ""},
    {"q3_k", 256, 110, 0, 11, "", ""},
    {"q4_k", 256, 144, 0, 12, "", ""},
    {"q5_k", 256, 176, 0, 13, "", ""},
    {"q6_k", 256, 210, 0, 14, "", ""},
    {"q8_k", 256, 292, 0, 15, "", ""},
    {"iq2_xxs", 256, 66, 0, 16, "", ""},
    {"iq2_xs", 256, 74, 0, 17, "", ""},
    {"iq3_xxs", 256, 98, 0, 18, "", ""},
    {"iq1_s", 256, 50, 0, 19, "", ""},
    {"iq4_nl", 32, 18, 0, 20, "", ""},
    {"iq3_s", 256, 110, 0, 21, "", ""},
    {"iq2_s", 256, 82, 0, 22, "", ""},
    {"iq4_xs", 256, 136, 0, 23, "", ""},
    {"iq1_m", 256, 56, 0, 29, "", ""},
    {"tq1_0", 256, 54, 0, 34, "", ""},
    {"tq2_0", 256, 66, 0, 35, "", ""},
    // Withdrawn from mainline, still met in old files.
    {"q4_0_4_4", 32, 18, 0, 31, "", ""},
    {"q4_0_4_8", 32, 18, 0, 32, "", ""},
    {"q4_0_8_8", 32, 18, 0, 33, "", ""},
    {"iq4_nl_4_8", 32, 18, 0, 37, "", ""},
    {"iq4_nl_8_8", 32, 18, 0, 38, "", ""},
    // ik_llama.cpp.
    {"q6_0", 32, 26, 0, 133, "", ""},
    {"iq1_bn", 64, 13, 2, 134, "", ""},
    {"iq2_bn", 64, 16, 4, 135, "", ""},
    {"iq2_k", 256, 76, 0, 137, "", ""},
    {"iq3_k", 256, 110, 0, 138, "", ""},
    {"iq4_k", 256, 144, 0, 139, "", ""},
    {"iq5_k", 256, 176, 0, 140, "", ""},
    {"iq6_k", 256, 212, 0, 141, "", ""},
    {"iq4_ks", 256, 136, 4, 144, "", ""},
    {"iq2_ks", 256, 70, 2, 145, "", ""},
    {"iq4_kss", 256, 128, 4, 146, "", ""},
    {"q8_kv", 32, 32, 8, 151, "", ""},
    {"iq5_ks", 256, 168, 4, 152, "", ""},
    {"iq2_kt", 256, 68, 4, 153, "", ""},
    {"iq3_kt", 256, 100, 4, 154, "", ""},
    {"iq4_kt", 256, 128, 4, 155, "", ""},
    {"iq3_ks", 256, 102, 2, 156, "", ""},
    {"iq2_kl", 256, 86, 2, 157, "", ""},
    {"iq1_kt", 256, 56, 4, 158, "", ""},
    {"q4_0_r8", 32, 18, 0, 202, "", "q4_0_r4"},
    {"q5_0_r4", 32, 22, 0, 206, "", ""},
    {"q8_0_r8", 32, 34, 0, 208, "", "q8_0_r4"},
    {"q2_k_r4", 256, 84, 0, 210, "", ""},
    {"q3_k_r4", 256, 110, 0, 211, "", ""},
    {"q4_k_r4", 256, 144, 0, 212, "", ""},
    {"q5_k_r4", 256, 176, 0, 213, "", ""},
    {"q6_k_r4", 256, 210, 0, 214, "", ""},
    {"iq2_xxs_r4", 256, 66, 0, 216, "", ""},
    {"iq2_xs_r4", 256, 74, 0, 217, "", ""},
    {"iq3_xxs_r4", 256, 98, 0, 218, "", ""},
    {"iq1_s_r4", 32, 6, 2, 219, "", ""},  // not iq1_s interleaved: its scale moved to the row
    {"iq4_nl_r4", 32, 18, 0, 220, "", ""},
    {"iq3_s_r4", 256, 110, 0, 221, "", ""},
    {"iq2_s_r4", 256, 82, 0, 222, "", ""},
    {"iq4_xs_r8", 256, 136, 0, 223, "", "iq4_xs_r4"},
    {"iq1_m_r4", 32, 7, 2, 229, "", ""},
    {"bf16_r16", 1, 2, 0, 230, "", ""},
    {"q6_0_r4", 32, 26, 0, 233, "", ""},
    {"iq2_bn_r4", 64, 16, 4, 335, "", ""},
    {"iq2_k_r4", 256, 76, 0, 337, "", ""},
    {"iq3_k_r4", 256, 110, 0, 338, "", ""},
    {"iq4_k_r4", 256, 144, 0, 339, "", ""},
    {"iq5_k_r4", 256, 176, 0, 340, "", ""},
    {"iq4_ks_r4", 256, 136, 4, 344, "", ""},
    {"iq5_ks_r4", 256, 168, 4, 352, "", ""},
    {"q8_kv_r8", 32, 32, 4, 398, "", ""},
    {"q8_k_r8", 256, 258, 0, 399, "", ""},
};

Format to_format(const FormatRow& row) {
  return {row.name, row.block_elements, row.block_bytes, row.row_bytes};
}

// Every spelling of every row, as written and as its name key; the first row wins.
const std::unordered_map<std::string, const FormatRow*>& by_spelling() {
  static const auto table = [] {
    std::unordered_map<std::string, const FormatRow*> found;
    for (const FormatRow& row : rows) {
      found.emplace(row.name, &row);
      found.emplace(name_key(row.name), &row);
      for (const std::string_view spelling : split(row.spellings, ' ')) {
        if (!spelling.empty()) found.emplace(name_key(spelling), &row);
      }
    }
    return found;
  }();
  return table;
}

}  // namespace

std::span<const FormatRow> format_rows() {
  return rows;
}

std::optional<Format> find_format(std::string_view name) {
  // Our own names come by the million from quantisation mixes.
  const auto& table = by_spelling();
  if (const auto own = table.find(std::string(name)); own != table.end()) {
    return to_format(*own->second);
  }
  std::string key = name_key(name);
  // PyTorch writes "torch.bfloat16".
  if (key.starts_with("torch")) key.erase(0, 5);
  const auto found = table.find(key);
  return found == table.end() ? std::nullopt : std::optional(to_format(*found->second));
}

std::optional<Format> gguf_format(std::uint32_t type_number) {
  for (const FormatRow& row : rows) {
    if (row.gguf_type >= 0 && static_cast<std::uint32_t>(row.gguf_type) == type_number) {
      return to_format(row);
    }
  }
  return std::nullopt;
}

std::optional<Format> safetensors_format(std::string_view dtype) {
  for (const FormatRow& row : rows) {
    if (!row.safetensors.empty() && row.safetensors == dtype) return to_format(row);
  }
  return std::nullopt;
}

}  // namespace steelyard::facts

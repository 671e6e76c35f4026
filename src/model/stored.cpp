#include "model/stored.h"

#include "base/base.h"

namespace steelyard::model {

facts::Format stored_bf16() {
  return {.name = "bf16", .block_elements = 1, .block_bytes = 2};
}
facts::Format stored_f16() {
  return {.name = "f16", .block_elements = 1, .block_bytes = 2};
}
facts::Format stored_f32() {
  return {.name = "f32", .block_elements = 1, .block_bytes = 4};
}
facts::Format stored_fp8() {
  return {.name = "f8_e4m3", .block_elements = 1, .block_bytes = 1};
}
facts::Format stored_int8() {
  return {.name = "i8", .block_elements = 1, .block_bytes = 1};
}
facts::Format stored_int4() {
  return {.name = "i4", .block_elements = 2, .block_bytes = 1};
}
facts::Format stored_fp4() {
  return {.name = "f4", .block_elements = 2, .block_bytes = 1};
}

std::optional<facts::Format> torch_format(std::string_view word) {
  std::string key = lower(word);
  if (key.starts_with("torch.")) key = key.substr(6);
  if (key == "bfloat16" || key == "bf16") return stored_bf16();
  if (key == "float16" || key == "half" || key == "fp16" || key == "f16") return stored_f16();
  if (key == "float32" || key == "float" || key == "fp32" || key == "f32") return stored_f32();
  if (key.starts_with("float8") || key.starts_with("fp8")) return stored_fp8();
  return std::nullopt;
}

}  // namespace steelyard::model

// A safetensors header, and the same bytes as an index: never a crash, whatever they are.
#include <cstring>
#include <string>

#include "model/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // The length bytes are added here: the fuzzer need not find out a right one. The reader's own
  // tests cover wrong lengths.
  std::string length(8, '\0');
  const std::uint64_t bytes = size;
  std::memcpy(length.data(), &bytes, sizeof bytes);
  steelyard::os::FilesTwin twin;
  twin.files["d/m.safetensors"] = length + text;
  twin.files["d/raw.safetensors"] = text;
  twin.files["d/i.json"] = text;
  const auto model = steelyard::model::read_safetensors(twin, "d/m.safetensors");
  if (model) (void)steelyard::model::with_weights(*model, "q4_k_m");
  (void)steelyard::model::read_safetensors(twin, "d/raw.safetensors");
  (void)steelyard::model::read_safetensors(twin, "d/i.json");
  return 0;
}

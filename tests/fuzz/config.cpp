// Any bytes as a config.json: an error or a description, never a crash or a large allocation.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto model = steelyard::model::read_config(text, "fuzz");
  if (!model) return 0;
  (void)model->parameters();
  (void)model->active_parameters();
  (void)steelyard::model::with_weights(*model, "awq");
  return 0;
}

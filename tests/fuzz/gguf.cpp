// A GGUF header of any bytes: never a crash, never more memory than the file's size explains.
#include "model/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  steelyard::os::FilesTwin twin;
  twin.files["m.gguf"].assign(reinterpret_cast<const char*>(data), size);
  const auto model = steelyard::model::read_gguf(twin, "m.gguf");
  if (model) {
    // Sums saturate; asking for another type walks every tensor.
    (void)model->active_parameters();
    (void)steelyard::model::with_weights(*model, "q4_k_m");
  }
  return 0;
}

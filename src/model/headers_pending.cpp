// Weak stand-ins for the header readers until their files are here.
#include "model/gguf_mix.h"
#include "model/model.h"

namespace steelyard::model {

__attribute__((weak)) Result<Model> read_safetensors(os::Files&, const std::string& path) {
  return fail({.kind = ErrorKind::unsupported,
               .what = "safetensors headers are not read yet",
               .file = path});
}
__attribute__((weak)) Result<Model> read_gguf(os::Files&, const std::string& path) {
  return fail(
      {.kind = ErrorKind::unsupported, .what = "GGUF headers are not read yet", .file = path});
}
__attribute__((weak)) Result<Model> with_gguf_weights(const Model&, std::string_view name) {
  return fail({.kind = ErrorKind::usage,
               .what = "unknown weight format " + std::string(name),
               .field = "--weights"});
}

}  // namespace steelyard::model

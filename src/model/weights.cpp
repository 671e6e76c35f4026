#include "model/gguf_mix.h"
#include "model/model.h"
#include "model/stored.h"

namespace steelyard::model {

Result<Model> with_weights(const Model& model, std::string_view format) {
  const auto plain = torch_format(format);
  if (!plain) return with_gguf_weights(model, format);
  Model result = model;
  for (Tensor& tensor : result.tensors) {
    tensor.format = *plain;
    tensor.bytes = plain->matrix_bytes(tensor.rows, tensor.cols) * tensor.count;
  }
  return result;
}

}  // namespace steelyard::model

#include "model/description.h"

#include <fmt/format.h>

namespace steelyard::model {

std::uint64_t Model::parameters() const {
  std::uint64_t sum = 0;
  for (const Tensor& tensor : tensors) sum = saturating_add(sum, tensor.parameters());
  return sum;
}

std::uint64_t Model::active_parameters() const {
  std::uint64_t sum = 0;
  for (const Tensor& tensor : tensors) {
    std::uint64_t used = tensor.parameters();
    if (is_expert(tensor.role) && tensor.layer >= 0) {
      const auto index = static_cast<std::size_t>(tensor.layer);
      const Layer* layer = index < layers.size() ? &layers[index]
                           : index - layers.size() < mtp_layers.size()
                               ? &mtp_layers[index - layers.size()]
                               : nullptr;
      if (layer != nullptr && layer->feed_forward.experts > 0) {
        used = static_cast<std::uint64_t>(static_cast<double>(used) *
                                          layer->feed_forward.experts_per_token /
                                          layer->feed_forward.experts);
      }
    }
    sum = saturating_add(sum, used);
  }
  return sum;
}

Bytes Model::weight_bytes() const {
  Bytes sum;
  for (const Tensor& tensor : tensors) sum += tensor.bytes;
  return sum;
}

Status add_tensor(Model& model, Tensor tensor) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 62;
  const auto area = checked_mul(tensor.rows, tensor.cols);
  const auto elements = area ? checked_mul(*area, tensor.count) : std::nullopt;
  if (!elements || *elements > limit || tensor.bytes.value() > limit) {
    return fail({.kind = ErrorKind::too_large,
                 .what = fmt::format("tensor {} claims {} x {} x {} elements", tensor.name,
                                     tensor.count, tensor.rows, tensor.cols),
                 .field = tensor.name,
                 .try_this = "check the shape in the file"});
  }
  model.tensors.push_back(std::move(tensor));
  return {};
}

}  // namespace steelyard::model

#include "model/description.h"

#include <fmt/format.h>

namespace steelyard::model {

bool is_expert(Role role) {
  return role == Role::expert_gate || role == Role::expert_up || role == Role::expert_down;
}

bool is_feed_forward(Role role) {
  return is_expert(role) || role == Role::ffn_gate || role == Role::ffn_up ||
         role == Role::ffn_down || role == Role::shared_gate || role == Role::shared_up ||
         role == Role::shared_down;
}

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

std::string Model::name_of(const Tensor& tensor) const {
  const TensorName& known = names[tensor.name];
  std::string whole = known.text;
  if (tensor.number >= 0) whole.insert(known.number_at, std::to_string(tensor.number));
  return whole;
}

Status add_tensor(Model& model, TensorName name, Tensor tensor) {
  tensor.name = static_cast<std::uint32_t>(model.names.size());
  model.names.push_back(std::move(name));
  constexpr std::uint64_t limit = std::uint64_t{1} << 62;
  const auto area = checked_mul(tensor.rows, tensor.cols);
  const auto elements = area ? checked_mul(*area, tensor.count) : std::nullopt;
  if (!elements || *elements > limit || tensor.bytes.value() > limit) {
    const std::string whole = model.name_of(tensor);
    return fail({.kind = ErrorKind::too_large,
                 .what = fmt::format("tensor {} claims {} x {} x {} elements", whole, tensor.count,
                                     tensor.rows, tensor.cols),
                 .field = whole,
                 .try_this = "check the shape in the file"});
  }
  model.tensors.push_back(tensor);
  return {};
}

}  // namespace steelyard::model

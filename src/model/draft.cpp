#include "model/draft.h"

namespace steelyard::model {

std::string joined_name(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return std::string(a.empty() ? b : a);
  std::string name;
  name.reserve(a.size() + 1 + b.size());
  return name.append(a).append(".").append(b);
}

void Draft::add(std::string_view name, Role role, std::uint64_t rows, std::uint64_t cols,
                Split split, bool quantisable, std::uint64_t count) {
  add_ending(name, "", role, rows, cols, split, quantisable, count);
}

void Draft::add_ending(std::string_view name, std::string_view ending, Role role,
                       std::uint64_t rows, std::uint64_t cols, Split split, bool quantisable,
                       std::uint64_t count) {
  if (rows == 0 || cols == 0 || count == 0) return;
  const std::uint64_t each = model.dtype.matrix_bytes(rows, cols).value();
  TensorName full{.number_at = base.size() + 1};
  full.text.reserve(base.size() + 2 + name.size() + ending.size());
  if (number >= 0) full.text.append(base).append("..");
  full.text.append(name).append(ending);
  Status added = add_tensor(model, std::move(full),
                            {.number = number,
                             .role = role,
                             .layer = layer,
                             .rows = rows,
                             .cols = cols,
                             .count = count,
                             .format = model.dtype,
                             .bytes = Bytes(saturating_mul(each, count)),
                             .split = split,
                             .quantisable = quantisable});
  if (!added) root.report(added.error());
}

void Draft::linear(std::string_view name, Role role, std::uint64_t out, std::uint64_t in,
                   Split split, bool bias, bool quantisable) {
  add_ending(name, ".weight", role, out, in, split, quantisable);
  // The sum over ranks is taken before a row-split matrix adds its bias, so that one is whole.
  if (bias) {
    add_ending(name, ".bias", role, out, 1, split == Split::row ? Split::replicated : split, false);
  }
}

void Draft::norm(std::string_view name, std::uint64_t size) {
  if (!style.norm_weight) return;
  add_ending(name, ".weight", Role::norm, size, 1, Split::replicated, false);
  if (style.norm_bias) add_ending(name, ".bias", Role::norm, size, 1, Split::replicated, false);
}

void Draft::vector(std::string_view name, Role role, std::uint64_t size, Split split) {
  add(name, role, size, 1, split, false);
}

void Draft::enter_layer(std::size_t index) {
  layer = static_cast<std::int32_t>(index);
  enter_block(style.names.layers, index);
}

void Draft::enter_mtp(std::size_t index) {
  enter_layer(model.layers.size() + index);
  if (!style.names.mtp.empty()) enter_block(style.names.mtp, index);
}

void Draft::enter_block(std::string_view prefix, std::size_t index) {
  base = prefix;
  number = static_cast<std::int32_t>(index);
}

void Draft::leave_layer() {
  layer = number = -1;
}

void Draft::repeat(std::size_t begin, std::size_t end) {
  for (std::size_t t = begin; t < end; ++t) {
    Tensor tensor = model.tensors[t];
    tensor.layer = layer;
    tensor.number = number;
    model.tensors.push_back(tensor);
  }
}

}  // namespace steelyard::model

#include "model/draft.h"

#include <fmt/format.h>

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
  // Names are most of the work of reading a config: each is built in one piece.
  std::string full;
  full.reserve(base.size() + name.size() + ending.size());
  full.append(base).append(name).append(ending);
  Status added = add_tensor(model, {.name = std::move(full),
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
  base = fmt::format("{}.{}.", style.names.layers, index);
}

void Draft::enter_mtp(std::size_t index) {
  enter_layer(model.layers.size() + index);
  if (!style.names.mtp.empty()) base = fmt::format("{}.{}.", style.names.mtp, index);
}

void Draft::leave_layer() {
  layer = -1;
  base.clear();
}

}  // namespace steelyard::model

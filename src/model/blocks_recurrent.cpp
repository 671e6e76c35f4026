#include <fmt/format.h>

#include "model/blocks.h"

namespace steelyard::model {
namespace {

class RecurrentPart {
 public:
  explicit RecurrentPart(Draft& draft) : d_(draft) {}
  void matrix(std::string_view name, Role role, std::uint64_t out, std::uint64_t in, Split split,
              bool bias = false, bool quantisable = true) {
    d_.linear(in_mixer(name), role, out, in, split, bias, quantisable);
  }
  void other(std::string_view name, std::uint64_t rows, std::uint64_t cols = 1) {
    d_.add(in_mixer(name), Role::recurrent_other, rows, cols, Split::column, false);
  }
  void norm(std::string_view name, std::uint64_t size) { d_.norm(in_mixer(name), size); }

 private:
  std::string in_mixer(std::string_view name) const {
    return fmt::format("{}.{}", d_.style.mixer, name);
  }
  Draft& d_;
};

void convolution(RecurrentPart& part, std::string_view name, const Recurrent& r, bool bias) {
  part.other(fmt::format("{}.weight", name), r.conv_channels, r.conv_kernel);
  if (bias) part.other(fmt::format("{}.bias", name), r.conv_channels);
}

// State: inner channels x state size (Gu and Dao, 2023).
void mamba1(Draft& d, const Recurrent& r) {
  RecurrentPart part(d);
  const std::uint64_t inner = r.conv_channels, state = r.state_key_dim, rank = d.style.dt_rank;
  part.matrix("in_proj", Role::recurrent_in, 2 * inner, d.model.hidden, Split::column);
  convolution(part, "conv1d", r, d.style.conv_bias);
  part.matrix("x_proj", Role::recurrent_other, rank + 2 * state, inner, Split::row, false, false);
  part.matrix("dt_proj", Role::recurrent_other, inner, rank, Split::column, true, false);
  part.other("A_log", inner, state);
  part.other("D", inner);
  part.matrix("out_proj", Role::recurrent_out, d.model.hidden, inner, Split::row);
  if (d.style.recurrent_norm) {  // Jamba
    part.norm("dt_layernorm", rank);
    part.norm("b_layernorm", state);
    part.norm("c_layernorm", state);
  }
}

// One projection yields z, x, B, C and dt (Dao and Gu, 2024).
void mamba2(Draft& d, const Recurrent& r) {
  RecurrentPart part(d);
  const std::uint64_t inner = r.state_heads * r.state_value_dim;
  part.matrix("in_proj", Role::recurrent_in, inner + r.conv_channels + r.state_heads,
              d.model.hidden, Split::column, d.style.recurrent_bias);
  convolution(part, "conv1d", r, d.style.conv_bias);
  part.other("dt_bias", r.state_heads);
  part.other("A_log", r.state_heads);
  part.other("D", r.state_heads);
  if (d.style.recurrent_norm) part.norm("norm", inner);
  part.matrix("out_proj", Role::recurrent_out, d.model.hidden, inner, Split::row,
              d.style.recurrent_bias);
}

void gated_delta(Draft& d, const Recurrent& r) {
  RecurrentPart part(d);
  const std::uint64_t value = r.state_heads * r.state_value_dim;
  const std::uint64_t mixed = r.conv_channels;  // q, k and v together
  if (d.style.fused_gates) {
    part.matrix("in_proj_qkvz", Role::recurrent_in, mixed + value, d.model.hidden, Split::column);
    part.matrix("in_proj_ba", Role::recurrent_in, 2 * r.state_heads, d.model.hidden, Split::column,
                false, false);
  } else {
    part.matrix("in_proj_qkv", Role::recurrent_in, mixed, d.model.hidden, Split::column);
    part.matrix("in_proj_z", Role::recurrent_in, value, d.model.hidden, Split::column);
    part.matrix("in_proj_b", Role::recurrent_in, r.state_heads, d.model.hidden, Split::column,
                false, false);
    part.matrix("in_proj_a", Role::recurrent_in, r.state_heads, d.model.hidden, Split::column,
                false, false);
  }
  convolution(part, "conv1d", r, false);
  part.other("dt_bias", r.state_heads);
  part.other("A_log", r.state_heads);
  part.norm("norm", r.state_value_dim);
  part.matrix("out_proj", Role::recurrent_out, d.model.hidden, value, Split::row);
}

// Kimi's delta attention: q, k and v have a convolution each, gates are low-rank.
void kimi_delta(Draft& d, const Recurrent& r) {
  RecurrentPart part(d);
  const std::uint64_t width = r.state_heads * r.state_value_dim, head = r.state_value_dim;
  const std::uint64_t hidden = d.model.hidden;
  for (const std::string_view name : {"q", "k", "v"}) {
    part.matrix(fmt::format("{}_proj", name), Role::recurrent_in, width, hidden, Split::column);
    part.other(fmt::format("{}_conv1d.weight", name), width, r.conv_kernel);
  }
  part.other("A_log", r.state_heads);
  part.matrix("f_a_proj", Role::recurrent_other, head, hidden, Split::replicated);
  part.matrix("f_b_proj", Role::recurrent_other, width, head, Split::column);
  part.other("dt_bias", width);
  part.matrix("b_proj", Role::recurrent_other, r.state_heads, hidden, Split::column);
  if (d.style.full_rank_gate) {
    part.matrix("g_proj", Role::recurrent_other, width, hidden, Split::column);
  } else {
    part.matrix("g_a_proj", Role::recurrent_other, head, hidden, Split::replicated);
    part.matrix("g_b_proj", Role::recurrent_other, width, head, Split::column);
  }
  part.norm("o_norm", head);
  part.matrix("o_proj", Role::recurrent_out, hidden, width, Split::row);
}

void lightning(Draft& d, const Recurrent& r) {
  RecurrentPart part(d);
  const std::uint64_t width = r.state_heads * r.state_value_dim;
  part.matrix("qkv_proj", Role::recurrent_in, 3 * width, d.model.hidden, Split::column);
  part.matrix("output_gate", Role::recurrent_in, width, d.model.hidden, Split::column);
  part.norm("norm", width);
  part.matrix("out_proj", Role::recurrent_out, d.model.hidden, width, Split::row);
}

void short_conv(Draft& d, const Recurrent& r) {
  RecurrentPart part(d);
  const std::uint64_t width = r.conv_channels;
  part.matrix("in_proj", Role::recurrent_in, 3 * width, d.model.hidden, Split::column,
              d.style.conv_bias);
  convolution(part, "conv", r, d.style.conv_bias);
  part.matrix("out_proj", Role::recurrent_out, d.model.hidden, width, Split::row,
              d.style.conv_bias);
}

}  // namespace

void emit_recurrent(Draft& d, const Layer& layer) {
  const Recurrent& r = layer.recurrent;
  switch (r.kind) {
    case RecurrentKind::mamba1:
      return mamba1(d, r);
    case RecurrentKind::mamba2:
      return mamba2(d, r);
    case RecurrentKind::gated_delta:
      return gated_delta(d, r);
    case RecurrentKind::kimi_delta:
      return kimi_delta(d, r);
    case RecurrentKind::lightning:
      return lightning(d, r);
    case RecurrentKind::short_conv:
      return short_conv(d, r);
    case RecurrentKind::rwkv:
      return;  // RWKV has no layers of another kind beside it: its family writes them whole
  }
}

}  // namespace steelyard::model

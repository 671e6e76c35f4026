#include "model/safetensors_packed.h"

#include <algorithm>

namespace steelyard::model {
namespace {

enum class Piece { weights, scales, zeros, other };

struct Ending {
  std::string_view text;
  Piece piece;
};

// Endings of the pieces of a quantised matrix: GPTQ and AWQ, compressed-tensors, FP8, NVFP4,
// MXFP4, bitsandbytes. The longer of two that fit comes first.
constexpr Ending endings[] = {
    {".qweight", Piece::weights},
    {".weight_packed", Piece::weights},
    {"_blocks", Piece::weights},
    {".qzeros", Piece::zeros},
    {".scales", Piece::scales},
    {"_scales", Piece::scales},
    {".g_idx", Piece::other},
    {".weight_scale_inv", Piece::scales},
    {".weight_scale_2", Piece::other},
    {".weight_scale", Piece::scales},
    {"_weight_scale", Piece::scales},
    {"_weight_scale_2", Piece::other},
    {"_scale_inv", Piece::scales},
    {".weight_global_scale", Piece::other},
    {".weight_zero_point", Piece::other},
    {".weight_g_idx", Piece::other},
    {".weight_shape", Piece::other},
    {".input_scale", Piece::other},
    {"_input_scale", Piece::other},
    {".input_global_scale", Piece::other},
    {".activation_scale", Piece::other},
    {".output_scale", Piece::other},
    {".weight.absmax", Piece::scales},
    {".weight.nested_absmax", Piece::other},
    {".weight.quant_map", Piece::other},
    {".weight.nested_quant_map", Piece::other},
    {".weight.quant_state.bitsandbytes__nf4", Piece::other},
    {".weight.quant_state.bitsandbytes__fp4", Piece::other},
    {".SCB", Piece::scales},
    {".weight_format", Piece::other},
};

// Few names end so: look at the list only when the last part could be one.
const Ending* ending_of(std::string_view name) {
  if (name.ends_with(".weight") || name.ends_with(".bias")) return nullptr;
  for (const Ending& ending : endings) {
    if (name.ends_with(ending.text)) return &ending;
  }
  return nullptr;
}

std::uint64_t last_extent(const SafetensorsTensor& t) {
  return t.dimensions == 0 ? 1 : t.shape[t.dimensions - 1];
}

facts::Format packed_format(std::uint64_t bits) {
  if (bits == 4) return {.name = "i4", .block_elements = 2, .block_bytes = 1};
  if (bits == 8) return {.name = "i8", .block_elements = 1, .block_bytes = 1};
  constexpr std::string_view names[] = {"i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7"};
  return {.name = bits < 8 ? names[bits] : "packed",
          .block_elements = 32,
          .block_bytes = static_cast<std::uint32_t>(4 * bits)};
}

// Bits per weight of a GPTQ or AWQ matrix, and its shape. AWQ packs along the outputs, GPTQ along
// the inputs; the scales have one column per output.
void unpack_words(Tensor& t, std::uint64_t scale_columns, std::uint64_t zero_columns) {
  const std::uint64_t down = t.rows, across = t.cols;
  const std::uint64_t outputs = scale_columns > 0 ? scale_columns : across;
  std::uint64_t bits = 4;
  if (outputs > 0) {
    const std::uint64_t words = outputs == across ? zero_columns : across;
    if (words > 0 && words <= outputs) bits = saturating_mul(words, 32) / outputs;
  }
  if (bits == 0 || bits > 8) bits = 4;
  t.format = packed_format(bits);
  t.rows = outputs;
  t.cols = outputs == across ? saturating_mul(down, 32) / bits : down;
}

}  // namespace

// `folded_` names the group. Its meaning is worked out once: most tensors of a large checkpoint are
// experts of a group that is there already.
PackedCollector::Group& PackedCollector::group() {
  if (const auto found = index_.find(folded_); found != index_.end()) {
    return groups_[found->second];
  }
  index_.emplace(folded_, groups_.size());
  return groups_.emplace_back(Group{.name = folded_, .meaning = safetensors_name(folded_)});
}

void PackedCollector::fold_expert() {
  constexpr std::string_view part = ".experts.";
  const auto at = folded_.find(part);
  if (at == std::string::npos) return;
  std::size_t digits = 0;
  if (number_in_name(folded_, at + part.size(), digits) < 0) return;
  folded_.replace(at + part.size(), digits, "*");
}

void PackedCollector::add(const SafetensorsTensor& tensor) {
  const Ending* ending = ending_of(tensor.name);
  std::string_view stem = tensor.name;
  if (ending != nullptr) stem.remove_suffix(ending->text.size());
  folded_.assign(stem);
  if (ending != nullptr) folded_ += ending->text.front() == '_' ? "" : ".weight";
  fold_expert();
  Group* found = &group();
  const Piece piece = ending == nullptr ? Piece::weights : ending->piece;
  if (piece == Piece::weights) {
    // Members of a group are equal; one that is not is a group of its own.
    const bool first = found->members == 0;
    if (!first && (found->main.shape != tensor.shape || found->main.format != tensor.format)) {
      folded_ = tensor.name;
      found = &group();
    }
    found->main = tensor;
    found->main.name = {};
    found->suffix = ending == nullptr ? "" : std::string(ending->text);
    ++found->members;
  } else if (piece == Piece::scales) {
    found->has_scales = true;
    found->scale_columns = last_extent(tensor);
  } else if (piece == Piece::zeros) {
    found->zero_columns = last_extent(tensor);
  } else if (ending->text.find("quant_state") != std::string_view::npos) {
    found->bits4 = true;
  }
  found->bytes = saturating_add(found->bytes, tensor.bytes());
}

Tensor PackedCollector::described(const Group& g) {
  Tensor t{.role = g.meaning.role, .layer = g.meaning.layer};
  t.bytes = Bytes(g.bytes);
  t.format = g.main.format;
  t.count = std::max<std::uint64_t>(1, g.members);
  if (g.members == 0) {  // scales whose weights are elsewhere: bytes, but no weights
    t.rows = 0;
    return t;
  }
  const SafetensorsTensor& m = g.main;
  const bool experts =
      t.role == Role::expert_gate || t.role == Role::expert_up || t.role == Role::expert_down;
  std::uint32_t from = 0;
  // All experts of a layer in one tensor: the first extent counts them.
  if (experts && m.dimensions >= 3 && g.members == 1) {
    t.count = m.shape[0];
    from = 1;
  }
  t.rows = m.dimensions > from ? m.shape[from] : 1;
  t.cols = 1;
  for (std::uint32_t d = from + 1; d < m.dimensions; ++d) {
    t.cols = saturating_mul(t.cols, m.shape[d]);
  }
  const bool bytes8 = m.format.name == "u8" || m.format.name == "i8";
  if (g.suffix == ".qweight" && m.dimensions >= 2) {
    unpack_words(t, g.scale_columns, g.zero_columns);
  } else if (g.suffix == ".weight_packed" && m.format.name == "i32") {
    t.cols = saturating_mul(t.cols, 8);
    t.format = packed_format(4);
  } else if (m.format.name == "u8" && m.dimensions >= 2 &&
             (g.suffix == "_blocks" || g.suffix == ".weight_packed" || g.has_scales || g.bits4)) {
    // Two four-bit floats to a byte; bitsandbytes stores them as one column.
    t.format = {.name = "f4", .block_elements = 2, .block_bytes = 1};
    (t.cols == 1 ? t.rows : t.cols) = saturating_mul(t.cols == 1 ? t.rows : t.cols, 2);
  } else if (bytes8 && !g.has_scales && t.role == Role::other) {
    t.quantisable = false;
  }
  const bool matrix = t.cols > 1 || g.bits4;
  t.split = matrix ? split_of(t.role) : vector_split(t.role);
  t.quantisable = matrix && is_quantisable(t.role);
  return t;
}

Status PackedCollector::finish(Model& model) {
  std::int32_t decoder = -1;
  for (const Group& g : groups_) {
    if (!g.meaning.mtp) decoder = std::max(decoder, g.meaning.layer);
  }
  const auto first_mtp =
      model.layers.empty() ? decoder + 1 : static_cast<std::int32_t>(model.layers.size());
  for (const Group& g : groups_) {
    Tensor tensor = described(g);
    if (g.meaning.mtp) tensor.layer = first_mtp + g.meaning.layer;
    if (Status added = add_tensor(model, {.text = g.name}, tensor); !added) return added;
  }
  return {};
}

}  // namespace steelyard::model

#include "model/rotary.h"

#include <algorithm>

namespace steelyard::model {
namespace {

std::uint64_t times(std::uint64_t positions, double factor) {
  if (!(factor >= 1) || factor > 1e6) return positions;
  return std::min<std::uint64_t>(
      static_cast<std::uint64_t>(static_cast<double>(positions) * factor), kContextLimit);
}

// `scaling` may be absent: then the plain length.
std::uint64_t length_of(const Fields& scaling, std::uint64_t positions) {
  const std::string type = lower(scaling.text({"rope_type", "type"}));
  const double factor = scaling.real({"factor"}, 1);
  const std::uint64_t original =
      scaling.number({"original_max_position_embeddings"}, positions, kContextLimit);
  if (type == "linear" || type == "dynamic") return times(positions, factor);
  if (type == "yarn" || type == "deepseek_yarn") return times(original, factor);
  if (type == "longrope" || type == "su") return saturating_add(original, positions);
  return positions;
}

// Rotated values per position of one kind of layer; 0 when none of that kind turns anything.
std::uint64_t rotated(const Draft& d, bool sliding) {
  std::uint64_t most = 0;
  for (const Layer& layer : d.model.layers) {
    const bool slides = layer.mixer == Mixer::sliding || layer.mixer == Mixer::chunked;
    if (layer.mixer == Mixer::mla) {
      if (!sliding) most = std::max<std::uint64_t>(most, layer.attention.rope_dim);
    } else if (slides == sliding && (slides || layer.mixer == Mixer::full)) {
      most = std::max<std::uint64_t>(most, layer.attention.key_dim);
    }
  }
  return most;
}

void add_table(Draft& d, const Fields& scaling, std::uint64_t width) {
  if (width == 0) return;
  const double part = scaling.real({"partial_rotary_factor"},
                                   d.text.real({"partial_rotary_factor", "rotary_pct"}, 1));
  const bool mla = std::ranges::any_of(
      d.model.layers, [](const Layer& layer) { return layer.mixer == Mixer::mla; });
  const bool whole = mla || !(part > 0) || part > 1;
  d.model.rotary.push_back(
      {.positions = length_of(scaling, d.model.max_context),
       .values = whole ? width : static_cast<std::uint64_t>(static_cast<double>(width) * part),
       .sections = d.style.rope_sections || scaling.is_list("mrope_section")});
}

}  // namespace

void read_rotary(Draft& d) {
  const auto learned = [](const Tensor& t) { return t.role == Role::position_embedding; };
  if (d.model.max_context == 0 || std::ranges::any_of(d.model.tensors, learned)) return;
  const bool newer = d.text.is_object("rope_parameters");
  const Fields ropes = d.text.object(newer ? "rope_parameters" : "rope_scaling");
  const std::uint64_t full = rotated(d, false), local = rotated(d, true);
  const bool by_kind = ropes.is_object("full_attention") || ropes.is_object("sliding_attention");
  const bool own_local =
      by_kind || d.style.local_rope || d.text.has_any({"rope_local_base_freq", "local_rope_theta"});
  if (!own_local) return add_table(d, ropes, std::max(full, local));
  add_table(d, by_kind ? ropes.object("full_attention") : ropes, full);
  add_table(d, by_kind ? ropes.object("sliding_attention") : Fields(), local);
}

}  // namespace steelyard::model

#include "memory/weights.h"

#include <algorithm>
#include <array>

#include "memory/caching_allocator.h"

namespace steelyard::memory {
namespace {

using model::Role;
using model::Split;
using model::Tensor;

bool of_tower(Role role) {
  return role == Role::vision || role == Role::audio || role == Role::projector;
}

bool of_dense_feed_forward(Role role) {
  return role == Role::ffn_gate || role == Role::ffn_up || role == Role::ffn_down ||
         role == Role::shared_gate || role == Role::shared_up || role == Role::shared_down;
}

Bytes share(Bytes bytes, std::uint64_t part, std::uint64_t of) {
  if (of <= 1 || part >= of) return bytes;
  return bytes_from(bytes.as_double() * static_cast<double>(part) / static_cast<double>(of));
}

const model::Layer* layer_of(const model::Model& model, const Tensor& tensor) {
  if (tensor.layer < 0) return nullptr;
  const auto index = static_cast<std::size_t>(tensor.layer);
  if (index < model.layers.size()) return &model.layers[index];
  const std::size_t mtp = index - model.layers.size();
  return mtp < model.mtp_layers.size() ? &model.mtp_layers[mtp] : nullptr;
}

// Rows of queries are divided, rows of keys and values by whole heads.
Bytes fused_qkv(const Tensor& tensor, const model::Layer* layer, std::uint32_t tp) {
  if (layer == nullptr) return share(tensor.bytes, 1, tp);
  const model::Attention& a = layer->attention;
  const std::uint64_t q = std::uint64_t{a.query_heads} * a.key_dim;
  const std::uint64_t per_head = std::uint64_t{a.key_dim} + a.value_dim;
  const std::uint64_t all = q + a.kv_heads * per_head;
  if (all == 0 || a.kv_heads == 0) return share(tensor.bytes, 1, tp);
  const std::uint64_t mine = q / tp + kv_heads_on_rank(a.kv_heads, tp) * per_head;
  return share(tensor.bytes, mine, all);
}

Bytes vocabulary_part(const Tensor& tensor, std::uint32_t tp, std::uint32_t padding) {
  if (tensor.rows == 0) return tensor.bytes;
  const std::uint64_t padded = round_up(round_up(tensor.rows, std::max(1U, padding)), tp);
  return bytes_from(tensor.bytes.as_double() * static_cast<double>(padded / tp) /
                    static_cast<double>(tensor.rows));
}

// Whole experts over ep, and the inner width of each over the cards that share one.
Bytes expert_part(const model::Model& model, const Tensor& tensor, const Placement& place,
                  const WeightRules& rules) {
  const bool whole = place.ep > 1 && tensor.count > 1;
  const std::uint32_t cut = whole ? std::max(1U, place.tp / place.ep) : place.tp;
  const Bytes mine =
      whole ? share(tensor.bytes, ceil_div(tensor.count, place.ep), tensor.count) : tensor.bytes;
  const Bytes bytes = share(mine, 1, cut);
  const model::Layer* layer = layer_of(model, tensor);
  if (layer == nullptr || !model.quantisation.method.starts_with("mxfp4")) return bytes;
  const std::uint64_t inner = ceil_div(layer->feed_forward.expert_intermediate, cut);
  if (inner == 0 || model.hidden == 0) return bytes;
  const double pad = static_cast<double>(round_up(model.hidden, rules.mxfp4_hidden_step)) /
                     static_cast<double>(model.hidden) *
                     static_cast<double>(round_up(inner, rules.mxfp4_inner_step)) /
                     static_cast<double>(inner);
  return bytes_from(bytes.as_double() * pad);
}

// The part of one tensor group that a rank of this placement holds.
Bytes part_of(const model::Model& model, const Tensor& tensor, const Placement& place,
              const WeightRules& rules) {
  const std::uint32_t attention_tp = place.tp / std::max(1U, place.attention_dp);
  if (of_tower(tensor.role)) {
    const bool cut = rules.shards_towers && tensor.cols > 1 && tensor.role != Role::projector;
    return cut ? share(tensor.bytes, 1, place.tp) : tensor.bytes;
  }
  const bool dense = of_dense_feed_forward(tensor.role);
  const std::uint32_t tp = dense && !rules.dense_by_attention_tp ? place.tp : attention_tp;
  const model::Layer* layer = layer_of(model, tensor);
  switch (tensor.split) {
    case Split::replicated:
      return tensor.bytes;
    case Split::column:
      return tensor.role == Role::attention_qkv ? fused_qkv(tensor, layer, tp)
                                                : share(tensor.bytes, 1, tp);
    case Split::row:
      return share(tensor.bytes, 1, tp);
    case Split::kv_column: {
      const std::uint32_t heads = layer != nullptr ? layer->attention.kv_heads : 0;
      return heads == 0 ? share(tensor.bytes, 1, tp)
                        : share(tensor.bytes, kv_heads_on_rank(heads, tp), heads);
    }
    case Split::vocabulary:
      return vocabulary_part(tensor, tp, rules.vocabulary_padding);
    case Split::expert:
      return expert_part(model, tensor, place, rules);
  }
  return tensor.bytes;
}

bool lives_on(const model::Model& model, const Tensor& tensor, const Stage& stage,
              const WeightRules& rules) {
  if (tensor.layer >= 0) {
    const auto index = static_cast<std::size_t>(tensor.layer);
    if (index >= model.layers.size() && !model.layers.empty()) {
      return rules.loads_mtp && stage.holds_head;
    }
    return model.layers.empty() || (index >= stage.first && index < stage.last);
  }
  switch (tensor.role) {
    case Role::output_head:
      return stage.holds_head;
    case Role::token_embedding:
      // A tied head is a second use of the same matrix: its stage holds a copy.
      return stage.holds_embedding || (model.tied_embeddings && stage.holds_head);
    case Role::position_embedding:
    case Role::vision:
    case Role::audio:
    case Role::projector:
      return stage.holds_embedding;
    case Role::norm:
      return stage.holds_head;
    default:
      return stage.holds_embedding;
  }
}

// Tensors that engines allocate as one: queries with keys and values, gate with up.
int fused_with(Role role) {
  switch (role) {
    case Role::attention_q:
    case Role::attention_k:
    case Role::attention_v:
      return 1;
    case Role::ffn_gate:
    case Role::ffn_up:
      return 2;
    case Role::expert_gate:
    case Role::expert_up:
      return 3;
    case Role::shared_gate:
    case Role::shared_up:
      return 4;
    default:
      return 0;
  }
}

// Scales and zero points are tensors of their own: what goes beyond 4 or 8 bits a weight.
Bytes scales_of(const Tensor& tensor, Bytes part) {
  const std::uint64_t weights = tensor.parameters(), whole = tensor.bytes.value();
  if (weights == 0 || whole / 2 >= weights || whole <= weights / 2) return {};
  const double bare = whole >= weights ? 1.0 : 0.5;
  const double share = 1 - bare * static_cast<double>(weights) / static_cast<double>(whole);
  return bytes_from(part.as_double() * share);
}

// Adds up what allocations take once one layer's fused tensors are put together.
class Allocations {
 public:
  explicit Allocations(const WeightRules& rules) : rules_(rules) {}

  void add(const Tensor& tensor, Bytes bytes) {
    const int group = tensor.cols > 1 ? fused_with(tensor.role) : 0;
    if (tensor.layer != layer_ || (group != open_ && group != 0)) flush();
    const std::uint64_t scales = scales_of(tensor, bytes).value();
    if (group == 0) {
      allocate(bytes.value() - scales);
      return allocate(scales);
    }
    layer_ = tensor.layer;
    open_ = group;
    pending_ = saturating_add(pending_, bytes.value() - scales);
    pending_scales_ = saturating_add(pending_scales_, scales);
  }
  void allocate(std::uint64_t bytes) {
    sum_ += Bytes(bytes);
    segments_.allocate(bytes);
  }
  Bytes total() {
    flush();
    if (rules_.whole_segments) return Bytes(segments_.reserved());
    return rules_.allocator_rounding ? Bytes(segments_.allocated()) : sum_;
  }

 private:
  void flush() {
    allocate(pending_);
    allocate(pending_scales_);
    pending_ = pending_scales_ = 0;
    open_ = 0;
  }
  const WeightRules& rules_;
  std::int32_t layer_ = -1;
  int open_ = 0;  // the group that is being put together
  std::uint64_t pending_ = 0, pending_scales_ = 0;
  Bytes sum_;
  CachingAllocator segments_;
};

// What a reading without a config leaves to guess: one table, every position x the widest head.
model::RotaryTable guessed_table(const model::Model& model) {
  model::RotaryTable table{.positions = model.max_context};
  for (const model::Layer& layer : model.layers) {
    const model::Attention& a = layer.attention;
    if (layer.mixer == model::Mixer::mla) {
      table.values = std::max<std::uint64_t>(table.values, a.rope_dim);
    } else if (layer.mixer != model::Mixer::recurrent && layer.mixer != model::Mixer::none &&
               layer.mixer != model::Mixer::bidirectional) {
      table.values = std::max<std::uint64_t>(table.values, a.key_dim);
    }
  }
  const auto learned = [](const Tensor& t) { return t.role == Role::position_embedding; };
  if (std::ranges::any_of(model.tensors, learned)) table.positions = 0;
  return table;
}

void allocate_rotary(const model::Model& model, const WeightRules& rules,
                     Allocations& allocations) {
  std::vector<model::RotaryTable> tables = model.rotary;
  if (tables.empty()) tables.push_back(guessed_table(model));
  for (const model::RotaryTable& table : tables) {
    const std::uint64_t longer = table.sections ? rules.mrope_factor : 1;
    const std::uint64_t values =
        saturating_mul(saturating_mul(table.positions, longer), table.values);
    allocations.allocate(saturating_mul(values, rules.rope_element_bytes));
  }
}

// The copy of kv_b that decoding multiplies by, see WeightRules.
Bytes kv_b_copy(const Tensor& tensor, Bytes part, const WeightRules& rules) {
  const bool plain = tensor.format.block_elements == 1 && tensor.format.block_bytes == 2;
  if (tensor.role != Role::mla_kv_b || tensor.cols <= 1 || tensor.bytes.value() == 0) return {};
  if (plain && !rules.copies_plain_kv_b) return {};
  return bytes_from(2 * static_cast<double>(tensor.parameters()) * part.as_double() /
                    tensor.bytes.as_double());
}

}  // namespace

bool has_experts(const model::Model& model) {
  return std::ranges::any_of(model.layers, [](const model::Layer& layer) {
    return layer.feed_forward.kind == model::FeedForwardKind::moe;
  });
}

std::uint64_t kv_heads_on_rank(std::uint32_t kv_heads, std::uint32_t tp) {
  return kv_heads == 0 ? 0 : std::max<std::uint64_t>(1, ceil_div(kv_heads, std::max(1U, tp)));
}

Bytes rank_weights(const model::Model& model, const Placement& placement, const Stage& stage,
                   const WeightRules& rules) {
  Allocations allocations(rules);
  const bool wide = rules.casts_to_16_bit && model.quantisation.method.empty() &&
                    model.dtype.block_elements == 1 && model.dtype.block_bytes == 4;
  for (const Tensor& tensor : model.tensors) {
    if (!lives_on(model, tensor, stage, rules)) continue;
    Bytes part = part_of(model, tensor, placement, rules);
    if (wide && tensor.format == model.dtype) part = Bytes(part.value() / 2);
    allocations.add(tensor, part);
    allocations.allocate(kv_b_copy(tensor, part, rules).value());
  }
  if (rules.rope_cache) allocate_rotary(model, rules, allocations);
  return allocations.total();
}

Bytes adapter_bytes(const model::Model& model, const Placement& placement, const Stage& stage,
                    std::uint64_t adapters, std::uint64_t rank) {
  if (adapters == 0 || rank == 0) return Bytes(0);
  Bytes sum;
  const std::uint64_t tp = placement.tp;
  for (const Tensor& tensor : model.tensors) {
    const auto index = static_cast<std::size_t>(tensor.layer);
    if (tensor.layer < 0 || index < stage.first || index >= stage.last) continue;
    if (!tensor.quantisable || tensor.split == Split::replicated) continue;
    const bool by_rows = tensor.split == Split::column || tensor.split == Split::kv_column;
    const std::uint64_t out = by_rows ? ceil_div(tensor.rows, tp) : tensor.rows;
    const std::uint64_t in = tensor.split == Split::row ? ceil_div(tensor.cols, tp) : tensor.cols;
    const std::uint64_t pair = saturating_mul(rank, saturating_add(in, out));
    sum += Bytes(saturating_mul(saturating_mul(pair, tensor.count), 2));
  }
  return sum * adapters;
}

}  // namespace steelyard::memory

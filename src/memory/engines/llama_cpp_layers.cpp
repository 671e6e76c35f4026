#include "memory/engines/llama_cpp_layers.h"

#include <algorithm>
#include <array>

#include "memory/engines/llama_cpp_graph.h"

namespace steelyard::memory::llama_cpp {

namespace {

using model::Layer;
using model::Mixer;
using model::Role;
using Node = ComputeGraph::Node;

constexpr std::uint64_t f32 = 4;

class Builder {
 public:
  Builder(const model::Model& model, const LayerWeights& weights, const GraphSetup& setup)
      : m_(model),
        s_(setup),
        weights_(weights),
        g_(setup.cards),
        own_(setup.pattern == nullptr ? pattern_of(model, setup.layer_device) : Pattern{}),
        pattern_(setup.pattern == nullptr ? own_ : *setup.pattern),
        reach_(pattern_.both_ways ? setup.tokens : setup.cells) {}

  std::vector<std::uint64_t> run() {
    const Node ids = g_.input(s_.tokens * 4);
    // Nothing reads it while tokens come in, so nothing frees it.
    if (s_.keeps_embedding_input) g_.input(width(m_.hidden));
    pos_ = g_.input(s_.tokens * 4);
    inputs();
    if (s_.selects_outputs) out_ids_ = g_.input(s_.outputs * 4);
    Node stream = g_.op(g_.host(), width(m_.hidden), {ids});
    const auto& picked = pattern_.picked;
    for (std::size_t n = 0; n < picked.size(); ++n) {
      stream = layer(picked[n], stream, n + 1 == picked.size());
    }
    if (picked.empty()) stream = g_.op(g_.host(), f32 * s_.outputs * m_.hidden, {stream, out_ids_});
    output(stream);
    return g_.reserve(s_.copies, s_.takes_over_views);
  }

 private:
  std::uint64_t width(std::uint64_t features) const {
    return saturating_mul(saturating_mul(features, s_.tokens), f32);
  }

  // The device that computes a layer: its own, or the first card when the host only stores it.
  std::uint32_t runs_on(std::uint32_t stored_on) const {
    const bool lends = s_.offload_large_batches && s_.cards > 0 && s_.tokens >= 32;
    return stored_on == g_.host() && lends ? 0 : stored_on;
  }

  Node weight(std::size_t layer, Role role) {
    return g_.stored(weights_.of(static_cast<std::int32_t>(layer), role), s_.layer_device[layer],
                     true);
  }
  Node expert_weight(std::size_t layer, Role role) {
    const auto device = s_.experts_on_host ? g_.host() : s_.layer_device[layer];
    return g_.stored(weights_.of(static_cast<std::int32_t>(layer), role), device, true);
  }

  // Inputs of the attention: rotations, rows of the cache, masks.
  void inputs() {
    const bool plain = pattern_.full && !pattern_.both_ways;
    if (plain) full_ = cache_inputs(false);
    if (pattern_.slides) window_ = cache_inputs(true);
    const std::uint64_t element = s_.flash && s_.half_masks ? 2 : f32;
    const auto mask = [&](std::uint64_t cells) {
      return g_.input(saturating_mul(saturating_mul(cells, s_.tokens), element));
    };
    if (pattern_.full) full_.mask = mask(reach_);
    if (pattern_.slides) window_.mask = mask(s_.window_cells);
    if (pattern_.states) state_ids_ = g_.input(4 * s_.sequences);
  }

  struct CacheInputs {
    Node key_rotation = ComputeGraph::none, value_rotation = ComputeGraph::none;
    Node key_rows = ComputeGraph::none, value_rows = ComputeGraph::none;
    Node mask = ComputeGraph::none, half = ComputeGraph::none;
  };

  // Rows are 64-bit numbers; without flash attention V lies transposed and each of its elements is
  // a row. Rotations are matrices: the largest that divides a head of keys, 64 for values.
  CacheInputs cache_inputs(bool window) {
    CacheInputs out;
    std::uint64_t key_dim = 0, value_dim = 0, widest = 0;
    bool one_key_dim = true;
    for (const Layer& l : m_.layers) {
      const auto& a = l.attention;
      const bool slides = l.mixer == Mixer::sliding || l.mixer == Mixer::chunked;
      widest = std::max(widest, std::uint64_t{a.kv_heads} * a.value_dim);
      if (slides != window || (l.mixer != Mixer::full && !slides)) continue;
      one_key_dim = one_key_dim && (key_dim == 0 || key_dim == a.key_dim);
      key_dim = a.key_dim;
      value_dim = a.value_dim;
    }
    if (key_dim == 0) value_dim = widest = 0;  // MLA keeps keys alone, not rotated
    const auto square = [&](std::uint64_t side) { return g_.input(side * side * f32); };
    if (s_.rotates_keys && one_key_dim && key_dim % 64 == 0 && key_dim > 0) {
      std::uint64_t side = 64;
      while (key_dim % (2 * side) == 0) side *= 2;
      out.key_rotation = square(side);
    }
    if (s_.rotates_values && value_dim % 64 == 0 && value_dim > 0) out.value_rotation = square(64);
    if (!s_.index_inputs) return out;
    out.key_rows = g_.input(8 * s_.tokens);
    if (widest > 0) out.value_rows = g_.input(8 * saturating_mul(s_.tokens, s_.flash ? 1 : widest));
    return out;
  }

  Node rotated(std::uint32_t device, std::uint64_t features, Node x, Node rotation) {
    if (x == ComputeGraph::none || rotation == ComputeGraph::none) return x;
    return g_.op(device, width(features), {rotation, g_.view(x)});
  }

  // Flash attention reads a 16-bit mask: as it comes in, or a copy made where the first layer runs.
  Node mask_for(bool window, std::uint32_t device) {
    CacheInputs& in = window ? window_ : full_;
    if (!s_.flash || s_.half_masks || in.mask == ComputeGraph::none) return in.mask;
    if (in.half == ComputeGraph::none) {
      in.half = g_.op(device, width(window ? s_.window_cells : reach_) / 2, {in.mask});
    }
    return in.half;
  }

  Node norm(std::uint32_t device, std::uint64_t bytes, Node x) {
    return g_.in_place(device, bytes, {g_.in_place(device, bytes, {x})});
  }

  Node layer(std::size_t i, Node stream, bool last) {
    const Layer& l = m_.layers[i];
    const auto device = runs_on(s_.layer_device[i]);
    Node residual = stream;
    Node cur = stream;
    std::uint64_t bytes = width(m_.hidden);
    if (l.mixer != Mixer::none) {
      cur = mixer(i, l, device, norm(device, bytes, stream));
    }
    if (last && s_.selects_outputs) {
      bytes = f32 * s_.outputs * m_.hidden;
      const bool same = cur == residual;
      cur = g_.op(device, bytes, {cur, out_ids_});
      residual = same ? cur : g_.op(device, bytes, {residual, out_ids_});
    }
    if (cur != residual) cur = g_.in_place(device, bytes, {cur, residual});
    if (l.feed_forward.kind == model::FeedForwardKind::none) return cur;
    const std::uint64_t tokens = last && s_.selects_outputs ? s_.outputs : s_.tokens;
    const Node x = norm(device, bytes, cur);
    const Node out = l.feed_forward.kind == model::FeedForwardKind::moe
                         ? experts(i, l, device, x, tokens)
                         : dense(i, l, device, x, tokens, l.feed_forward.intermediate, false);
    // The sum takes the memory of what it names first: Phi-3's graph names the residual.
    if (phi3_) return g_.in_place(device, bytes, {cur, out});
    return g_.in_place(device, bytes, {out, cur});
  }

  Node mixer(std::size_t i, const Layer& l, std::uint32_t device, Node x) {
    switch (l.mixer) {
      case Mixer::mla:
        return s_.mla_compressed ? latent_attention(i, l, device, x)
                                 : expanded_attention(i, l, device, x);
      case Mixer::recurrent:
        return recurrent(i, l, device, x);
      default:
        return attention(i, l, device, x);
    }
  }

  // Where a layer's cache lies: beside its weights, unless all caches stay on the host.
  std::uint32_t cache_device(std::size_t i) const {
    return s_.cache_on_cards ? s_.layer_device[i] : g_.host();
  }

  struct Cached {
    Node keys, values;
  };
  // Reads of the whole cache of a layer; `values` of 0 bytes when keys hold both.
  Cached cached(std::size_t i, std::uint64_t cells, std::uint64_t key_width,
                std::uint64_t value_width) {
    const auto all = static_cast<double>(saturating_mul(cells, s_.streams));
    const auto bytes = [&](std::uint64_t w, double each) {
      return bytes_from(all * static_cast<double>(w) * each).value();
    };
    return {g_.stored(bytes(key_width, s_.key_bytes), cache_device(i), false),
            g_.stored(bytes(value_width, s_.value_bytes), cache_device(i), false)};
  }

  // Writes new keys and values; into a host's cache from a copy there, unless it is pinned.
  void keep(Cached cache, const CacheInputs& in, Node keys, Node values) {
    const auto put = [&](Node target, Node source, Node rows) {
      if (source == ComputeGraph::none) return;
      if (s_.pinned_host_cache) {
        g_.store_from_afar(source);
      } else {
        g_.store(target, source, rows);
      }
    };
    put(cache.keys, keys, in.key_rows);
    put(cache.values, values, in.value_rows);
  }

  // softmax(q k) v over `cells`, without the projections around it.
  Node scores(std::uint32_t device, Node q, Cached cache, bool window, std::uint64_t heads,
              std::uint64_t value_dim) {
    const std::uint64_t cells = window ? s_.window_cells : reach_;
    const std::uint64_t out = width(saturating_mul(heads, value_dim));
    const Node mask = mask_for(window, device);
    if (s_.flash) {
      return g_.op(device, out, {g_.view(q), cache.keys, cache.values, mask});
    }
    std::uint64_t kq = width(saturating_mul(heads, cells));
    // ik_llama.cpp takes the heads in groups whose products stay below -amb.
    if (s_.expansion_bytes.value_or(0) > 0) kq = std::min(kq, *s_.expansion_bytes);
    const Node product = g_.op(device, kq, {cache.keys, g_.view(q)});
    const Node weights = g_.in_place(device, kq, {product, mask});
    return g_.op(device, out, {cache.values, weights});
  }

  Node attention(std::size_t i, const Layer& l, std::uint32_t device, Node x) {
    const auto& a = l.attention;
    const bool window = l.mixer == Mixer::sliding || l.mixer == Mixer::chunked;
    const std::uint64_t q_width = std::uint64_t{a.query_heads} * a.key_dim;
    const std::uint64_t k_width = std::uint64_t{a.kv_heads} * a.key_dim;
    const std::uint64_t v_width = std::uint64_t{a.kv_heads} * a.value_dim;
    const auto layer_id = static_cast<std::int32_t>(i);
    const auto cache = cached(i, window ? s_.window_cells : s_.cells, k_width, v_width);
    const CacheInputs& in = window ? window_ : full_;
    const bool own_cache = a.shares_cache_with < 0 && l.mixer != Mixer::bidirectional;
    Node q, k, v;
    if (weights_.of(layer_id, Role::attention_qkv) > 0) {
      const Node fused =
          g_.op(device, width(q_width + k_width + v_width), {x, weight(i, Role::attention_qkv)});
      const auto part = [&](std::uint64_t features) {
        const Node seen = g_.view(fused);
        return s_.copies_fused_parts ? g_.op(device, width(features), {seen}) : seen;
      };
      q = g_.op(device, width(q_width), {part(q_width), pos_});
      k = g_.op(device, width(k_width), {part(k_width), pos_});
      v = part(v_width);
    } else {
      const std::uint64_t rows = weights_.query_rows(layer_id);
      const bool gated = q_width > 0 && rows == 2 * q_width;
      const Node projected =
          g_.op(device, width(gated ? rows : q_width), {x, weight(i, Role::attention_q)});
      q = gated ? g_.op(device, width(q_width), {g_.view(projected), pos_})
                : g_.in_place(device, width(q_width), {g_.view(projected), pos_});
      if (gated) gate_ = g_.view(projected);
      if (own_cache || l.mixer == Mixer::bidirectional) {
        q = rotated(device, q_width, q, in.key_rotation);
        const auto values = [&] {
          v = g_.op(device, width(v_width), {x, weight(i, Role::attention_v)});
          v = rotated(device, v_width, v, in.value_rotation);
        };
        if (s_.keys_last) values();
        const Node keys = g_.op(device, width(k_width), {x, weight(i, Role::attention_k)});
        k = g_.in_place(device, width(k_width), {g_.view(keys), pos_});
        k = rotated(device, k_width, k, in.key_rotation);
        if (!s_.keys_last) values();
      } else {
        k = v = ComputeGraph::none;
      }
    }
    if (own_cache) keep(cache, in, k, v);
    Node out = l.mixer == Mixer::bidirectional
                   ? scores(device, q, {k, v}, false, a.query_heads, a.value_dim)
                   : scores(device, q, cache, window, a.query_heads, a.value_dim);
    const std::uint64_t out_width = width(std::uint64_t{a.query_heads} * a.value_dim);
    out = s_.flash ? g_.view(out) : g_.op(device, out_width, {g_.view(out)});
    out = rotated(device, std::uint64_t{a.query_heads} * a.value_dim, out, in.value_rotation);
    if (gate_ != ComputeGraph::none) {
      const Node opened = g_.op(device, out_width, {gate_});
      out = g_.in_place(device, out_width, {out, opened});
      gate_ = ComputeGraph::none;
    }
    return g_.op(device, width(m_.hidden), {out, weight(i, Role::attention_output)});
  }

  // Queries of an MLA layer: through their own compression where the model has one.
  Node latent_queries(std::size_t i, const Layer& l, std::uint32_t device, Node x) {
    const auto layer_id = static_cast<std::int32_t>(i);
    const std::uint64_t q_width = std::uint64_t{l.attention.query_heads} * l.attention.key_dim;
    if (weights_.of(layer_id, Role::mla_q_a) == 0) {
      const bool split = weights_.of(layer_id, Role::mla_q_b) > 0;
      return g_.op(device, width(q_width),
                   {x, weight(i, split ? Role::mla_q_b : Role::attention_q)});
    }
    const std::uint64_t rank = latent_rank(layer_id);
    const Node low = g_.op(device, width(rank), {x, weight(i, Role::mla_q_a)});
    return g_.op(device, width(q_width),
                 {norm(device, width(rank), low), weight(i, Role::mla_q_b)});
  }

  std::uint64_t latent_rank(std::int32_t layer_id) const {
    for (const auto& t : m_.tensors) {
      if (t.layer == layer_id && t.role == Role::mla_q_a && t.cols > 1) return t.rows;
    }
    return 0;
  }

  // DeepSeek's attention with keys and values expanded to every head, as the builds before the
  // compressed cache did it.
  Node expanded_attention(std::size_t i, const Layer& l, std::uint32_t device, Node x) {
    const auto& a = l.attention;
    const std::uint64_t heads = a.query_heads;
    const std::uint64_t nope = a.key_dim > a.rope_dim ? a.key_dim - a.rope_dim : 0;
    const auto cache = cached(i, s_.cells, heads * a.key_dim, heads * a.value_dim);
    const Node q = latent_queries(i, l, device, x);
    const Node q_rope = g_.op(device, width(heads * a.rope_dim), {g_.view(q), pos_});
    const Node queries = g_.op(device, width(heads * a.key_dim), {g_.view(q), q_rope});
    const Node both =
        g_.op(device, width(a.kv_lora_rank + a.rope_dim), {x, weight(i, Role::mla_kv_a)});
    const Node latent = g_.op(device, width(a.kv_lora_rank), {g_.view(both)});
    const Node kv = g_.op(device, width(heads * (nope + a.value_dim)),
                          {norm(device, width(a.kv_lora_rank), latent), weight(i, Role::mla_kv_b)});
    const Node k_rope = g_.op(device, width(a.rope_dim), {g_.view(both), pos_});
    const Node spread = g_.op(device, width(heads * a.rope_dim), {k_rope});
    const Node keys = g_.op(device, width(heads * a.key_dim), {g_.view(kv), spread});
    const Node values = g_.op(device, width(heads * a.value_dim), {g_.view(kv)});
    keep(cache, full_, keys, values);
    Node out = scores(device, queries, cache, false, heads, a.value_dim);
    const std::uint64_t out_width = width(heads * a.value_dim);
    out = s_.flash ? g_.view(out) : g_.op(device, out_width, {g_.view(out)});
    return g_.op(device, width(m_.hidden), {out, weight(i, Role::attention_output)});
  }

  // The same over the compressed cache: one shared vector per token, heads only in the queries.
  Node latent_attention(std::size_t i, const Layer& l, std::uint32_t device, Node x) {
    const auto& a = l.attention;
    const std::uint64_t heads = a.query_heads;
    const std::uint64_t latent_dim = a.kv_lora_rank + a.rope_dim;
    const auto cache = cached(i, s_.cells, latent_dim, 0);
    const Node q = latent_queries(i, l, device, x);
    if (s_.flash && s_.expansion_bytes) return expanded_prompt(i, l, device, x, q, cache);
    const Node both = g_.op(device, width(latent_dim), {x, weight(i, Role::mla_kv_a)});
    const Node q_rope = g_.op(device, width(heads * a.rope_dim), {g_.view(q), pos_});
    const Node k_rope = g_.op(device, width(a.rope_dim), {g_.view(both), pos_});
    const Node latent = norm(device, width(a.kv_lora_rank), g_.view(both));
    const Node absorbed =
        g_.op(device, width(heads * a.kv_lora_rank), {weight(i, Role::mla_kv_b), g_.view(q)});
    const Node queries = g_.op(device, width(heads * latent_dim), {g_.view(absorbed), q_rope});
    const Node keys = g_.op(device, width(latent_dim), {latent, k_rope});
    keep(cache, full_, keys, ComputeGraph::none);
    const Node out =
        scores(device, queries, {cache.keys, cache.keys}, false, heads, a.kv_lora_rank);
    const Node spread =
        g_.op(device, width(heads * a.value_dim), {weight(i, Role::mla_kv_b), g_.view(out)});
    const Node joined = g_.op(device, width(heads * a.value_dim), {g_.view(spread)});
    return g_.op(device, width(m_.hidden), {joined, weight(i, Role::attention_output)});
  }

  Node expanded_prompt(std::size_t i, const Layer& l, std::uint32_t device, Node x, Node q,
                       Cached cache) {
    const auto& a = l.attention;
    const std::uint64_t heads = a.query_heads;
    const std::uint64_t nope = a.key_dim > a.rope_dim ? a.key_dim - a.rope_dim : a.key_dim;
    const std::uint64_t cells = saturating_mul(s_.cells, s_.streams);
    const Node both =
        g_.op(device, width(a.kv_lora_rank + a.rope_dim), {x, weight(i, Role::mla_kv_a)});
    const Node q_rope = g_.op(device, width(heads * a.rope_dim), {g_.view(q), pos_});
    const Node queries = g_.op(device, width(heads * a.key_dim), {g_.view(q), q_rope});
    keep(cache, full_, norm(device, width(a.kv_lora_rank + a.rope_dim), both), ComputeGraph::none);
    const std::uint64_t whole =
        saturating_mul(cells, saturating_mul(heads, (nope + a.value_dim) * f32));
    const std::uint64_t piece =
        *s_.expansion_bytes == 0 ? whole : std::min(whole, *s_.expansion_bytes);
    const Node part = g_.op(device, piece, {weight(i, Role::mla_kv_b), cache.keys});
    const Node keys = g_.op(device, saturating_mul(cells, heads * a.key_dim * 2), {part});
    const Node values = g_.op(device, saturating_mul(cells, heads * a.value_dim * 2), {part});
    const Node out = g_.view(scores(device, queries, {keys, values}, false, heads, a.value_dim));
    return g_.op(device, width(m_.hidden), {out, weight(i, Role::attention_output)});
  }

  // build_mamba2_layer: one product holds z, x, B, C and dt until the gate has read z; the scan
  // gives the outputs and the last states as one tensor.
  Node mamba2(std::size_t i, const Layer& l, std::uint32_t device, Node x) {
    const auto& r = l.recurrent;
    const std::uint64_t inner = r.state_heads * r.state_value_dim;
    const std::uint64_t conv_bytes = f32 * r.conv_elements() * s_.sequences;
    const std::uint64_t state_bytes = f32 * r.state_elements() * s_.sequences;
    const Node conv_states = g_.stored(conv_bytes, device, false);
    const Node states = g_.stored(state_bytes, device, false);
    const Node before = g_.op(device, conv_bytes, {conv_states, state_ids_});
    const Node product = g_.op(device, width(inner + r.conv_channels + r.state_heads),
                               {x, weight(i, Role::recurrent_in)});
    const Node joined =
        g_.op(device, width(r.conv_channels) + conv_bytes, {g_.view(before), g_.view(product)});
    g_.store(conv_states, g_.view(joined));
    const Node convolved = g_.op(device, width(r.conv_channels), {joined});
    const Node active = g_.in_place(device, width(r.conv_channels),
                                    {g_.in_place(device, width(r.conv_channels), {convolved})});
    const Node steps = g_.in_place(device, width(r.state_heads),
                                   {g_.op(device, width(r.state_heads), {g_.view(product)})});
    const Node scan = g_.op(device, width(inner) + state_bytes,
                            {states, g_.view(active), steps, g_.view(active), g_.view(active)});
    g_.store(states, g_.view(scan));
    const Node gate = g_.op(device, width(inner), {g_.view(product)});
    const Node skip = g_.op(device, width(inner), {g_.view(active)});
    const Node mixed = g_.in_place(device, width(inner), {g_.view(scan), skip});
    const Node gated = g_.op(device, width(inner), {gate, mixed});
    const Node normed =
        g_.in_place(device, width(inner), {g_.op(device, width(inner), {g_.view(gated)})});
    return g_.op(device, width(m_.hidden), {g_.view(normed), weight(i, Role::recurrent_out)});
  }

  // Mamba and the delta nets: projections, the short convolution, the scan and the gate.
  Node recurrent(std::size_t i, const Layer& l, std::uint32_t device, Node x) {
    const auto& r = l.recurrent;
    if (r.kind == model::RecurrentKind::mamba2 && r.state_heads > 0) {
      return mamba2(i, l, device, x);
    }
    const std::uint64_t channels = std::max<std::uint64_t>(r.conv_channels, 1);
    const std::uint64_t inner = r.state_heads > 0
                                    ? std::max<std::uint64_t>(r.state_heads * r.state_value_dim, 1)
                                    : channels;
    const Node mixed = g_.op(device, width(channels + inner), {x, weight(i, Role::recurrent_in)});
    const Node joined =
        g_.op(device, width(channels) + f32 * r.conv_elements() * s_.sequences, {g_.view(mixed)});
    const Node convolved = g_.op(device, width(channels), {joined});
    const Node active = g_.in_place(device, width(channels), {convolved});
    const Node scan = g_.op(device, width(inner) + f32 * r.state_elements() * s_.sequences,
                            {active, g_.view(mixed)});
    const Node gated = g_.op(device, width(inner), {g_.view(scan), g_.view(mixed)});
    return g_.op(device, width(m_.hidden), {gated, weight(i, Role::recurrent_out)});
  }

  Node activation(std::uint32_t device, std::uint64_t bytes, Node gate, Node up) {
    if (s_.fused_activation) return g_.op(device, bytes, {gate, up});
    return g_.in_place(device, bytes, {g_.in_place(device, bytes, {gate}), up});
  }

  Node dense(std::size_t i, const Layer& l, std::uint32_t device, Node x, std::uint64_t tokens,
             std::uint64_t inner, bool shared) {
    const std::uint64_t bytes = saturating_mul(saturating_mul(inner, tokens), f32);
    const std::uint64_t out = f32 * tokens * m_.hidden;
    const auto role = [&](Role own, Role other) { return weight(i, shared ? other : own); };
    const Node down = role(Role::ffn_down, Role::shared_down);
    if (!l.feed_forward.gated) {
      const Node up = g_.op(device, bytes, {x, role(Role::ffn_up, Role::shared_up)});
      return g_.op(device, out, {g_.in_place(device, bytes, {up}), down});
    }
    const Node gate = g_.op(device, bytes, {x, role(Role::ffn_gate, Role::shared_gate)});
    const Node up = g_.op(device, bytes, {x, role(Role::ffn_up, Role::shared_up)});
    return g_.op(device, out, {activation(device, bytes, gate, up), down});
  }

  Node experts(std::size_t i, const Layer& l, std::uint32_t device, Node x, std::uint64_t tokens) {
    const auto& ff = l.feed_forward;
    const std::uint64_t routed = std::uint64_t{ff.experts} * tokens * f32;
    const std::uint64_t used = std::uint64_t{ff.experts_per_token} * tokens;
    const Node logits = g_.op(device, routed, {x, weight(i, Role::router)});
    const Node chances = g_.in_place(device, routed, {logits});
    const Node sorted = g_.op(device, routed, {chances});
    const Node chosen = g_.view(sorted);
    const Node share = g_.op(device, used * f32, {g_.view(chances), chosen});
    const std::uint64_t inner = saturating_mul(used, std::uint64_t{ff.expert_intermediate} * f32);
    if (s_.experts_on_host && s_.host_computes_experts) device = g_.host();
    const Node in = g_.view(x);
    const Node gate = g_.op(device, inner, {expert_weight(i, Role::expert_gate), in, chosen});
    const Node up = g_.op(device, inner, {expert_weight(i, Role::expert_up), in, chosen});
    const std::uint64_t each = saturating_mul(used, m_.hidden * f32);
    const Node down =
        g_.op(device, each,
              {expert_weight(i, Role::expert_down), activation(device, inner, gate, up), chosen});
    const Node scaled = g_.in_place(device, each, {down, share});
    const std::uint64_t out = f32 * tokens * m_.hidden;
    std::vector<Node> parts;
    for (std::uint32_t e = 0; e < std::max(1U, ff.experts_per_token); ++e) {
      parts.push_back(g_.view(scaled));
    }
    Node sum = parts.size() > 1 ? g_.op(device, out, {parts[0], parts[1]})
                                : g_.op(device, out, {parts[0]});
    for (std::size_t e = 2; e < parts.size(); ++e) sum = g_.in_place(device, out, {sum, parts[e]});
    if (ff.shared_intermediate == 0) return sum;
    const Node shared = dense(i, l, device, x, tokens, ff.shared_intermediate, true);
    return g_.in_place(device, out, {sum, shared});
  }

  void output(Node stream) {
    const auto stored_on = s_.output_device;
    const auto device = runs_on(stored_on);
    const std::uint64_t bytes = f32 * s_.outputs * m_.hidden;
    std::uint64_t head = weights_.of(-1, Role::output_head);
    if (head == 0) head = weights_.of(-1, Role::token_embedding);
    const Node x = norm(device, bytes, stream);
    if (pattern_.both_ways) return;  // embeddings leave as they are
    g_.op(device, saturating_mul(saturating_mul(m_.vocab, s_.outputs), f32),
          {x, g_.stored(head, stored_on, true)});
  }

  const model::Model& m_;
  const GraphSetup& s_;
  const LayerWeights& weights_;
  ComputeGraph g_;
  Pattern own_;
  const Pattern& pattern_;
  std::uint64_t reach_;  // tokens one token may see: the cache, or its own batch in encoders
  Node pos_ = ComputeGraph::none, out_ids_ = ComputeGraph::none, gate_ = ComputeGraph::none;
  bool phi3_ = m_.architecture == "phi3" || m_.model_type == "phi3";
  Node state_ids_ = ComputeGraph::none;
  CacheInputs full_, window_;
};

}  // namespace

// Equal layers repeat the same pattern: the first three of each kind on each device, and the last
// of all, stand for the rest.
Pattern pattern_of(const model::Model& model, const std::vector<std::uint32_t>& layer_device) {
  Pattern out;
  struct Kind {
    std::uint32_t device;
    Mixer mixer;
    model::FeedForwardKind feed_forward;
    std::uint32_t heads;
    bool operator==(const Kind&) const = default;
  };
  std::vector<std::pair<Kind, int>> seen;  // few: a list is quicker than a tree
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& l = model.layers[i];
    const bool slides = l.mixer == Mixer::sliding || l.mixer == Mixer::chunked;
    out.slides = out.slides || slides;
    out.states = out.states || l.mixer == Mixer::recurrent;
    out.full = out.full || l.mixer == Mixer::full || l.mixer == Mixer::mla ||
               l.mixer == Mixer::bidirectional;
    const Kind kind{layer_device[i], l.mixer, l.feed_forward.kind, l.attention.query_heads};
    auto found = std::ranges::find(seen, kind, &std::pair<Kind, int>::first);
    if (found == seen.end()) found = seen.insert(seen.end(), {kind, 0});
    if (found->second++ < 3 || i + 1 == model.layers.size()) out.picked.push_back(i);
  }
  // A model of states alone has no mask; one whose layers are unknown is taken to attend.
  const bool attends =
      std::ranges::any_of(model.layers, [](const Layer& l) { return l.mixer != Mixer::recurrent; });
  out.full = out.full || (!out.slides && (attends || model.layers.empty()));
  out.both_ways = !model.layers.empty() && model.layers.front().mixer == Mixer::bidirectional;
  return out;
}

LayerWeights::LayerWeights(const model::Model& model) : rows_(model.layers.size() + 1) {
  for (const auto& t : model.tensors) {
    const auto at = static_cast<std::size_t>(t.layer + 1);
    if (t.layer < -1 || at >= rows_.size()) continue;
    auto& sum = rows_[at].bytes[static_cast<std::size_t>(t.role)];
    sum = saturating_add(sum, t.bytes.value());
    if (t.role == Role::attention_q && t.cols > 1) rows_[at].query_rows = t.rows;
  }
}

std::vector<std::uint64_t> compute_buffers(const model::Model& model, const LayerWeights& weights,
                                           const GraphSetup& setup) {
  return Builder(model, weights, setup).run();
}

}  // namespace steelyard::memory::llama_cpp

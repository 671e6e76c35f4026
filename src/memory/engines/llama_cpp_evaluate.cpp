#include "memory/engines/llama_cpp_evaluate.h"

#include <algorithm>

#include "memory/weights.h"

namespace steelyard::memory::llama_cpp {

namespace {

// Context, loaded kernels, cuBLAS and pool growth. Logs of one card print 150 to 750 MiB between
// what the engine counts and what the driver says is gone (RTX PRO 6000 749 and 753, RTX 4070 class
// 153); no term of it is arithmetic.
ByteFigure driver_context() {
  return ByteFigure::banded(mib(400), mib(150), mib(760), Origin::predicted);
}

bool any_of_words(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view w) { return contains_icase(name, w); });
}

// Layers in the order of the file for a model whose layers nobody established.
std::uint64_t stored_layers(const model::Model& model) {
  std::int32_t last = -1;
  for (const auto& t : model.tensors) last = std::max(last, t.layer);
  return static_cast<std::uint64_t>(last + 1);
}

// What the adapters add to each device's layers, in 16 bit.
std::vector<Bytes> adapters_of(const model::Model& model, const Layout& layout,
                               const Workload& workload) {
  std::vector<Bytes> out(layout.cards + 1);
  if (workload.adapters == 0) return out;
  for (std::size_t i = 0; i < layout.layer_device.size(); ++i) {
    const Stage one{.first = i, .last = i + 1};
    out[layout.layer_device[i]] +=
        adapter_bytes(model, {}, one, workload.adapters, workload.adapter_rank);
  }
  return out;
}

// A draft model runs whole on the cards, with as many slots as the model.
Request for_draft(Request request) {
  request.draft = nullptr;
  request.workload.gpu_layers.reset();
  request.workload.offload.clear();
  request.workload.adapters = request.workload.mtp = 0;
  return request;
}

}  // namespace

Backend backend_of(const Request& request) {
  Backend out{.context = driver_context()};
  const std::string name = request.card ? request.card->name : "";
  if (any_of_words(name, {"apple", "metal"}) ||
      (name.size() > 1 && (name[0] == 'M' || name[0] == 'm') && name[1] >= '1' && name[1] <= '9' &&
       any_of_words(name, {"ultra", "max", "pro", "gpu"}))) {
    return {.device = "Metal",
            .pipeline = false,
            .computes_for_host = false,
            .context = ByteFigure::banded(mib(100), mib(0), mib(300), Origin::predicted)};
  }
  if (any_of_words(name, {"intel", "arc ", "sycl"})) {
    return {.device = "SYCL",
            .pipeline = false,
            .computes_for_host = true,
            .context = driver_context()};
  }
  if (any_of_words(name, {"ascend", "cann", "910"})) {
    return {.device = "CANN",
            .pipeline = false,
            .computes_for_host = false,
            .context = driver_context()};
  }
  if (any_of_words(name, {"rpc"})) {
    return {.device = "RPC",
            .pipeline = build_of(request.engine.version).rpc_events,
            .computes_for_host = false,
            .context = driver_context()};
  }
  if (any_of_words(name, {"amd", "radeon", "instinct", "mi300", "mi250", "mi100"})) {
    out.device = "ROCm";
  }
  return out;
}

Evaluator::Evaluator(const model::Model& model, const Request& request)
    : model_(model),
      weights_(model),
      build_(build_of(request.engine.version)),
      layout_(layout_of(model, request, build_)),
      backend_(backend_of(request)) {
  if (model.layers.empty()) {
    // Spread the stored layers as known ones would be; they have no cache we could name.
    model::Model shape;
    shape.layers.resize(stored_layers(model));
    layout_ = layout_of(shape, request, build_);
  }
  if (!model.layers.empty()) pattern_ = pattern_of(model, layout_.layer_device);
  adapters_ = adapters_of(model, layout_, request.workload);
  if (request.draft) {
    draft_model_ = request.draft;
    draft_ = std::make_unique<const Evaluator>(*draft_model_, for_draft(request));
  }
  model_bytes_ = model_buffers(model, layout_, request.workload.images.value_or(0) > 0);
  latent_ = latent_cache_of(model, request.workload, build_);
  const bool pipeline = layout_.cards > 1 && layout_.all_on_cards && backend_.pipeline &&
                        !layout_.experts_on_host && !layout_.rows_split;
  copies_ = pipeline ? 4 : 1;
}

Result<Evaluation> Evaluator::evaluate(const Workload& workload) const {
  auto settings = settings_of(model_, workload, build_);
  if (!settings) return std::unexpected(settings.error());
  Evaluation out{.settings = *settings};
  const Settings& s = out.settings;
  const std::size_t devices = layout_.cards + 1;
  out.cache.resize(devices);
  out.state.resize(devices);
  for (std::size_t i = 0; i < model_.layers.size(); ++i) {
    const auto cache = layer_cache(model_.layers[i], s, latent_, build_);
    out.cache[layout_.layer_device[i]] += cache.keys + cache.values;
    out.state[layout_.layer_device[i]] += cache.conv_state + cache.scan_state;
  }
  const std::uint64_t wanted = saturating_mul(s.sequences, s.state_copies);
  GraphSetup g;
  g.cards = layout_.cards;
  g.tokens = s.micro_batch;
  const bool all_outputs = build_.reserves_all_outputs || workload.all_logits;
  g.outputs = all_outputs ? g.tokens : std::min(g.tokens, wanted);
  g.cells = s.cells;
  g.window_cells = s.window_cells;
  g.streams = s.streams;
  g.sequences = s.sequences;
  g.flash = s.flash;
  g.mla_compressed = latent_ != LatentCache::expanded;
  g.fused_activation = build_.fused_activation;
  g.copies_fused_parts = build_.copies_fused_parts;
  g.pinned_host_cache = build_.pinned_host_cache;
  g.selects_outputs = build_.selects_outputs;
  g.half_masks = build_.half_masks;
  g.keeps_embedding_input = build_.keeps_embedding_input;
  g.keys_last = build_.keys_last;
  g.index_inputs = build_.index_inputs;
  const bool fork_without = !workload.mla_mode.empty();
  g.rotates_keys = build_.rotates_quantised_cache && s.keys.block_elements > 1 && !fork_without;
  g.rotates_values = build_.rotates_quantised_cache && s.values.block_elements > 1 && !fork_without;
  g.takes_over_views = build_.single_buffer;
  g.offload_large_batches = backend_.computes_for_host;
  g.experts_on_host = layout_.experts_on_host;
  const std::string& fork = workload.mla_mode;
  g.host_computes_experts = !fork.empty();
  if (fork == "2" || fork == "3") {
    g.expansion_bytes = saturating_mul(workload.attention_max_batch_mib.value_or(0), 1048576);
  }
  g.copies = copies_;
  g.key_bytes = s.keys.bits_per_element() / 8;
  g.value_bytes = s.values.bits_per_element() / 8;
  g.layer_device = layout_.layer_device;
  g.output_device = layout_.output_device;
  g.pattern = model_.layers.empty() ? nullptr : &pattern_;
  for (const std::uint64_t bytes : compute_buffers(model_, weights_, g)) {
    out.scratch.push_back(Bytes(bytes));
  }
  // The one buffer of 2023 held the descriptions of its graph too: what those logs print above the
  // graph's own need is the same 3.19 MiB for every model.
  if (build_.single_buffer) out.scratch.front() += mib(3.19);
  out.output = Bytes(saturating_mul(model_.vocab, 4)) * s.sequences;
  if (draft_) {
    const auto beside = draft_->evaluate(workload);
    if (!beside) return std::unexpected(beside.error());
    for (std::uint32_t d = 0; d < devices; ++d) {
      out.draft.push_back(draft_->model_bytes().device[d] + beside->cache[d] + beside->state[d] +
                          beside->scratch[d]);
    }
  }
  return out;
}

Bytes Evaluator::card_total(const Evaluation& e, std::uint32_t card) const {
  return model_bytes_.device[card] + e.cache[card] + e.state[card] + e.scratch[card] +
         adapters_[card] + (e.draft.empty() ? Bytes(0) : e.draft[card]) + backend_.context.value;
}

}  // namespace steelyard::memory::llama_cpp

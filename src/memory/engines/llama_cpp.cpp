// llama.cpp: terms, buffers and assumptions of one answer.
#include "memory/engines/llama_cpp.h"

#include <fmt/format.h>

#include <algorithm>

#include "memory/engines/engine.h"
#include "memory/engines/llama_cpp_capacity.h"

namespace steelyard::memory::llama_cpp {

namespace {

// How far the replayed scratch size may be off: the residuals of the logged buffers, by what the
// graph holds (docs/accuracy.md). Graphs of recurrent layers are replayed coarsely.
ByteFigure scratch_figure(const model::Model& model, const Evaluator& ev, Bytes bytes) {
  const bool recurrent =
      std::any_of(model.layers.begin(), model.layers.end(),
                  [](const model::Layer& l) { return l.mixer == model::Mixer::recurrent; });
  const bool plain = ev.layout().cards == 1 && ev.layout().all_on_cards;
  const double down = recurrent ? 0.6 : plain ? 0.95 : 0.85;
  const double up = recurrent ? 1.8 : plain ? 1.1 : 1.3;
  return ByteFigure::banded(bytes, bytes_from(bytes.as_double() * down),
                            bytes_from(bytes.as_double() * up) + mib(16), Origin::predicted);
}

std::string device_name(const Evaluator& ev, std::uint32_t device) {
  if (device == ev.layout().host()) return "CPU";
  return ev.backend().device == "Metal" ? "Metal"
                                        : fmt::format("{}{}", ev.backend().device, device);
}

std::string cache_formula(const Settings& s, std::uint64_t layers) {
  std::string cells = with_commas(s.cells) + " cells";
  if (s.streams > 1) cells += fmt::format(" x {} sequences", s.streams);
  if (s.window_cells > 0 && s.window_cells != s.cells) {
    cells += fmt::format(" ({} in sliding layers)", with_commas(s.window_cells));
  }
  return fmt::format("{}, {} layers with a cache, K {} V {}", cells, layers, s.keys.name,
                     s.values.name);
}

std::uint64_t cached_layers(const model::Model& model, const Evaluator& ev, const Settings& s,
                            std::uint32_t device) {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const auto c = layer_cache(model.layers[i], s, ev.latent(), ev.build());
    if (ev.layout().layer_device[i] == device && (c.keys + c.values).value() > 0) ++n;
  }
  return n;
}

Rank rank_of(const model::Model& model, const Evaluator& ev, const Evaluation& e,
             std::uint32_t device) {
  Rank rank{.name = device_name(ev, device)};
  const auto add = [&](std::string name, ByteFigure bytes, std::string formula) {
    rank.terms.push_back({std::move(name), bytes, std::move(formula)});
  };
  add("weights", ByteFigure::exact(ev.model_bytes().device[device]),
      fmt::format("tensors placed on {}, each padded to 128 bytes", rank.name));
  if (model.layers.empty()) {
    // Nobody knows how much: from nothing to more than there is, so that nothing is called fitting.
    add("kv_cache",
        ByteFigure::banded(Bytes(0), Bytes(0), ev.model_bytes().device[device], Origin::assumed),
        "layers are not established");
  } else {
    add("kv_cache", ByteFigure::exact(e.cache[device]),
        cache_formula(e.settings, cached_layers(model, ev, e.settings, device)));
  }
  if (e.state[device].value() > 0) {
    add("recurrent_state", ByteFigure::exact(e.state[device]),
        fmt::format("f32 states of {} sequences x {} copies", e.settings.sequences,
                    e.settings.state_copies));
  }
  add("activations", scratch_figure(model, ev, e.scratch[device]),
      fmt::format("compute buffer: graph of {} tokens over {} cells, flash attention {}{}",
                  e.settings.micro_batch, with_commas(e.settings.cells),
                  e.settings.flash ? "on" : "off",
                  ev.pipelined() ? ", inputs kept 4 times for pipelining" : ""));
  if (ev.adapters(device).value() > 0) {
    add("adapters", ByteFigure::scaled(ev.adapters(device), 1, 2, Origin::assumed),
        "low-rank pairs of every matrix in 16 bit; files in 32 bit take twice that");
  }
  if (!e.draft.empty() && e.draft[device].value() > 0) {
    add("draft", scratch_figure(model, ev, e.draft[device]),
        "the draft's weights, cache and compute buffer");
  }
  if (device != ev.layout().host()) {
    add("runtime", ev.backend().context, "driver context, kernels and workspaces of one card");
  }
  return rank;
}

void add_ranks(const model::Model& model, const Evaluator& ev, const Evaluation& e, Answer& out) {
  const std::uint32_t host = ev.layout().host();
  const std::uint32_t first = ev.layout().cards == 0 ? host : 0;
  const std::uint32_t end = std::max(ev.layout().cards, 1U);
  const auto same = [&](std::uint32_t a, std::uint32_t b) {
    return ev.model_bytes().device[a] == ev.model_bytes().device[b] && e.cache[a] == e.cache[b] &&
           e.state[a] == e.state[b] && e.scratch[a] == e.scratch[b];
  };
  for (std::uint32_t device = first; device < end; ++device) {
    if (device > first && same(device, device - 1)) {
      Rank& before = out.ranks.back();
      ++before.repeats;
      before.name = fmt::format("{}..{}", device_name(ev, device + 1 - before.repeats), device);
      continue;
    }
    out.ranks.push_back(rank_of(model, ev, e, device));
  }
  out.ranks.front().host = first == host ? Bytes(0)
                                         : ev.model_bytes().device[host] + e.cache[host] +
                                               e.state[host] + e.scratch[host] + e.output;
}

void add_buffers(const model::Model& model, const Evaluator& ev, const Evaluation& e, Answer& out) {
  const std::uint32_t host = ev.layout().host();
  const auto add = [&](const std::string& device, const char* kind, ByteFigure bytes) {
    if (bytes.value.value() > 0) out.buffers.push_back({device, kind, bytes});
  };
  for (std::uint32_t d = 0; d <= host; ++d) {
    const std::string name = device_name(ev, d);
    add(name, "model", ByteFigure::exact(ev.model_bytes().device[d]));
    if (d == host) add("CPU_Mapped", "model", ByteFigure::exact(ev.model_bytes().mapped_span));
    add(name, "kv", ByteFigure::exact(e.cache[d]));
    add(name, "recurrent", ByteFigure::exact(e.state[d]));
    const bool pinned = d == host && ev.layout().cards > 0 && ev.backend().device != "Metal";
    add(pinned ? ev.backend().device + "_Host" : name, "compute",
        scratch_figure(model, ev, e.scratch[d]));
  }
  add("CPU", "output", ByteFigure::exact(e.output));
}

void add_assumptions(const Request& request, const Evaluator& ev, const Evaluation& e,
                     Answer& out) {
  const Workload& w = request.workload;
  const Settings& s = e.settings;
  const auto say = [&](std::string name, std::string value, bool asked) {
    out.assumptions.push_back(
        {std::move(name), std::move(value), asked ? Origin::exact : Origin::assumed});
  };
  if (w.ctx_size) {
    say("context", fmt::format("{} tokens in all (-c)", with_commas(s.context)), true);
  }
  say("slots",
      fmt::format("{}{}", s.sequences,
                  s.sequences > 1 && s.streams == 1 ? ", sharing one cache" : ""),
      w.concurrency.has_value());
  say("micro-batch", fmt::format("{} tokens (-ub)", s.micro_batch), w.ubatch.has_value());
  say("flash attention", s.flash ? "on" : "off", w.flash_attention != Toggle::automatic);
  say("cache formats", fmt::format("K {}, V {}", s.keys.name, s.values.name), !w.kv_k.empty());
  if (ev.layout().cards > 1) {
    say("split",
        ev.layout().rows_split ? "by rows (--split-mode row)"
                               : "by layers, equal shares of equal cards",
        false);
  }
  if (ev.model_bytes().tied_copy) {
    say("tied head", "stored twice: the embedding stays in host memory", false);
  }
}

// The one latent vector of MLA is both key and value: newer builds refuse two formats for it.
bool parts_latent_cache(const model::Model& model, const Evaluator& ev, const Settings& s) {
  const bool latent = std::any_of(model.layers.begin(), model.layers.end(),
                                  [](const auto& l) { return l.mixer == model::Mixer::mla; });
  return latent && ev.latent() == LatentCache::latent && s.keys.name != s.values.name;
}

void add_warnings(const model::Model& model, const Request& request, const Evaluator& ev,
                  const Evaluation& e, Answer& out) {
  const std::string& method = model.quantisation.method;
  for (const char* foreign : {"awq", "gptq", "fp8", "nvfp4", "compressed-tensors", "bnb"}) {
    if (starts_with_icase(method, foreign)) {
      out.refusal = fmt::format(
          "llama.cpp reads GGUF only, not weights stored as {}: give --weights q4_k_m, q8_0 or "
          "another type of GGUF",
          method);
      break;
    }
  }
  const bool quantised_values = e.settings.values.block_elements > 1;
  if (quantised_values && !e.settings.flash) {
    out.refusal = "a quantised V cache needs flash attention: this build refuses to start";
  }
  if (request.workload.mla_mode.empty() && parts_latent_cache(model, ev, e.settings)) {
    out.refusal = "keys and values share one latent cache: this build wants one format for both";
  }
  const std::uint64_t each = e.settings.context / std::max<std::uint64_t>(1, e.settings.streams);
  if (model.max_context > 0 && each > round_up(model.max_context, 256)) {
    out.warnings.push_back(fmt::format("context {} is beyond the {} the model was made for",
                                       with_commas(each), with_commas(model.max_context)));
  }
  if (ev.layout().experts_on_host) {
    out.warnings.push_back("experts stay in host memory: their products run from there");
  }
}

// What --offload cpu came to for a dense model.
void add_offload(const model::Model& model, const Request& request, const Request& chosen,
                 Answer& out) {
  const bool asked = request.workload.offload == "cpu" && !has_experts(model);
  if (!asked) return;
  if (request.workload.gpu_layers) {
    out.warnings.push_back("--offload changes nothing beside --gpu-layers");
  } else if (!request.card) {
    out.warnings.push_back("--offload changes nothing without a card: nothing has to move");
  } else if (!chosen.workload.gpu_layers) {
    out.warnings.push_back("--offload moves nothing: all layers fit on the card");
  } else {
    const auto all = static_cast<std::int64_t>(model.layers.size()) + 1;
    const std::int64_t kept = *chosen.workload.gpu_layers;
    out.warnings.push_back(
        fmt::format("{} of {} layers stay in host memory (-ngl {}) and run from there, slowly",
                    all - kept, all, kept));
  }
}

void heed_slots(const Evaluator& ev, const Evaluation& e, Answer& out) {
  const std::uint64_t most = ev.build().most_sequences;
  if (e.settings.sequences <= most) return;
  out.refusal = fmt::format("this build serves at most {} sequences at once, {} are asked", most,
                            e.settings.sequences);
}

}  // namespace

Result<Answer> answer(const model::Model& model, const Request& asked) {
  if (asked.placement.ep > asked.placement.tp || asked.placement.cp > 1 ||
      asked.placement.dcp > 1) {
    return fail({.kind = ErrorKind::usage,
                 .what = "llama.cpp splits by layers or rows only",
                 .field = "--ep, --cp, --dcp",
                 .try_this = "name the cards (--gpu NAME:N), or --tp N for --split-mode row"});
  }
  const Request request = with_fitting_layers(model, asked);
  const Evaluator ev(model, request);
  const auto e = ev.evaluate(request.workload);
  if (!e) return std::unexpected(e.error());
  Answer out;
  add_ranks(model, ev, *e, out);
  add_buffers(model, ev, *e, out);
  if (request.card) {
    const ByteFigure& usable = request.card->usable;
    const Bytes used = request.card->in_use;
    out.budget = {usable.value - used, usable.low - used, usable.high - used, usable.origin};
  }
  out.capacity = capacity_of(model, ev, request.workload, *e, out.budget);
  add_assumptions(request, ev, *e, out);
  add_warnings(model, request, ev, *e, out);
  add_offload(model, asked, request, out);
  heed_slots(ev, *e, out);
  return out;
}

ByteFigure bytes_per_token(const model::Model& model, const Request& request) {
  const Evaluator ev(model, request);
  const auto settings = settings_of(model, request.workload, ev.build());
  if (!settings) return {};
  // Two cells counts one apart tell the growth; sliding layers stop growing at their window.
  Settings s = *settings;
  const std::uint64_t unit = 256;
  std::vector<Bytes> device(ev.layout().cards + 1);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const auto& layer = model.layers[i];
    const bool slides =
        layer.mixer == model::Mixer::sliding || layer.mixer == model::Mixer::chunked;
    if (slides && !s.full_length_windows) continue;
    s.cells = s.window_cells = unit;
    s.streams = 1;
    const auto c = layer_cache(layer, s, ev.latent(), ev.build());
    device[ev.layout().layer_device[i]] += c.keys + c.values;
  }
  const Bytes most = *std::max_element(device.begin(), device.end());
  return ByteFigure::exact(Bytes(most.value() / unit));
}

}  // namespace steelyard::memory::llama_cpp

namespace steelyard::memory {

EngineRules llama_cpp_rules() {
  return {.kind = EngineKind::llama_cpp,
          .name = "llama.cpp",
          .spellings = "llamacpp llama-cpp llama_cpp",
          .newest = "b9450",
          .size = llama_cpp::answer,
          .kv_bytes_per_token = llama_cpp::bytes_per_token,
          .launch = [](const model::Model& model, const Request& request,
                       const Answer&) { return llama_cpp::command_line(model, request); },
          .default_context = llama_cpp::default_context,
          .weight_formats = llama_cpp::weight_formats(),
          .kv_formats = llama_cpp::cache_formats(),
          .cards_by_tensor_parallel = false};
}

}  // namespace steelyard::memory

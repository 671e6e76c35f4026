// What would fit instead: each change is sized anew by the same function, nearest change first.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "memory/engines/engine.h"
#include "memory/placement.h"
#include "memory/support.h"
#include "memory/training/size_training.h"
#include "memory/verdict.h"
#include "memory/weights.h"

namespace steelyard::memory {
namespace {

constexpr std::uint64_t smallest_context = 1024;
constexpr std::uint32_t most_cards = 64, machine_cards = 8;

void add(std::vector<Alternative>& list, std::string change, const model::Model& model,
         const Request& request, std::string weights = {}) {
  auto answer = size(model, request);
  if (!answer || !is_yes(*answer)) return;
  list.push_back({std::move(change), request, std::move(weights), std::move(*answer), {}});
}

// A checkpoint in four bits gains nothing worth the loss from another four.
bool is_smaller(const model::Model& smaller, const model::Model& model) {
  return smaller.weight_bytes().as_double() < 0.9 * model.weight_bytes().as_double();
}

// The first format, from many bits to few, that is smaller than the model and fits.
void try_weights(std::vector<Alternative>& list, const model::Model& model,
                 const Request& request) {
  for (const std::string_view format : rules_of(request.engine.kind).weight_formats) {
    const auto smaller = model::with_weights(model, format);
    if (!smaller || !is_smaller(*smaller, model)) continue;
    const std::size_t before = list.size();
    add(list, fmt::format("weights {}", format), *smaller, request, std::string(format));
    if (list.size() > before) return;
  }
}

void try_kv(std::vector<Alternative>& list, const model::Model& model, const Request& request) {
  const ByteFigure now = kv_bytes_per_token(model, request);
  for (const std::string_view format : rules_of(request.engine.kind).kv_formats) {
    Request other = request;
    other.workload.kv_k = std::string(format);
    other.workload.kv_v = other.workload.kv_k;
    if (kv_bytes_per_token(model, other).value >= now.value) continue;
    const std::size_t before = list.size();
    add(list, fmt::format("KV cache {}", format), model, other);
    if (list.size() > before) return;
  }
}

// Contexts that people type: powers of two and three quarters of them.
std::uint64_t round_context(double tokens) {
  std::uint64_t best = 0;
  for (std::uint64_t n = smallest_context; static_cast<double>(n) <= tokens; n *= 2) {
    best = n;
    if (static_cast<double>(n + n / 2) <= tokens) best = n + n / 2;
  }
  return best;
}

void try_context(std::vector<Alternative>& list, const model::Model& model, const Request& request,
                 const Answer& now, std::uint64_t least = smallest_context) {
  if (!now.capacity.max_context_tokens) return;
  const std::uint64_t context = round_context(*now.capacity.max_context_tokens);
  // Without a length of its own, the request was sized at the engine's default.
  const std::uint64_t asked = request.workload.context.value_or(now.context);
  if (context < least || context >= asked) return;
  Request other = request;
  other.workload.context = context;
  other.workload.input.reset();
  other.workload.output.reset();
  other.workload.ctx_size.reset();
  add(list, fmt::format("context {}", context), model, other);
}

void try_concurrency(std::vector<Alternative>& list, const model::Model& model,
                     const Request& request, const Answer& now) {
  const std::uint64_t replicas =
      std::uint64_t{request.placement.dp} * request.placement.attention_dp;
  const std::uint64_t asked = ceil_div(request.workload.concurrency.value_or(1), replicas);
  if (!now.capacity.max_concurrency || asked <= 1) return;
  const double most = std::floor(*now.capacity.max_concurrency);
  if (most < 1 || most >= static_cast<double>(asked)) return;
  Request other = request;
  other.workload.concurrency = static_cast<std::uint64_t>(most) * replicas;
  add(list, fmt::format("{} sequences at once", other.workload.concurrency.value()), model, other);
}

// The engine plans its step and its logits for as many sequences as it admits; few users need few.
void try_admitted(std::vector<Alternative>& list, const model::Model& model,
                  const Request& request) {
  const bool plans = request.engine.kind == EngineKind::vllm;
  const std::uint64_t users = request.workload.concurrency.value_or(1);
  if (!plans || request.workload.max_num_seqs || users > 64) return;
  Request other = request;
  other.workload.max_num_seqs = users <= 16 ? 16 : 64;
  add(list, fmt::format("at most {} sequences admitted", *other.workload.max_num_seqs), model,
      other);
}

// Decoding without captured graphs is slower, most of all for few users.
void try_eager(std::vector<Alternative>& list, const model::Model& model, const Request& request) {
  if (request.engine.kind != EngineKind::vllm) return;
  if (request.workload.cuda_graphs != Toggle::automatic) return;
  Request other = request;
  other.workload.cuda_graphs = Toggle::off;
  add(list, "no CUDA graphs (slower decode)", model, other);
}

void try_utilization(std::vector<Alternative>& list, const model::Model& model,
                     const Request& request) {
  if (request.engine.kind != EngineKind::vllm) return;
  if (request.workload.memory_utilization.value_or(0.9) >= 0.95) return;
  Request other = request;
  other.workload.memory_utilization = 0.95;
  add(list, "memory utilisation 0.95", model, other);
}

// More cards as an engine that divides heads takes them: tensor parallel as far as they divide, on
// one machine; then whole machines of eight; stages only where nothing else comes out even.
std::vector<Placement> larger_placements(const model::Model& model, const Request& request) {
  const Placement& now = request.placement;
  const std::uint32_t cards = std::max(now.cards_per_replica(), request.card->count / now.dp);
  const bool experts = now.ep > 1;
  std::vector<Placement> list;
  const auto add = [&](std::uint32_t tp, std::uint32_t pp) {
    Placement place = now;
    place.tp = tp;
    place.pp = pp;
    if (experts) place.ep = tp * (now.experts_over_replicas() ? now.dp : 1);
    if (place.cards_per_replica() > cards && place.cards_per_replica() <= most_cards) {
      list.push_back(place);
    }
  };
  const auto legal = legal_tensor_parallel(model, most_cards);
  for (const std::uint32_t tp : legal) {
    if (tp <= machine_cards || tp % machine_cards == 0) add(tp, now.pp);
  }
  for (std::uint32_t pp = 2; pp <= machine_cards; ++pp) {
    std::uint32_t widest = 1;  // heads that fill a machine, or as near as they come
    for (const std::uint32_t tp : legal) widest = tp <= machine_cards ? tp : widest;
    add(now.tp > 1 ? now.tp : widest, pp);
    if (widest > 1 && now.tp == 1 && pp <= machine_cards) add(1, pp);
  }
  return list;
}

std::string placement_words(const Placement& place) {
  std::string words = fmt::format("{} cards", place.cards_per_replica() * place.dp);
  if (place.tp > 1) words += fmt::format(", tensor parallel {}", place.tp);
  if (place.pp > 1) words += fmt::format(", pipeline parallel {}", place.pp);
  return words;
}

void try_placements(std::vector<Alternative>& list, const model::Model& model,
                    const Request& request) {
  const std::size_t before = list.size();
  for (const bool staged : {false, true}) {
    auto places = larger_placements(model, request);
    std::erase_if(places, [&](const Placement& place) {
      return (place.pp != request.placement.pp) != staged;
    });
    std::ranges::stable_sort(places, {}, &Placement::cards_per_replica);
    for (const Placement& place : places) {
      Request other = request;
      other.placement = place;
      other.card->count = place.cards_per_replica() * place.dp;
      add(list, placement_words(place), model, other);
      if (list.size() > before) return;
    }
  }
}

void try_cards(std::vector<Alternative>& list, const model::Model& model, const Request& request) {
  if (rules_of(request.engine.kind).cards_by_tensor_parallel) {
    return try_placements(list, model, request);
  }
  const std::uint32_t now = std::max(request.placement.cards_per_replica(), request.card->count);
  for (std::uint32_t cards = now + 1; cards <= most_cards; ++cards) {
    Request other = request;
    other.card->count = cards;
    if (other.placement.dp == 1 && other.placement.tp == 1) other.placement.pp = cards;
    const std::size_t before = list.size();
    add(list, fmt::format("{} cards, layers split", cards), model, other);
    if (list.size() > before) return;
  }
}

// Where the engine does not run on the card at all: one that does.
void try_engines(std::vector<Alternative>& list, const model::Model& model,
                 const Request& request) {
  for (const EngineRules& rules : engine_list()) {
    Request other = request;
    other.engine = {.kind = rules.kind};
    if (rules.kind == request.engine.kind || !refusal_of(other.engine, *request.card).empty()) {
      continue;
    }
    if (!rules.cards_by_tensor_parallel) {
      other.placement = {.pp = std::max(1U, request.card->count)};
    }
    const std::size_t before = list.size();
    const bool ggml = !rules.cards_by_tensor_parallel;
    if (ggml && model.quantisation.method.empty()) {
      const auto stored = model::with_weights(model, "q8_0");
      if (stored)
        add(list, fmt::format("engine {}, weights q8_0", rules.name), *stored, other, "q8_0");
    } else if (!ggml) {
      add(list, fmt::format("engine {}", rules.name), model, other);
    }
    if (list.size() > before) return;
  }
}

bool keeps_cards(const Alternative& one, const Request& request) {
  return one.request.card->count == request.card->count;
}

// Latent and few-headed caches are whole on every tensor rank: spread over them by tokens, or the
// attention run in replicas, which cuts neither heads nor cache.
void try_spread_cache(std::vector<Alternative>& list, const model::Model& model,
                      const Request& request) {
  const Placement& now = request.placement;
  if (request.engine.kind != EngineKind::vllm || now.tp <= 1 || now.dcp > 1 || now.cp > 1) return;
  for (std::uint32_t dcp = 2; dcp <= now.tp; dcp *= 2) {
    Request other = request;
    other.placement.dcp = dcp;
    if (kv_bytes_per_token(model, other).value >= kv_bytes_per_token(model, request).value) break;
    const std::size_t before = list.size();
    add(list, fmt::format("decode context parallel {}", dcp), model, other);
    if (list.size() > before) break;
  }
  if (!has_experts(model) || now.dp > 1 || now.ep > 1) return;
  Request other = request;
  other.placement.tp = 1;
  other.placement.dp = other.placement.ep = now.tp;
  add(list, fmt::format("attention in {} replicas, experts over all of them", now.tp), model,
      other);
}

// llama.cpp's way with experts: they are most of the weights and little of the work.
void try_host_experts(std::vector<Alternative>& list, const model::Model& model,
                      const Request& request) {
  const Workload& w = request.workload;
  const bool moves = w.gpu_layers || !(w.offload.empty() || w.offload == "none");
  if (request.engine.kind != EngineKind::llama_cpp || !has_experts(model) || moves) return;
  Request other = request;
  other.workload.offload = "cpu";
  add(list, "experts in host memory (slower)", model, other);
}

// Several changes at once on the same cards, the first that do: fewer bits in weights, fewer
// sequences admitted, fewer bits in the cache, and a shorter context at last.
std::vector<std::pair<std::string, Request>> together(const Request& request) {
  const EngineRules& rules = rules_of(request.engine.kind);
  std::vector<std::pair<std::string, Request>> list;
  const bool plans = request.engine.kind == EngineKind::vllm && !request.workload.max_num_seqs &&
                     request.workload.concurrency.value_or(1) <= 16;
  if (plans) {
    list.emplace_back("at most 16 sequences admitted", request);
    list.back().second.workload.max_num_seqs = 16;
  }
  if (rules.kv_formats.empty()) return list;
  const std::string kv(rules.kv_formats.front());
  const std::size_t before = list.size();
  for (std::size_t i = 0; i <= before; ++i) {
    auto one = i == 0 ? std::pair(std::string(), request) : list[i - 1];
    one.first += fmt::format("{}KV cache {}", one.first.empty() ? "" : ", ", kv);
    one.second.workload.kv_k = one.second.workload.kv_v = kv;
    list.push_back(std::move(one));
  }
  return list;
}

void try_together(std::vector<Alternative>& list, const model::Model& model,
                  const Request& request) {
  const auto ways = together(request);
  for (const std::string_view format : rules_of(request.engine.kind).weight_formats) {
    const auto smaller = model::with_weights(model, format);
    if (!smaller || !is_smaller(*smaller, model)) continue;
    const std::size_t before = list.size();
    for (const auto& [change, other] : ways) {
      add(list, fmt::format("weights {}, {}", format, change), *smaller, other,
          std::string(format));
      if (list.size() > before) return;
    }
    if (ways.empty()) continue;
    const auto& [change, other] = ways.back();
    if (const auto now = size(*smaller, other)) try_context(list, *smaller, other, *now);
    if (list.size() == before) continue;
    list.back().change = fmt::format("weights {}, {}, {}", format, change, list.back().change);
    list.back().weights = format;
    return;
  }
}

}  // namespace

std::vector<Alternative> alternatives(const model::Model& model, const Request& request) {
  if (request.training) return training_alternatives(model, request);
  std::vector<Alternative> list;
  if (!request.card) return list;
  const auto now = size(model, request);
  if (!now || now->verdict == Verdict::fits) return list;
  if (!refusal_of(request.engine, *request.card).empty()) {
    try_engines(list, model, request);
    return list;
  }
  // A length nobody asked for is the first thing to give up.
  const Workload& w = request.workload;
  const bool open_length = !w.context && !w.ctx_size && !w.input && !w.output;
  constexpr std::uint64_t useful_context = 4096;
  if (open_length) try_context(list, model, request, *now, useful_context);
  const bool length_given_up = !list.empty();
  // Nearest first: what changes nothing for the user, then what costs quality or reach, then money.
  try_utilization(list, model, request);
  try_admitted(list, model, request);
  try_eager(list, model, request);
  try_kv(list, model, request);
  try_concurrency(list, model, request, *now);
  try_spread_cache(list, model, request);
  // A length that nobody asked for is cut to the bone only where nothing else helps.
  const std::uint64_t least = open_length && !list.empty() ? useful_context : smallest_context;
  if (!length_given_up) try_context(list, model, request, *now, least);
  try_weights(list, model, request);
  const auto same_cards = [&](const Alternative& one) { return keeps_cards(one, request); };
  if (std::ranges::none_of(list, same_cards)) try_together(list, model, request);
  try_host_experts(list, model, request);
  // A Mac has one GPU, and no second beside it.
  if (platform_of(*request.card) != Platform::apple) try_cards(list, model, request);
  return list;
}

}  // namespace steelyard::memory

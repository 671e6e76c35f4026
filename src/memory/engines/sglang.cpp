// SGLang: what is free after loading, less (1 - mem_fraction_static) of what was free before,
// becomes the pool; activations and CUDA graphs live in the rest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "memory/activations.h"
#include "memory/asked.h"
#include "memory/engines/engine.h"
#include "memory/kv_sglang.h"
#include "memory/launch_words.h"
#include "memory/runtime_share.h"
#include "memory/sglang_defaults.h"
#include "memory/verdict.h"
#include "memory/weights.h"

namespace steelyard::memory {
namespace {

constexpr std::string_view sglang_weights[] = {"fp8", "awq"};
constexpr std::string_view sglang_caches[] = {"fp8"};
// Process start: context, and the NCCL communicators once there are several ranks.
constexpr double start_one_gib = 0.5, start_many_gib = 1.9;

CacheRules sglang_cache_rules(const model::Model& model, const Workload& w) {
  CacheRules rules;
  rules.key_bytes = cache_element_bytes(w, w.kv_k, model);
  rules.value_bytes = w.kv_v.empty() ? rules.key_bytes : cache_element_bytes(w, w.kv_v, model);
  rules.indexer_scale_bytes = 4;
  rules.encoders_too = true;
  if (rules.key_bytes == 1) rules.mla_entry_bytes = 656;
  return rules;
}

WeightRules weight_rules(const Request& request) {
  WeightRules rules;
  rules.dense_by_attention_tp = false;
  // Its log takes the weights from the free memory of the card before and after loading.
  rules.whole_segments = true;
  rules.rope_element_bytes = 4;
  rules.copies_plain_kv_b = true;
  rules.loads_mtp = request.workload.mtp > 0;
  rules.casts_to_16_bit = request.workload.dtype != "f32";
  return rules;
}

TokenPool sglang_pool(const model::Model& model, const Request& request, const Stage& stage) {
  if (const double each = compressed_bytes_per_token(model, stage); each > 0) {
    return {.full_bytes = bytes_from(each).value()};
  }
  const Placement& place = request.placement;
  const std::uint32_t tp = std::max(1U, place.tp / std::max(1U, place.attention_dp));
  auto caches = layer_caches(model, stage, tp, sglang_cache_rules(model, request.workload),
                             request.workload.mtp > 0 ? 1 : 0);
  // Decode context parallelism stripes the latent caches alone (docs.sglang.io, DCP).
  for (LayerCache& cache : caches) {
    if (cache.kind == CacheKind::mla) {
      cache.bytes_per_token = ceil_div(cache.bytes_per_token, std::max(1U, place.dcp));
    }
  }
  return token_pool(caches, 1 + request.workload.mtp);
}

// Bytes that the draft's cache adds to every token; it has a pool as long as the model's.
std::uint64_t draft_bytes_per_token(const Request& request) {
  if (!request.draft) return 0;
  const Stage all{.first = 0, .last = request.draft->layers.size()};
  const TokenPool own = sglang_pool(*request.draft, request, all);
  return saturating_add(own.full_bytes, own.sliding_bytes);
}

void add_terms(const model::Model& model, const Request& request, const Asked& asked,
               const Stage& stage, const TokenPool& pool, Rank& rank) {
  const Placement& place = request.placement;
  const Workload& w = request.workload;
  rank.terms.push_back({"weights",
                        ByteFigure::exact(rank_weights(model, place, stage, weight_rules(request))),
                        fmt::format("{} tensor groups, tp {}", model.tensors.size(), place.tp)});
  if (request.draft) {
    const Stage all{.first = 0, .last = request.draft->layers.size()};
    rank.terms.push_back(
        {"draft",
         ByteFigure::exact(rank_weights(*request.draft, place, all, weight_rules(request))),
         fmt::format("weights of {}; its cache lies beside the model's", request.draft->name)});
  }
  if (w.adapters > 0) {
    rank.terms.push_back(
        {"adapters",
         ByteFigure::exact(adapter_bytes(model, place, stage, w.adapters, w.adapter_rank)),
         fmt::format("{} adapters of rank {}", w.adapters, w.adapter_rank)});
  }
  const std::uint64_t window =
      pool.window > 0 ? std::min<std::uint64_t>(pool.window, asked.context) : asked.context;
  const Bytes per_sequence =
      Bytes(pool.full_bytes) * asked.context + Bytes(pool.sliding_bytes) * window;
  const std::uint64_t each = saturating_add(pool.full_bytes, pool.sliding_bytes);
  rank.terms.push_back(
      {"kv_cache", ByteFigure::exact(per_sequence * asked.concurrency),
       fmt::format("{} sequences x {} tokens x {} B", asked.concurrency, asked.context, each)});
  if (pool.state_bytes > 0) {
    rank.terms.push_back({"recurrent_state",
                          ByteFigure::exact(Bytes(pool.state_bytes) * asked.concurrency),
                          fmt::format("{} sequences x {} B", asked.concurrency, pool.state_bytes)});
  }
}

// The part of the card that the pool never gets: activations, graphs, and slack.
ByteFigure reserve(const Bytes free_before, double fraction) {
  return ByteFigure::scaled(bytes_from(free_before.as_double() * (1 - fraction)), 0.97, 1.03,
                            Origin::predicted);
}

Capacity capacity_of(const model::Model& model, const Workload& workload, const TokenPool& pool,
                     const ByteFigure& bytes, const Asked& asked) {
  Capacity capacity;
  capacity.kv_bytes = bytes;
  const TokenPool::Split split = pool.divide(bytes.value);
  if (split.tokens <= 0 && split.state_slots <= 0) {
    capacity.reason = pool.full_bytes + pool.state_bytes == 0 ? "the model keeps no cache"
                                                              : "nothing is left for the pool";
    return capacity;
  }
  capacity.kv_tokens = capacity.kv_tokens_printed = split.tokens;
  double sequences = split.tokens / static_cast<double>(asked.context);
  // The layers with a window have a pool of their own, with fewer slots.
  const bool windows = pool.window > 0 && pool.sliding_bytes > 0;
  const double slots = sliding_token_ratio * split.tokens;
  if (windows) {
    const std::uint64_t held = std::min<std::uint64_t>(pool.window, asked.context);
    sequences = std::min(sequences, slots / static_cast<double>(held));
  }
  if (pool.full_bytes + pool.sliding_bytes == 0) sequences = split.state_slots;
  if (pool.state_bytes > 0) sequences = std::min(sequences, split.state_slots);
  if (workload.max_num_seqs) {
    sequences = std::min(sequences, static_cast<double>(*workload.max_num_seqs));
  }
  capacity.max_concurrency = sequences;
  if (pool.full_bytes + pool.sliding_bytes == 0) return capacity;  // no length is too long
  const auto users = static_cast<double>(asked.concurrency);
  const bool short_of_slots = windows && users * pool.window > slots;
  const double most = std::floor((short_of_slots ? slots : split.tokens) / users);
  capacity.max_context_tokens =
      model.max_context > 0 ? std::min(most, static_cast<double>(model.max_context)) : most;
  return capacity;
}

// What the pool leaves: the step's activations, captured graphs, and slack that nothing is known
// to need.
void add_reserve(const model::Model& model, const Request& request, const SglangDefaults& defaults,
                 const Stage& stage, const ByteFigure& kept, Rank& rank) {
  const StepShape shape{
      .tokens = request.workload.max_batched_tokens.value_or(defaults.chunked_prefill),
      .sequences = std::min<std::uint64_t>(defaults.graph_batch, 256),
      .value_bytes = request.workload.dtype == "f32" ? 4U : 2U};
  Bytes left = kept.value;
  const auto take = [&](std::string name, Bytes wanted, std::string formula) {
    const Bytes part = std::min(wanted, left);
    left = left - part;
    const double scale = part.as_double() / std::max(1.0, kept.value.as_double());
    rank.terms.push_back(
        {std::move(name),
         ByteFigure::banded(part, bytes_from(kept.low.as_double() * scale),
                            bytes_from(kept.high.as_double() * scale), Origin::predicted),
         std::move(formula)});
  };
  take("activations", step_activations(model, request.placement, shape).peak(),
       fmt::format("a prefill chunk of {} tokens", shape.tokens));
  if (request.workload.cuda_graphs != Toggle::off) {
    take(
        "cuda_graphs",
        graph_share(stage.last - stage.first, captured_sizes(defaults.graph_batch / 2), false)
            .value,
        fmt::format("batches up to {}, {} layers", defaults.graph_batch, stage.last - stage.first));
  }
  const double scale = left.as_double() / std::max(1.0, kept.value.as_double());
  for (Term& term : rank.terms) {
    if (term.name != "runtime") continue;
    term.bytes = term.bytes + ByteFigure::banded(left, bytes_from(kept.low.as_double() * scale),
                                                 bytes_from(kept.high.as_double() * scale),
                                                 Origin::predicted);
    term.formula +=
        fmt::format(", and {} that its fraction keeps from the pool", format_bytes(left));
  }
}

std::string rank_name(const Placement& placement, std::size_t stage, std::size_t stages) {
  return stages > 1         ? fmt::format("pp {}", stage)
         : placement.tp > 1 ? fmt::format("tp 0..{}", placement.tp - 1)
                            : std::string("one card");
}

// The parts of the card that the pool does not get.
ByteFigure beside_pool(const Rank& rank) {
  ByteFigure fixed = ByteFigure::exact(Bytes(0));
  for (const Term& term : rank.terms) {
    const bool pooled = term.name == "kv_cache" || term.name == "recurrent_state";
    if (!pooled && term.name != "runtime") fixed = fixed + term.bytes;
  }
  return fixed;
}

void heed_admission(const Request& request, const Asked& asked, Answer& answer) {
  const auto& most = request.workload.max_num_seqs;
  if (!most || *most >= asked.concurrency) return;
  answer.refusal = fmt::format("--max-num-seqs {} admits {} sequences at once, {} are asked", *most,
                               *most, asked.concurrency);
}

void say_fraction(const Request& request, double fraction, Answer& answer) {
  if (request.workload.memory_utilization) return;
  answer.assumptions.push_back({"mem_fraction_static",
                                fmt::format("{:g}, this version's default", fraction),
                                Origin::assumed});
}

Result<Answer> size_sglang(const model::Model& model, const Request& request) {
  if (auto legal = check_placement(model, request.placement); !legal) {
    return fail(std::move(legal.error()));
  }
  if (auto known = check_kv(model, request); !known) {
    return fail(std::move(known.error()));
  }
  Answer answer;
  const Asked asked = asked_of(request);
  const SglangDefaults defaults = sglang_defaults(request);
  const double fraction =
      request.workload.memory_utilization.value_or(defaults.mem_fraction_static);
  say_fraction(request, fraction, answer);
  heed_admission(request, asked, answer);
  const bool many = request.placement.tp * request.placement.pp > 1;
  const ByteFigure start =
      ByteFigure::scaled(gib(many ? start_many_gib : start_one_gib), 0.7, 1.3, Origin::predicted);
  std::optional<Bytes> free_before = request.workload.free_before_load;
  if (request.card) {
    const CardMemory& card = *request.card;
    answer.budget = {card.usable.value - card.in_use, card.usable.low - card.in_use,
                     card.usable.high - card.in_use, card.usable.origin};
    if (!free_before) free_before = answer.budget.value - start.value;
  }
  const auto stages = pipeline_stages(model.layers.size(), request.placement.pp);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    TokenPool pool = sglang_pool(model, request, stages[i]);
    pool.full_bytes = saturating_add(pool.full_bytes, draft_bytes_per_token(request));
    Rank rank{.name = rank_name(request.placement, i, stages.size()),
              .repeats = request.placement.tp};
    add_terms(model, request, asked, stages[i], pool, rank);
    rank.terms.push_back({"runtime", start, "context and communicators at process start"});
    const ByteFigure fixed = beside_pool(rank);
    if (free_before) {
      const ByteFigure kept = reserve(*free_before, fraction);
      add_reserve(model, request, defaults, stages[i], kept, rank);
      const Bytes value = *free_before - fixed.value - kept.value;
      const auto& given = request.workload.kv_cache_memory;
      const Capacity capacity =
          capacity_of(model, request.workload, pool,
                      given ? ByteFigure::exact(*given)
                            : ByteFigure::scaled(value, 0.95, 1.05, Origin::predicted),
                      asked);
      bind_capacity(answer.capacity, capacity, i == 0);
    } else {
      const StepShape shape{.tokens = defaults.chunked_prefill, .sequences = asked.concurrency};
      rank.terms.push_back(
          {"activations",
           ByteFigure::scaled(step_activations(model, request.placement, shape).peak(), 0.5, 2,
                              Origin::predicted),
           fmt::format("a prefill chunk of {} tokens", shape.tokens)});
    }
    answer.ranks.push_back(std::move(rank));
  }
  if (!free_before) answer.capacity.reason = "no card was named";
  if (!model.not_established.empty()) answer.warnings.push_back(model.not_established);
  return answer;
}

ByteFigure sglang_per_token(const model::Model& model, const Request& request) {
  const TokenPool pool =
      sglang_pool(model, request, Stage{.first = 0, .last = model.layers.size()});
  return ByteFigure::exact(Bytes(pool.full_bytes));
}

std::string speculative_flags(const Request& request) {
  if (request.workload.mtp > 0) {
    return fmt::format(
        " --speculative-algorithm NEXTN --speculative-num-steps {} --speculative-eagle-topk 1"
        " --speculative-num-draft-tokens {}",
        request.workload.mtp, request.workload.mtp + 1);
  }
  if (!request.draft) return "";
  const model::Model& draft = *request.draft;
  return " --speculative-algorithm STANDALONE --speculative-draft-model-path " +
         shell_word(draft.served.empty() ? draft.name : draft.served);
}

std::string placement_flags(const Placement& p) {
  std::string line;
  if (p.tp > 1) line += fmt::format(" --tp-size {}", p.tp);
  if (p.pp > 1) line += fmt::format(" --pp-size {}", p.pp);
  if (p.attention_dp > 1) {
    line += fmt::format(" --dp-size {} --enable-dp-attention", p.attention_dp);
  } else if (p.dp > 1) {
    line += fmt::format(" --dp-size {}", p.dp);
  }
  if (p.ep > 1) line += fmt::format(" --ep-size {}", p.ep);
  if (p.dcp > 1) line += fmt::format(" --dcp-size {}", p.dcp);
  if (p.nodes > 1) {
    line += fmt::format(" --nnodes {} --node-rank RANK --dist-init-addr HEAD:5000", p.nodes);
  }
  return line;
}

std::string sglang_launch(const model::Model& model, const Request& request, const Answer&) {
  const Placement& p = request.placement;
  const Workload& w = request.workload;
  const Asked asked = asked_of(request);
  std::string line = "python -m sglang.launch_server --model-path " +
                     model_words(model, {{"fp8", "--quantization fp8"}});
  if (!w.dtype.empty()) line += fmt::format(" --dtype {}", torch_type(w.dtype));
  line += placement_flags(p);
  line += fmt::format(" --context-length {}", asked.context);
  if (w.memory_utilization) {
    line += fmt::format(" --mem-fraction-static {:g}", *w.memory_utilization);
  }
  if (w.max_num_seqs) line += fmt::format(" --max-running-requests {}", *w.max_num_seqs);
  if (w.max_batched_tokens)
    line += fmt::format(" --chunked-prefill-size {}", *w.max_batched_tokens);
  if (cache_element_bytes(w, w.kv_k, model) == 1) {
    line += w.kv_k.find("e5m2") != std::string::npos ? " --kv-cache-dtype fp8_e5m2"
                                                     : " --kv-cache-dtype fp8_e4m3";
  }
  if (w.cuda_graphs == Toggle::off) line += " --disable-cuda-graph";
  line += speculative_flags(request);
  if (w.adapters > 0) {
    line += fmt::format(" --enable-lora --max-loras-per-batch {} --max-lora-rank {}", w.adapters,
                        w.adapter_rank);
  }
  return line + replicas_remark(p.attention_dp > 1 ? p.dp : 1);
}

}  // namespace

EngineRules sglang_rules() {
  return {.kind = EngineKind::sglang,
          .name = "sglang",
          .spellings = "",
          .newest = "0.5.4",
          .size = size_sglang,
          .kv_bytes_per_token = sglang_per_token,
          .launch = sglang_launch,
          .weight_formats = sglang_weights,
          .kv_formats = sglang_caches,
          .cards_by_tensor_parallel = true};
}

}  // namespace steelyard::memory

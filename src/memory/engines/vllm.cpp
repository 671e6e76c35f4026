// vLLM: budget = total x utilisation; the pool is what weights, the profiled step and (since 0.21)
// CUDA graphs leave of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "memory/activations.h"
#include "memory/asked.h"
#include "memory/engines/engine.h"
#include "memory/launch_words.h"
#include "memory/runtime_share.h"
#include "memory/verdict.h"
#include "memory/vllm_versions.h"
#include "memory/weights.h"

namespace steelyard::memory {
namespace {

constexpr std::string_view vllm_weights[] = {"fp8", "awq"};
constexpr std::string_view vllm_caches[] = {"fp8"};

// Everything that follows from request and model before a single byte is added up.
struct Plan {
  Asked asked;
  VllmRules rules;
  StepShape step;
  CacheRules caches;
  WeightRules weights;
  std::uint32_t attention_tp = 1;
  std::uint64_t mtp = 0;
  std::uint64_t default_sequences = 256;
  std::uint64_t encoder_tokens = 0;  // outputs of the towers that V1 keeps beside the step
};

CacheRules vllm_cache_rules(const model::Model& model, const Workload& w) {
  CacheRules rules;
  rules.key_bytes = cache_element_bytes(w, w.kv_k, model);
  rules.value_bytes = w.kv_v.empty() ? rules.key_bytes : cache_element_bytes(w, w.kv_v, model);
  rules.indexer_scale_bytes = 4;
  if (rules.key_bytes == 1) rules.mla_entry_bytes = 656;  // fp8_ds_mla, sparse attention only
  return rules;
}

bool has_cross(const model::Model& model) {
  return std::ranges::any_of(
      model.layers, [](const model::Layer& layer) { return layer.mixer == model::Mixer::cross; });
}

// The dummy step. V1 fills it with items of the largest size: at least one, at most one a sequence.
// V0 takes only as many sequences as have room for one item each; its encoder-decoders give every
// sequence an item. Returns the tokens of one item where V1 caches what its tower says, else 0.
std::uint64_t profile_items(const model::Model& model, const VllmRules& rules, StepShape& step) {
  std::uint64_t each = 0;
  for (const auto* tower : {&model.vision, &model.audio}) {
    if (!*tower) continue;
    each =
        std::max<std::uint64_t>({each, (*tower)->max_tokens_per_item, (*tower)->tokens_per_item});
  }
  if (step.item_tokens > 0) each = std::min(each, step.item_tokens);
  if (each == 0) return 0;
  const bool encoder_decoder = model.encoder_layers > 0 || has_cross(model);
  const std::uint64_t most = std::max<std::uint64_t>(1, step.sequences);
  step.encoder_items = std::clamp<std::uint64_t>(step.tokens / each, 1, most);
  if (rules.v1) return each;
  if (encoder_decoder) step.encoder_items = most;
  step.sequences = step.encoder_items;
  return 0;
}

// Bytes of a value that is computed with: 4 only where 32 bit were asked for.
std::uint64_t computed_bytes(const Workload& w) {
  return w.dtype == "f32" ? 4 : 2;
}

Plan plan_of(const model::Model& model, const Request& request) {
  const Workload& w = request.workload;
  Plan plan;
  plan.asked = asked_of(request);
  plan.caches = vllm_cache_rules(model, w);
  const std::string capability = request.card ? request.card->compute_capability : "";
  plan.rules = vllm_rules_of(request.engine.version,
                             {.v0 = request.engine.v0,
                              .capability = capability,
                              .fp8_cache = plan.caches.key_bytes == 1,
                              .encoder_decoder = model.encoder_layers > 0 || has_cross(model)});
  const StepDefaults defaults = vllm_step_defaults(request.engine.version, plan.rules, request.card,
                                                   plan.asked.context, w.max_num_seqs, model);
  plan.step.tokens = w.max_batched_tokens.value_or(defaults.batched_tokens);
  // Asking for more sequences than the default admits means raising it.
  plan.default_sequences = defaults.sequences;
  plan.step.sequences =
      w.max_num_seqs.value_or(std::max(defaults.sequences, plan.asked.concurrency));
  plan.step.value_bytes = computed_bytes(w);
  plan.step.context = plan.asked.context;
  if (model.vision && w.image_width && w.image_height) {
    plan.step.item_tokens = image_tokens(*model.vision, *w.image_width, *w.image_height);
  }
  const std::uint64_t item = profile_items(model, plan.rules, plan.step);
  if (item > 0) plan.encoder_tokens = std::max(plan.step.tokens, item);
  if (w.images) plan.step.encoder_items = *w.images;
  if (w.images) plan.encoder_tokens = std::min(plan.encoder_tokens, item * *w.images);
  plan.attention_tp = request.placement.tp / request.placement.attention_dp;
  plan.mtp = w.mtp > 0 ? 1 : 0;
  plan.weights.loads_mtp = w.mtp > 0;
  plan.weights.casts_to_16_bit = w.dtype != "f32";
  plan.weights.mrope_factor = plan.rules.mrope_factor;
  BlockRules& blocks = plan.rules.blocks;
  blocks.batched_tokens = plan.step.tokens;
  blocks.context_parallel = std::uint64_t{request.placement.dcp} * request.placement.cp;
  blocks.speculative_tokens = w.mtp;
  if (has_mla(model)) blocks.block_tokens = 64;  // what the latent attention kernels address
  return plan;
}

void say_defaults(const Request& request, const Plan& plan, Answer& answer) {
  const Workload& w = request.workload;
  const auto& version = request.engine.version;
  const bool either = version && version->parts >= std::array<std::uint32_t, 3>{0, 8, 0} &&
                      version->parts < std::array<std::uint32_t, 3>{0, 11, 0};
  if (either && !request.engine.v0) {
    answer.assumptions.push_back({"engine generation",
                                  plan.rules.v1 ? "V1; with VLLM_USE_V1=0 give vllm-v0@VERSION"
                                                : "V0, as V1 cannot run this",
                                  Origin::assumed});
  }
  if (!w.memory_utilization && !w.kv_cache_memory) {
    answer.assumptions.push_back(
        {"memory utilisation",
         fmt::format("{:.2f}, this version's default", plan.rules.utilization), Origin::assumed});
  }
  if (!w.max_batched_tokens) {
    answer.assumptions.push_back(
        {"batched tokens", fmt::format("{} per step, this version's default", plan.step.tokens),
         Origin::assumed});
  }
  if (!w.max_num_seqs) {
    answer.assumptions.push_back(
        {"sequences per step",
         plan.step.sequences > plan.default_sequences
             ? fmt::format("{}, raised from this version's default of {}", plan.step.sequences,
                           plan.default_sequences)
             : fmt::format("{}, this version's default", plan.step.sequences),
         Origin::assumed});
  }
}

void add_activations(const model::Model& model, const Request& request, const Plan& plan,
                     Rank& rank) {
  const ActivationConstants constants;
  const Activations act = step_activations(model, request.placement, plan.step, constants);
  const double low = 1 - constants.band, high = 1 + constants.band;
  const std::uint64_t each = plan.step.value_bytes;
  const Bytes hidden = Bytes(plan.step.tokens) * model.hidden * each;
  if (plan.encoder_tokens > 0) {
    const Bytes cache = Bytes(saturating_mul(plan.encoder_tokens, model.hidden)) * 2;
    rank.terms.push_back({"encoder_cache", ByteFigure::scaled(cache, 0, 1, Origin::predicted),
                          fmt::format("{} tokens x {} x 2 B of the towers' outputs",
                                      plan.encoder_tokens, model.hidden)});
  }
  if (act.peak() == act.sampler && act.sampler > hidden) {
    rank.terms.push_back({"activations", ByteFigure::scaled(hidden, low, high, Origin::predicted),
                          fmt::format("{} tokens x {} x {} B, kept for the sampler",
                                      plan.step.tokens, model.hidden, each)});
    rank.terms.push_back({"logits",
                          ByteFigure::scaled(act.sampler - hidden, low, high, Origin::predicted),
                          fmt::format("{} sequences x {} vocabulary x {} B",
                                      std::min(plan.step.sequences, plan.step.tokens), model.vocab,
                                      constants.sampler_bytes)});
    return;
  }
  const bool encoder = act.peak() == act.encoder && act.encoder > act.forward;
  rank.terms.push_back(
      {"activations",
       ByteFigure::scaled(act.peak(), encoder ? 0.4 : low, encoder ? 2.0 : high, Origin::predicted),
       encoder
           ? fmt::format("{} images at the largest size through the tower", plan.step.encoder_items)
           : fmt::format("{} tokens x {} B x the widest block", plan.step.tokens, each)});
}

void add_draft(const Request& request, const Plan& plan, const Stage& stage, Rank& rank) {
  if (!request.draft || !stage.holds_head) return;
  const model::Model& draft = *request.draft;
  const Stage all{.first = 0, .last = draft.layers.size()};
  rank.terms.push_back(
      {"draft", ByteFigure::exact(rank_weights(draft, request.placement, all, plan.weights)),
       fmt::format("weights of {}; its cache lies in the pool", draft.name)});
}

// Ranks that its kernels are built for.
std::uint64_t lora_rank(std::uint64_t rank) {
  for (const std::uint64_t known : {8, 16, 32, 64, 128, 256, 320, 512}) {
    if (rank <= known) return known;
  }
  return rank;
}

// What stays beside the pool; the pool's own terms come first.
void add_fixed(const model::Model& model, const Request& request, const Plan& plan,
               const Stage& stage, Rank& rank) {
  const Workload& w = request.workload;
  const Placement& place = request.placement;
  const Bytes weights = rank_weights(model, place, stage, plan.weights);
  rank.terms.push_back(
      {"weights", ByteFigure::exact(weights),
       fmt::format("{} tensor groups, tp {}, layers {} to {}", model.tensors.size(), place.tp,
                   stage.first, stage.last == 0 ? 0 : stage.last - 1)});
  if (w.adapters > 0) {
    rank.terms.push_back(
        {"adapters",
         ByteFigure::exact(
             adapter_bytes(model, place, stage, w.adapters, lora_rank(w.adapter_rank))),
         fmt::format("room for {} adapters of rank {}", w.adapters, lora_rank(w.adapter_rank))});
  }
  add_draft(request, plan, stage, rank);
  add_activations(model, request, plan, rank);
  rank.terms.push_back({"runtime", runtime_share(plan.rules.counts_context),
                        plan.rules.counts_context
                            ? "the driver's context, kernels and workspaces, from logs"
                            : "kernels and workspaces, from logs"});
  if (place.tp * place.pp > 1) {
    rank.terms.push_back({"communication",
                          communication_share(place, request.card && request.card->host_links_only),
                          "NCCL and all-reduce buffers, from logs"});
  }
  if (plan.rules.counts_graphs && w.cuda_graphs != Toggle::off) {
    const RuntimeConstants constants;
    const ByteFigure graphs =
        graph_share(stage.last - stage.first, captured_sizes(plan.step.sequences), false);
    rank.terms.push_back(
        {"cuda_graphs",
         ByteFigure::scaled(graphs.value, 0.4 * constants.graph_overestimate,
                            2.0 * constants.graph_overestimate, Origin::predicted),
         fmt::format("{} layers, as this version estimates it", stage.last - stage.first)});
    rank.terms.back().bytes.value =
        bytes_from(graphs.value.as_double() * constants.graph_overestimate);
  }
}

// V0's encoder-decoders keep one cache per layer of the encoder, as the config counts layers, and
// cross attention shares it.
std::vector<LayerCache> pooled_caches(const model::Model& model, const Request& request,
                                      const Stage& stage, const Plan& plan) {
  auto caches = layer_caches(model, stage, plan.attention_tp, plan.caches, plan.mtp);
  if (!plan.rules.v1 && model.encoder_layers > 0) {
    std::erase_if(caches, [](const LayerCache& c) { return c.kind == CacheKind::cross; });
    if (!caches.empty()) {
      caches.resize(std::max<std::size_t>(caches.size(), model.encoder_layers), caches.back());
    }
  }
  if (request.draft && stage.holds_head) {
    const Stage all{.first = 0, .last = request.draft->layers.size()};
    const auto more = layer_caches(*request.draft, all, plan.attention_tp, plan.caches, 0);
    caches.insert(caches.end(), more.begin(), more.end());
  }
  return caches;
}

void add_pool_terms(const BlockLayout& layout, const Plan& plan, Rank& rank) {
  const BlockLayout::Need need = layout.blocks_of(plan.asked.context, plan.rules.blocks);
  const std::uint64_t n = plan.asked.concurrency;
  const std::uint64_t blocks = saturating_mul(need.tokens, n);
  rank.terms.push_back({"kv_cache",
                        ByteFigure::exact(Bytes(saturating_mul(blocks, layout.block_bytes))),
                        fmt::format("{} blocks x {} B for {} x {} tokens", blocks,
                                    layout.block_bytes, n, plan.asked.context)});
  if (need.states > 0) {
    rank.terms.push_back(
        {"recurrent_state",
         ByteFigure::exact(
             Bytes(saturating_mul(saturating_mul(need.states, n), layout.block_bytes))),
         fmt::format("{} x {} blocks x {} B", n, need.states, layout.block_bytes)});
  } else if (layout.outside_bytes > 0) {
    const std::uint64_t slots = std::max(n, plan.step.sequences);
    rank.terms.push_back({"recurrent_state",
                          ByteFigure::exact(Bytes(saturating_mul(layout.outside_bytes, slots))),
                          fmt::format("{} B x {} slots", layout.outside_bytes, slots)});
  }
}

bool of_pool(const Term& term, const BlockLayout& layout) {
  return term.name == "kv_cache" || (term.name == "recurrent_state" && layout.outside_bytes == 0);
}

ByteFigure vllm_pool(const Request& request, const ByteFigure& budget, const Rank& rank,
                     const BlockLayout& layout) {
  if (request.workload.kv_cache_memory) {
    return ByteFigure::exact(*request.workload.kv_cache_memory);
  }
  ByteFigure fixed = ByteFigure::exact(Bytes(0));
  for (const Term& term : rank.terms) {
    if (!of_pool(term, layout)) fixed = fixed + term.bytes;
  }
  return {budget.value - fixed.value, budget.low - fixed.high, budget.high - fixed.low,
          Origin::predicted};
}

Capacity capacity_of(const model::Model& model, const Plan& plan, const ByteFigure& pool,
                     const BlockLayout& layout) {
  Capacity capacity;
  capacity.kv_bytes = pool;
  const std::uint64_t blocks = layout.blocks_in(pool.value);
  const std::uint64_t need = layout.blocks_of(plan.asked.context, plan.rules.blocks).all();
  if (layout.block_bytes == 0 || need == 0) {
    capacity.reason = "the model keeps no cache in the pool";
    return capacity;
  }
  const double sequences = static_cast<double>(blocks) / static_cast<double>(need);
  // What the pool has room for, and what the scheduler admits of it.
  capacity.max_concurrency = std::min(sequences, static_cast<double>(plan.step.sequences));
  capacity.kv_tokens = sequences * static_cast<double>(plan.asked.context);
  capacity.kv_tokens_printed =
      static_cast<double>(layout.printed_tokens(blocks, plan.asked.context, plan.rules.blocks));
  const std::uint64_t limit = model.max_context > 0 ? model.max_context : std::uint64_t{1} << 24;
  const std::uint64_t each = blocks / plan.asked.concurrency;
  capacity.max_context_tokens = static_cast<double>(largest_that(limit, [&](std::uint64_t n) {
    return n == 0 || layout.blocks_of(n, plan.rules.blocks).all() <= each;
  }));
  return capacity;
}

void merge_rank(Answer& answer, Rank rank) {
  for (Rank& known : answer.ranks) {
    bool same = known.terms.size() == rank.terms.size();
    for (std::size_t i = 0; same && i < rank.terms.size(); ++i) {
      same = known.terms[i].bytes.value == rank.terms[i].bytes.value;
    }
    if (!same) continue;
    known.repeats += rank.repeats;
    return;
  }
  answer.ranks.push_back(std::move(rank));
}

Status check_request(const model::Model& model, const Request& request) {
  if (auto legal = check_placement(model, request.placement); !legal) return legal;
  const Placement& place = request.placement;
  if (place.ep > 1 && place.ep != place.tp) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("expert parallel {} over {} cards: vllm spreads the experts "
                                     "over all of them",
                                     place.ep, place.tp),
                 .field = "--ep",
                 .try_this = fmt::format("--ep {}", place.tp)});
  }
  return check_kv(model, request);
}

ByteFigure budget_of(const Request& request, const Plan& plan) {
  const double share = request.workload.memory_utilization.value_or(plan.rules.utilization);
  const ByteFigure& total = request.card->usable;
  const auto part = [&](Bytes bytes) {
    const Bytes asked = bytes_from(bytes.as_double() * share);
    return std::min(asked, bytes - request.card->in_use);
  };
  return {part(total.value), part(total.low), part(total.high), total.origin};
}

void heed_admission(const Workload& w, const Plan& plan, Answer& answer) {
  if (plan.asked.concurrency <= plan.step.sequences) return;
  answer.refusal =
      fmt::format("--max-num-seqs {} admits {} sequences at once, {} are asked",
                  w.max_num_seqs.value_or(0), plan.step.sequences, plan.asked.concurrency);
}

// What vLLM checks before it loads anything: that a step holds a token of every sequence it admits
// ("max_num_batched_tokens must be greater than or equal to max_num_seqs", config/scheduler.py),
// and that what it was told to use is free ("Free memory on device ... is less than desired GPU
// memory utilization", v1/worker/gpu_worker.py).
void heed_start(const Request& request, const Plan& plan, Answer& answer) {
  const Workload& w = request.workload;
  if (w.max_batched_tokens && w.max_num_seqs && *w.max_batched_tokens < *w.max_num_seqs) {
    answer.refusal = fmt::format(
        "--max-batched-tokens {} is less than --max-num-seqs {}: vllm refuses to start so",
        *w.max_batched_tokens, *w.max_num_seqs);
  }
  if (!request.card || !w.memory_utilization || request.card->in_use.value() == 0) return;
  const Bytes total = request.card->usable.value;
  const Bytes wanted = bytes_from(total.as_double() * *w.memory_utilization);
  const Bytes free = total - request.card->in_use;
  if (wanted <= free || !plan.rules.v1) return;
  answer.refusal = fmt::format(
      "--memory-utilization {:g} asks for {}, {} are free beside what others hold: vllm refuses to "
      "start so; give {:.2f} or less",
      *w.memory_utilization, format_bytes(wanted), format_bytes(free),
      std::floor(free.as_double() / total.as_double() * 100) / 100);
}

Result<Answer> size_vllm(const model::Model& model, const Request& request) {
  if (auto legal = check_request(model, request); !legal) return fail(std::move(legal.error()));
  Answer answer;
  const Plan plan = plan_of(model, request);
  say_defaults(request, plan, answer);
  if (request.card) answer.budget = budget_of(request, plan);
  heed_admission(request.workload, plan, answer);
  heed_start(request, plan, answer);
  if (request.placement.cp > 1) {
    answer.warnings.push_back(
        "prefill context parallelism splits the cache over its cards, but few attention backends "
        "have it (documented for vllm-ascend): the others refuse to start");
  }
  const bool has_pool = request.card || request.workload.kv_cache_memory;
  const auto stages = pipeline_stages(model.layers.size(), request.placement.pp);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    Rank rank;
    rank.repeats = request.placement.tp;
    rank.name = stages.size() > 1          ? fmt::format("pp {}", i)
                : request.placement.tp > 1 ? fmt::format("tp 0..{}", request.placement.tp - 1)
                                           : std::string("one card");
    const auto caches = pooled_caches(model, request, stages[i], plan);
    const BlockLayout layout = block_layout(caches, plan.rules.blocks);
    add_fixed(model, request, plan, stages[i], rank);
    add_pool_terms(layout, plan, rank);
    if (has_pool) {
      const ByteFigure pool = vllm_pool(request, answer.budget, rank, layout);
      bind_capacity(answer.capacity, capacity_of(model, plan, pool, layout), i == 0);
    }
    merge_rank(answer, std::move(rank));
  }
  if (!has_pool) answer.capacity.reason = "no card was named";
  if (!model.not_established.empty()) answer.warnings.push_back(model.not_established);
  return answer;
}

ByteFigure vllm_per_token(const model::Model& model, const Request& request) {
  const Stage all{.first = 0, .last = model.layers.size()};
  const std::uint32_t tp = std::max(1U, request.placement.tp / request.placement.attention_dp);
  const auto caches = layer_caches(model, all, tp, vllm_cache_rules(model, request.workload),
                                   request.workload.mtp > 0 ? 1 : 0);
  return ByteFigure::exact(Bytes(growing_bytes_per_token(caches)));
}

// With experts, its own data parallelism would spread them: whole replicas are servers apart.
bool replicas_apart(const model::Model& model, const Placement& p) {
  return p.dp > 1 && has_experts(model);
}

std::string placement_flags(const model::Model& model, const Request& request) {
  const Placement& p = request.placement;
  std::string line;
  const auto add = [&](std::string_view flag, std::uint64_t value) {
    if (value != 1) line += fmt::format(" {} {}", flag, value);
  };
  add("--tensor-parallel-size", p.tp / p.attention_dp);
  add("--pipeline-parallel-size", p.pp);
  add("--data-parallel-size",
      std::uint64_t{p.attention_dp} * (replicas_apart(model, p) ? 1 : p.dp));
  add("--decode-context-parallel-size", p.dcp);
  add("--prefill-context-parallel-size", p.cp);
  if (p.ep > 1) line += " --enable-expert-parallel";
  if (p.nodes > 1) {
    line += vllm_starts_nodes(request.engine.version)
                ? fmt::format(" --nnodes {} --node-rank RANK --master-addr HEAD", p.nodes)
                : std::string(" --distributed-executor-backend ray");
  }
  return line;
}

std::string images_flag(const model::Model& model, const Workload& w) {
  if (!w.images || !model.vision) return "";
  if (!w.image_width || !w.image_height || *w.images == 0) {
    return fmt::format(" --limit-mm-per-prompt '{{\"image\":{}}}'", *w.images);
  }
  return fmt::format(
      " --limit-mm-per-prompt '{{\"image\":{{\"count\":{},\"width\":{},\"height\":{}}}}}'",
      *w.images, *w.image_width, *w.image_height);
}

std::string speculative_flag(const Request& request) {
  if (request.workload.mtp > 0) {
    return fmt::format(
        " --speculative-config '{{\"method\":\"mtp\",\"num_speculative_tokens\":{}}}'",
        request.workload.mtp);
  }
  if (!request.draft) return "";
  return fmt::format(" --speculative-config '{{\"model\":\"{}\",\"num_speculative_tokens\":3}}'",
                     request.draft->served.empty() ? request.draft->name : request.draft->served);
}

std::string vllm_launch(const model::Model& model, const Request& request, const Answer& answer) {
  const Workload& w = request.workload;
  const Plan plan = plan_of(model, request);
  std::string line = request.engine.v0 ? "VLLM_USE_V1=0 vllm serve " : "vllm serve ";
  line += model_words(model, {{"fp8", "--quantization fp8"},
                              {"experts_int8", "--quantization experts_int8"},
                              {"nf4", "--quantization bitsandbytes"}});
  if (!w.dtype.empty()) line += fmt::format(" --dtype {}", torch_type(w.dtype));
  line += placement_flags(model, request);
  line += fmt::format(" --max-model-len {}", plan.asked.context);
  if (w.max_num_seqs || plan.step.sequences > plan.default_sequences) {
    line += fmt::format(" --max-num-seqs {}", w.max_num_seqs.value_or(plan.asked.concurrency));
  }
  if (w.max_batched_tokens) {
    line += fmt::format(" --max-num-batched-tokens {}", *w.max_batched_tokens);
  }
  if (w.memory_utilization) {
    line += fmt::format(" --gpu-memory-utilization {:g}", *w.memory_utilization);
  } else if (answer.card && answer.card->in_use.value() > 0) {
    // It refuses to start when less than its share of the whole card is free.
    const double share =
        answer.budget.value.as_double() / std::max(1.0, answer.card->usable.value.as_double());
    line += fmt::format(" --gpu-memory-utilization {:.2f}", std::floor(share * 100) / 100);
  }
  if (const std::string word = cache_word(model, w); !word.empty()) {
    line += " --kv-cache-dtype " + shell_word(word);
  }
  if (w.cuda_graphs == Toggle::off) line += " --enforce-eager";
  line += images_flag(model, w) + speculative_flag(request);
  if (w.adapters > 0) {
    line += fmt::format(" --enable-lora --max-loras {} --max-lora-rank {}", w.adapters,
                        lora_rank(w.adapter_rank));
  }
  return line +
         replicas_remark(replicas_apart(model, request.placement) ? request.placement.dp : 1);
}

}  // namespace

EngineRules vllm_rules() {
  return {.kind = EngineKind::vllm,
          .name = "vllm",
          .spellings = "",
          .newest = "0.24",
          .size = size_vllm,
          .kv_bytes_per_token = vllm_per_token,
          .launch = vllm_launch,
          .weight_formats = vllm_weights,
          .kv_formats = vllm_caches,
          .cards_by_tensor_parallel = true};
}

}  // namespace steelyard::memory

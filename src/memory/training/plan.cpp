#include "memory/training/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "memory/placement.h"
#include "memory/training/states.h"

namespace steelyard::memory {
namespace {

constexpr std::uint64_t usual_length = 2048;
constexpr std::uint64_t longest = 1ULL << 26, most_sequences = 1ULL << 20;

std::unexpected<Error> refuse(std::string what, std::string field, std::string try_this) {
  return fail({.kind = ErrorKind::usage,
               .what = std::move(what),
               .field = std::move(field),
               .try_this = std::move(try_this)});
}

// A choice of the user's, or the usual one, said as assumed.
template <typename T>
T choose(const std::optional<T>& asked, T usual, std::string_view name,
         std::vector<Assumption>& assumptions) {
  if (asked) return *asked;
  assumptions.push_back({std::string(name), std::string(word_of(usual)), Origin::assumed});
  return usual;
}

bool has_tensor_parallel(Framework framework) {
  return framework == Framework::megatron || framework == Framework::torchtitan ||
         framework == Framework::deepspeed;
}

Optimizer usual_optimizer(Framework framework) {
  switch (framework) {
    case Framework::unsloth:
      return Optimizer::adamw_8bit;
    case Framework::torchtune:
    case Framework::torchtitan:
    case Framework::megatron:
    case Framework::deepspeed:
      return Optimizer::adamw_fused;
    default:
      return Optimizer::adamw;
  }
}

Status check_counts(const Training& asked) {
  if (trains_adapters(asked.method) && asked.rank == 0) {
    return refuse("--rank 0 trains nothing", "--rank", "give a rank such as 8, 16 or 64");
  }
  if (asked.micro_batch == 0) {
    return refuse("--micro-batch 0 trains nothing", "--micro-batch", "give 1 or more sequences");
  }
  if (asked.grad_accum == 0) {
    return refuse("--grad-accum 0 takes no step", "--grad-accum", "give 1 or more micro-batches");
  }
  if (asked.seq_len && *asked.seq_len == 0) {
    return refuse("--seq-len 0 holds no token", "--seq-len", "give the tokens of one sequence");
  }
  if (asked.seq_len.value_or(1) > longest || asked.micro_batch > most_sequences ||
      asked.grad_accum > most_sequences) {
    return refuse("a length or batch beyond any training run", "--seq-len, --micro-batch",
                  fmt::format("up to {} tokens and {} sequences are read", with_commas(longest),
                              with_commas(most_sequences)));
  }
  if (asked.padding_free && asked.flash_attention == false) {
    return refuse("without padding only flash attention keeps the sequences apart",
                  "--padding-free", "leave out --padding-free or --flash-attention off");
  }
  if (asked.rank > 65536) {
    return refuse(fmt::format("--rank {} is larger than any matrix", asked.rank), "--rank",
                  "give a rank such as 8, 16 or 64");
  }
  return {};
}

Status check_framework(const TrainingPlan& plan) {
  const std::string name(word_of(plan.framework));
  if (plan.tp > 1 && !has_tensor_parallel(plan.framework)) {
    return refuse(fmt::format("{} trains without tensor parallelism", name), "--tp",
                  "take --zero 3, or --framework megatron, torchtitan or deepspeed");
  }
  if (plan.pp > 1 && !has_tensor_parallel(plan.framework)) {
    return refuse(fmt::format("{} trains without pipeline stages", name), "--pp",
                  "take --zero 3, or --framework megatron, torchtitan or deepspeed");
  }
  if (plan.pp > 1 && plan.zero >= 2 && plan.framework == Framework::deepspeed) {
    return refuse("DeepSpeed refuses ZeRO 2 and 3 with pipeline stages", "--zero",
                  "take --zero 1 with --pp, or --zero 3 without");
  }
  if (plan.pp > 1 && plan.zero >= 2 && plan.framework == Framework::megatron) {
    return refuse("Megatron shards no more than the optimizer beside pipeline stages", "--zero",
                  "take --zero 1 (its distributed optimizer)");
  }
  if (plan.framework == Framework::unsloth && plan.zero > 0) {
    return refuse("Unsloth shards nothing: every card holds the whole model", "--zero",
                  "take --zero 0, or another --framework");
  }
  if (plan.parameter_offload != OffloadTo::none && plan.zero < 3) {
    return refuse("parameters are offloaded only when they are sharded", "--offload",
                  "add --zero 3");
  }
  if (plan.parameter_offload == OffloadTo::nvme && plan.framework != Framework::deepspeed) {
    return refuse(fmt::format("{} offloads parameters to host memory only", name), "--offload",
                  "take --offload cpu, or --framework deepspeed");
  }
  if (plan.optimizer_offload == OffloadTo::nvme && plan.framework != Framework::deepspeed) {
    return refuse(fmt::format("{} offloads the optimizer to host memory only", name),
                  "--optimizer-offload", "take cpu, or --framework deepspeed");
  }
  return {};
}

Status take_placement(const model::Model& model, const Placement& place, std::uint32_t cards,
                      TrainingPlan& plan) {
  if (auto legal = check_placement(model, place); !legal) return legal;
  if (place.ep > 1) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "expert parallel training is not counted yet",
                 .field = "--ep",
                 .try_this = "leave --ep out: every rank then holds all experts"});
  }
  const std::uint64_t inner = place.cards_per_replica();
  const std::uint64_t world = std::max<std::uint64_t>(cards, saturating_mul(inner, place.dp));
  if (world % inner != 0) {
    return refuse(fmt::format("{} cards are not a multiple of tp {} x pp {} x cp {}", world,
                              place.tp, place.pp, place.cp),
                  "--tp, --pp, --cp", "choose sizes whose product divides the cards");
  }
  if (place.dp > 1 && saturating_mul(inner, place.dp) != world) {
    return refuse(fmt::format("dp {} x tp {} x pp {} x cp {} is {}, {} cards are named", place.dp,
                              place.tp, place.pp, place.cp, saturating_mul(inner, place.dp), world),
                  "--dp", "leave --dp out: it is what the other sizes leave over");
  }
  plan.world = static_cast<double>(world);
  plan.tp = place.tp;
  plan.pp = place.pp;
  plan.cp = place.cp;
  plan.data_ranks = static_cast<double>(world / (std::uint64_t{place.tp} * place.pp));
  return {};
}

// Transformers before its common loss function took cross-entropy over these in their own type;
// all others are brought to 32 bit first. Source: modeling files of transformers 4.36 to 4.44.
bool loss_in_own_type(const model::Model& model) {
  static constexpr auto types = std::to_array<std::string_view>(
      {"gpt_bigcode", "gpt2", "gpt_neox", "bloom", "opt", "falcon"});
  return std::ranges::find(types, model.model_type) != types.end();
}

// Bytes per token and word of the vocabulary while the loss is taken.
double bytes_per_logit(const model::Model& model, const TrainingPlan& plan) {
  switch (plan.loss) {
    case LossKind::fused_linear:
      return 0;  // logits never exist as a whole
    case LossKind::chunked:
      return 4;  // 16-bit logits and their gradient; the 32-bit part is one chunk at a time
    case LossKind::standard:
      break;
  }
  // 16-bit logits, their log-softmax, and the gradients of both in 32 bit.
  if (plan.framework == Framework::torchtitan) return 14;
  // Logits in 32 bit, the copy shifted by one token, and its log-softmax. Fused kernels write the
  // gradient where the logits were.
  if (plan.fused_kernels) return 8;
  const bool own =
      loss_in_own_type(model) && !plan.adapters() && plan.precision == TrainingPrecision::pure_bf16;
  return own ? 8 : 12;
}

void take_numbers(const model::Model& model, double matrix_share, TrainingPlan& plan) {
  plan.base = trained_state(plan.framework, plan.precision, plan.optimizer, matrix_share);
  plan.adapter = adapter_state(plan.framework, plan.precision, plan.optimizer);
  plan.element = plan.precision == TrainingPrecision::fp32 ? 4 : 2;
  plan.residual = plan.element;
  const bool autocast = !plan.adapters() && plan.base.autocast_copy > 0;
  // FSDP casts the gathered parameters themselves: no second copy, and a 16-bit residual stream.
  if (autocast && plan.zero < 3) plan.residual = 4;
  if (plan.zero >= 3) plan.base.autocast_copy = 0;
  if (plan.adapters()) plan.base.weights = plan.precision == TrainingPrecision::fp32 ? 4 : 2;
  plan.logit_bytes = bytes_per_logit(model, plan);
}

void choose_all(const Training& asked, std::uint32_t cards, TrainingPlan& plan,
                std::vector<Assumption>& assumptions) {
  const bool adapters = trains_adapters(asked.method);
  plan.method = asked.method;
  plan.framework = choose(asked.framework, Framework::transformers, "framework", assumptions);
  plan.optimizer =
      choose(asked.optimizer, usual_optimizer(plan.framework), "optimizer", assumptions);
  plan.precision =
      choose(asked.precision, adapters ? TrainingPrecision::pure_bf16 : TrainingPrecision::mixed,
             adapters ? "precision of the base" : "precision", assumptions);
  const bool pretrains = asked.method == TrainingMethod::pretrain;
  plan.recompute = choose(asked.recompute, pretrains ? Recompute::selective : Recompute::full,
                          "recompute", assumptions);
  const bool unsloth = plan.framework == Framework::unsloth;
  plan.loss = choose(asked.loss, unsloth ? LossKind::fused_linear : LossKind::standard, "loss",
                     assumptions);
  plan.fused_kernels = asked.fused_kernels.value_or(
      unsloth || plan.loss == LossKind::fused_linear || plan.framework == Framework::megatron);
  plan.flash_attention = asked.flash_attention.value_or(true);
  plan.optimizer_offload = asked.optimizer_offload;
  plan.parameter_offload = asked.parameter_offload;
  plan.micro_batch = asked.micro_batch;
  plan.grad_accum = asked.grad_accum;
  const bool several = cards > 1;
  const std::uint32_t usual_zero = !several || unsloth                     ? 0
                                   : plan.framework == Framework::megatron ? 1
                                                                           : 3;
  plan.zero = asked.zero.value_or(usual_zero);
  if (!asked.zero && several) {
    assumptions.push_back({"zero",
                           usual_zero == 3   ? "3: parameters, gradients and moments sharded (FSDP)"
                           : usual_zero == 1 ? "1: the distributed optimizer"
                                             : "0: every card holds the whole model",
                           Origin::assumed});
  }
}

}  // namespace

Result<TrainingPlan> training_plan(const model::Model& model, const Training& asked,
                                   const Placement& place, std::uint32_t cards,
                                   std::vector<Assumption>& assumptions) {
  if (auto good = check_counts(asked); !good) return std::unexpected(good.error());
  TrainingPlan plan;
  choose_all(asked, cards, plan, assumptions);
  if (plan.zero > 3) {
    return refuse(fmt::format("--zero {} is no stage", plan.zero), "--zero", "choose 0, 1, 2 or 3");
  }
  const std::uint64_t usual =
      model.max_context > 0 ? std::min(usual_length, model.max_context) : usual_length;
  plan.seq_len = asked.seq_len.value_or(usual);
  if (!asked.seq_len) {
    assumptions.push_back(
        {"sequence length", fmt::format("{} tokens", plan.seq_len), Origin::assumed});
  }
  if (auto good = take_placement(model, place, cards, plan); !good)
    return std::unexpected(good.error());
  if (auto good = check_framework(plan); !good) return std::unexpected(good.error());
  double matrices = 0;
  for (const model::Tensor& tensor : model.tensors) {
    if (tensor.layer >= 0) matrices += static_cast<double>(tensor.parameters());
  }
  const double all = std::max(1.0, static_cast<double>(model.parameters()));
  take_numbers(model, std::min(1.0, matrices / all), plan);
  return plan;
}

}  // namespace steelyard::memory

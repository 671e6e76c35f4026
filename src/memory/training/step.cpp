#include "memory/training/step.h"

#include <algorithm>

#include "memory/training/states.h"

namespace steelyard::memory {
namespace {

// What the stage holds, before sharding over data-parallel ranks.
struct Held {
  double trained = 0;       // parameters whose gradients are taken, adapters apart
  double frozen_bytes = 0;  // weights under adapters, as stored
  double adapters = 0;      // parameters
  double root_bytes = 0;    // embedding and head in the compute type: one FSDP unit
  double head = 0;          // parameters of the head, which is a unit of its own in FSDP2
  double layer_bytes = 0;   // the largest layer, in the type it is gathered in
  double dequantised = 0;   // one matrix in 16 bit
};

double stored_or_half(double bytes, double parameters, bool quantised, double element) {
  return quantised ? bytes : parameters * element;
}

Held held_by(const TrainingShape& shape, const TrainingPlan& plan, const Stage& stage) {
  Held held;
  double parameters = 0, bytes = 0, outer = 0, outer_bytes = 0;
  const double element = plan.base.weights;
  for (std::size_t i = stage.first; i < stage.last && i < shape.layers.size(); ++i) {
    const LayerShape& layer = shape.layers[i];
    parameters += layer.parameters;
    const double weighed =
        stored_or_half(layer.weight_bytes, layer.parameters, shape.quantised, element);
    bytes += weighed;
    held.adapters += layer.adapter_parameters;
    held.layer_bytes =
        std::max(held.layer_bytes, plan.adapters() ? weighed : layer.parameters * plan.element);
    if (shape.quantised) held.dequantised = std::max(held.dequantised, layer.largest_matrix * 2);
  }
  if (stage.holds_embedding) {
    outer += shape.embedding_parameters + shape.outer_parameters;
    outer_bytes += shape.embedding_bytes + shape.outer_bytes;
  }
  if (stage.holds_head) {
    // A tied head is the embedding again, on another stage a copy of it.
    const bool copy = shape.head_parameters == 0 && !stage.holds_embedding;
    held.head = shape.head_parameters > 0 ? shape.head_parameters : shape.embedding_parameters;
    outer += copy ? shape.embedding_parameters : shape.head_parameters;
    outer_bytes += copy ? shape.embedding_bytes : shape.head_bytes;
  }
  bytes += stored_or_half(outer_bytes, outer, shape.quantised, element);
  if (plan.adapters()) {
    held.frozen_bytes = bytes / plan.tp;
  } else {
    held.trained = (parameters + outer) / plan.tp;
  }
  held.adapters /= plan.tp;
  held.layer_bytes /= plan.tp;
  held.root_bytes = outer * plan.element / plan.tp;
  held.head /= plan.tp;
  return held;
}

struct StageActivations {
  double inputs = 0, kept = 0, largest_peak = 0, largest_kept = 0;
};

StageActivations activations_of(const TrainingShape& shape, const TrainingPlan& plan,
                                const Stage& stage) {
  StageActivations sum;
  const LayerShape* last = nullptr;
  LayerActivations bytes;
  for (std::size_t i = stage.first; i < stage.last && i < shape.layers.size(); ++i) {
    if (last == nullptr || !(shape.layers[i] == *last)) {
      bytes = layer_activations(shape, shape.layers[i], plan);
      last = &shape.layers[i];
    }
    sum.inputs += bytes.input;
    const double kept = plan.recompute == Recompute::none   ? bytes.kept
                        : plan.recompute == Recompute::full ? bytes.input
                                                            : bytes.half;
    sum.kept += kept;
    if (bytes.peak > sum.largest_peak) {
      sum.largest_peak = bytes.peak;
      sum.largest_kept = plan.recompute == Recompute::full ? 0 : kept;
    }
  }
  // Unsloth moves the inputs of its layers to host memory as it goes.
  if (plan.framework == Framework::unsloth && plan.recompute == Recompute::full) {
    sum.kept = std::min(
        sum.kept, 2 * sum.inputs / std::max(1.0, static_cast<double>(stage.last - stage.first)));
  }
  return sum;
}

// torchtitan shards embedding, layers and head each by itself (FSDP2), in contrast to FSDP's one
// unit of embedding and head. A gathered unit stands twice in memory, as the collective's output
// and as its parameters; its gradient once, and once more in 32 bit to be reduced.
// Source: torch.distributed.fsdp, _fsdp_collectives.
bool has_small_units(const TrainingPlan& plan) {
  return plan.framework == Framework::torchtitan && plan.parameter_shards() > 1 && !plan.adapters();
}
// Between pipeline stages all its layers stay gathered, and gradients whole until the last
// micro-batch. Source: torchtitan, parallelize (reshard_after_forward);
// torch.distributed.pipelining.
bool stays_gathered(const TrainingPlan& plan) {
  return has_small_units(plan) && plan.pp > 1;
}

double unit_bytes(const TrainingPlan& plan, double parameters) {
  constexpr double reduced = 4;
  return parameters * (3 * plan.element + reduced);
}

// DeepSpeed's defaults: two buckets of 5e8 elements, and with ZeRO 3 as many gathered parameters
// as max_live_parameters and the prefetch bucket allow. Source: its configuration reference.
constexpr double deepspeed_bucket = 5e8, deepspeed_live = 1e9;

double gathered_bytes(const TrainingPlan& plan, const Held& held) {
  if (plan.parameter_shards() <= 1) return 0;
  if (plan.framework == Framework::deepspeed) {
    const double all = plan.adapters() ? held.frozen_bytes : held.trained * plan.element;
    return std::min(all, deepspeed_live * plan.element);
  }
  // A layer and the one fetched before its turn; with gradients, the layer's own and that in
  // flight. Embedding and head stay gathered from forward to backward.
  if (stays_gathered(plan)) return held.trained * (plan.element + 4);
  if (has_small_units(plan)) {
    // The layer's own, and the one fetched before its turn.
    return unit_bytes(plan, held.layer_bytes / plan.element) + 2 * held.layer_bytes;
  }
  return held.root_bytes + (plan.adapters() ? 2 : 4) * held.layer_bytes;
}

// Gradients on their way: PyTorch's buckets hold all of them a second time, DeepSpeed's have a
// fixed size.
double bucket_bytes(const TrainingPlan& plan, double trained, const StateBytes& state) {
  if (plan.data_ranks <= 1 || plan.zero >= 3) return 0;
  const double all = trained * state.gradients;
  if (plan.framework == Framework::deepspeed || plan.framework == Framework::megatron) {
    return std::min(all, 2 * deepspeed_bucket * state.gradients);
  }
  return all;
}

}  // namespace

const StepBytes& StageStep::peak() const {
  const StepBytes* most = &phases[0];
  for (const StepBytes& phase : phases) {
    if (phase.total() > most->total()) most = &phase;
  }
  return *most;
}

StageStep training_step(const TrainingShape& shape, const TrainingPlan& plan, const Stage& stage,
                        std::size_t index) {
  const Held held = held_by(shape, plan, stage);
  const bool adapters = plan.adapters();
  const StateBytes& state = adapters ? plan.adapter : plan.base;
  const double trained = adapters ? held.adapters : held.trained;
  StageStep step;
  StepBytes resident;
  const double weights = adapters ? held.frozen_bytes : trained * state.weights;
  const double weights_here = weights / plan.parameter_shards();
  if (plan.parameter_offload == OffloadTo::none) {
    resident.weights = weights_here;
  } else {
    step.host += weights_here;
  }
  if (adapters) resident.adapters = trained * state.weights / plan.parameter_shards();
  const double master = trained * state.master / plan.optimizer_shards();
  const double moments = trained * state.moments / plan.optimizer_shards();
  const double gradients = trained * state.gradients / plan.gradient_shards();
  const bool offloaded = plan.optimizer_offload != OffloadTo::none;
  if (offloaded) {
    // The host steps in 32 bit and takes the gradients as it needs them.
    step.host += trained * 16 / plan.optimizer_shards();
  } else {
    resident.master = master;
    if (is_paged(plan.optimizer)) {
      step.host += moments;
    } else {
      resident.optimizer = moments;
    }
  }
  const double gradients_kept = offloaded && plan.zero >= 2 ? 0 : gradients;
  const StageActivations saved = activations_of(shape, plan, stage);
  const double in_flight =
      std::min(static_cast<double>(plan.grad_accum), plan.pp - static_cast<double>(index));
  const double others = std::max(0.0, in_flight - 1) * saved.kept;  // of the other micro-batches
  const double gathered = gathered_bytes(plan, held);
  const double buckets = bucket_bytes(plan, trained, state);
  const double carried = plan.grad_accum > 1 ? gradients_kept : 0;  // of earlier micro-batches

  auto& [loss, first, last, stepping] = step.phases;
  loss = first = last = stepping = resident;
  step.resident = resident.total();
  loss.phase = "loss";
  loss.gradients = carried;
  loss.activations = others + saved.kept;
  if (!adapters) loss.weights += trained * state.autocast_copy;
  if (stage.holds_head) loss.logits = loss_bytes(shape, plan);
  double root = plan.parameter_shards() > 1 ? std::min(held.root_bytes, gathered) : 0;
  if (has_small_units(plan)) {
    root = stays_gathered(plan) ? gathered : unit_bytes(plan, held.head) + 2 * held.layer_bytes;
  }
  loss.communication = root + buckets;

  // The last layer goes backward first, while all others still keep what they saved. Under FSDP
  // with adapters the gradients of the layers' outputs stay until the end.
  const double layers = std::max(1.0, static_cast<double>(stage.last - stage.first));
  const bool doubled =
      adapters && plan.parameter_shards() > 1 && plan.framework != Framework::deepspeed;
  const double running = std::max(0.0, saved.largest_peak - saved.largest_kept) + held.dequantised;
  first.phase = "backward, its start";
  first.gradients = carried;
  first.activations = others + saved.kept + running;
  if (doubled) first.activations += saved.inputs * (1 - 2 / layers);
  first.communication = gathered + buckets;

  last.phase = "backward, its end";
  last.gradients = gradients_kept;
  last.activations = others + saved.largest_peak + held.dequantised;
  last.communication = gathered + buckets;

  stepping.phase = "optimizer step";
  stepping.gradients = gradients_kept;
  stepping.communication = buckets;
  if (!offloaded) stepping.optimizer += trained * state.step_temporary / plan.optimizer_shards();
  return step;
}

}  // namespace steelyard::memory

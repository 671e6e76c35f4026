#include "memory/training/states.h"

namespace steelyard::memory {
namespace {

// One number per 256 moments says how they are scaled; a 4-bit one per 128.
constexpr double moment_8bit = 1 + 4.0 / 256, moment_4bit = 0.5 + 4.0 / 128;
// Adafactor keeps a row and a column of a matrix instead of all of it: next to nothing.
constexpr double factored = 0.004;

double moment_bytes(Optimizer optimizer, double element, double matrix_share) {
  switch (optimizer) {
    case Optimizer::adamw:
    case Optimizer::adamw_fused:
      return 2 * element;
    case Optimizer::adamw_8bit:
    case Optimizer::paged_adamw_8bit:
      return 2 * moment_8bit;
    case Optimizer::adamw_4bit:
      return 2 * moment_4bit;
    case Optimizer::adafactor:
      return factored;
    case Optimizer::lion:
      return element;
    case Optimizer::muon:
      // One moment for the matrices of the layers, AdamW for embeddings, head and norms.
      return element * (matrix_share + 2 * (1 - matrix_share));
    case Optimizer::sgd:
      return 0;
  }
  return 2 * element;
}

// DeepSpeed and Megatron step on a 32-bit copy and bring kernels of their own.
bool keeps_master(Framework framework) {
  return framework == Framework::deepspeed || framework == Framework::megatron;
}

bool steps_all_at_once(Framework framework, Optimizer optimizer) {
  if (keeps_master(framework)) return false;
  return optimizer == Optimizer::adamw || optimizer == Optimizer::sgd;
}

}  // namespace

bool is_paged(Optimizer optimizer) {
  return optimizer == Optimizer::paged_adamw_8bit;
}

StateBytes trained_state(Framework framework, TrainingPrecision precision, Optimizer optimizer,
                         double matrix_share) {
  StateBytes bytes;
  switch (precision) {
    case TrainingPrecision::pure_bf16:
      bytes = {.weights = 2, .gradients = 2};
      bytes.moments = moment_bytes(optimizer, 2, matrix_share);
      break;
    case TrainingPrecision::fp32:
      bytes = {.weights = 4, .gradients = 4};
      bytes.moments = moment_bytes(optimizer, 4, matrix_share);
      break;
    case TrainingPrecision::mixed:
      bytes.moments = moment_bytes(optimizer, 4, matrix_share);
      if (keeps_master(framework)) {
        bytes.weights = 2;
        bytes.gradients = framework == Framework::megatron ? 4 : 2;
        bytes.master = 4;
      } else {
        bytes.weights = 4;
        bytes.gradients = 4;
        bytes.autocast_copy = 2;
      }
      break;
  }
  if (steps_all_at_once(framework, optimizer)) bytes.step_temporary = bytes.weights;
  return bytes;
}

StateBytes adapter_state(Framework framework, TrainingPrecision precision, Optimizer optimizer) {
  const bool base_type = framework == Framework::torchtune || framework == Framework::torchtitan;
  const double element = base_type && precision != TrainingPrecision::fp32 ? 2 : 4;
  StateBytes bytes{.weights = element, .gradients = element};
  bytes.moments = moment_bytes(optimizer, element, 1);
  if (steps_all_at_once(framework, optimizer)) bytes.step_temporary = element;
  return bytes;
}

}  // namespace steelyard::memory

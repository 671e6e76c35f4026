// Command lines of the frameworks. Only flags that decide memory are written out.
#include <fmt/format.h>

#include "memory/asked.h"
#include "memory/training/size_training.h"

namespace steelyard::memory {
namespace {

// transformers' own names; empty: the Trainer has none.
std::string_view trainer_optimizer(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::adamw:
      return "adamw_torch";
    case Optimizer::adamw_fused:
      return "adamw_torch_fused";
    case Optimizer::adamw_8bit:
      return "adamw_bnb_8bit";
    case Optimizer::adamw_4bit:
      return "adamw_torch_4bit";
    case Optimizer::paged_adamw_8bit:
      return "paged_adamw_8bit";
    case Optimizer::adafactor:
      return "adafactor";
    case Optimizer::lion:
      return "lion_32bit";
    case Optimizer::sgd:
      return "sgd";
    case Optimizer::muon:
      return "";
  }
  return "";
}

std::string accelerate_flags(const TrainingPlan& plan) {
  std::string flags = fmt::format("--num_processes {:.0f}", plan.world);
  if (plan.world <= 1) return flags;
  if (plan.zero >= 3) return flags + " --use_fsdp --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP";
  if (plan.zero >= 1) {
    return flags + fmt::format(" --use_deepspeed --zero_stage {}", plan.zero);
  }
  return flags + " --multi_gpu";
}

}  // namespace

std::string training_launch(const model::Model& model, const Training& asked,
                            const TrainingPlan& plan) {
  const std::string_view optimizer = trainer_optimizer(plan.optimizer);
  if (plan.framework != Framework::transformers || optimizer.empty()) return {};
  if (plan.optimizer_offload != OffloadTo::none || plan.parameter_offload != OffloadTo::none) {
    return {};  // a DeepSpeed file of settings says where to
  }
  std::string line = fmt::format(
      "accelerate launch {} -m trl.scripts.sft --model_name_or_path {} --dataset_name DATASET "
      "--max_length {} --per_device_train_batch_size {} --gradient_accumulation_steps {} --optim "
      "{}",
      accelerate_flags(plan), shell_word(model.name), plan.seq_len, plan.micro_batch,
      plan.grad_accum, optimizer);
  if (plan.precision != TrainingPrecision::fp32) line += " --bf16";
  if (plan.precision == TrainingPrecision::pure_bf16) line += " --dtype bfloat16";
  line += plan.recompute == Recompute::none ? " --gradient_checkpointing false"
                                            : " --gradient_checkpointing";
  if (plan.fused_kernels || plan.loss == LossKind::fused_linear) line += " --use_liger_kernel";
  if (asked.padding_free) line += " --padding_free";
  if (plan.flash_attention) line += " --attn_implementation flash_attention_2";
  if (plan.adapters()) line += fmt::format(" --use_peft --lora_r {}", asked.rank);
  if (lower(asked.targets) == "all" && plan.adapters()) line += " --lora_target_modules all-linear";
  if (plan.method == TrainingMethod::qlora) line += " --load_in_4bit --use_bnb_nested_quant";
  return line;
}

}  // namespace steelyard::memory

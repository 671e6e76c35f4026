// The words of training options, read and written from one table each.
#include <fmt/format.h>

#include <array>
#include <span>

#include "memory/training.h"

namespace steelyard::memory {
namespace {

template <typename T>
struct Spelling {
  std::string_view word;
  T value;
};

constexpr auto methods = std::to_array<Spelling<TrainingMethod>>({
    {"full", TrainingMethod::full},
    {"pretrain", TrainingMethod::pretrain},
    {"lora", TrainingMethod::lora},
    {"qlora", TrainingMethod::qlora},
});
constexpr auto frameworks = std::to_array<Spelling<Framework>>({
    {"transformers", Framework::transformers},
    {"torchtune", Framework::torchtune},
    {"torchtitan", Framework::torchtitan},
    {"megatron", Framework::megatron},
    {"deepspeed", Framework::deepspeed},
    {"axolotl", Framework::axolotl},
    {"llama-factory", Framework::llama_factory},
    {"unsloth", Framework::unsloth},
});
constexpr auto optimizers = std::to_array<Spelling<Optimizer>>({
    {"adamw", Optimizer::adamw},
    {"adamw-fused", Optimizer::adamw_fused},
    {"adamw-8bit", Optimizer::adamw_8bit},
    {"adamw-4bit", Optimizer::adamw_4bit},
    {"paged-adamw-8bit", Optimizer::paged_adamw_8bit},
    {"adafactor", Optimizer::adafactor},
    {"lion", Optimizer::lion},
    {"muon", Optimizer::muon},
    {"sgd", Optimizer::sgd},
});
constexpr auto precisions = std::to_array<Spelling<TrainingPrecision>>({
    {"mixed", TrainingPrecision::mixed},
    {"pure-bf16", TrainingPrecision::pure_bf16},
    {"fp32", TrainingPrecision::fp32},
});
constexpr auto recomputes = std::to_array<Spelling<Recompute>>({
    {"none", Recompute::none},
    {"selective", Recompute::selective},
    {"full", Recompute::full},
});
constexpr auto losses = std::to_array<Spelling<LossKind>>({
    {"standard", LossKind::standard},
    {"chunked", LossKind::chunked},
    {"fused-linear", LossKind::fused_linear},
});
constexpr auto offloads = std::to_array<Spelling<OffloadTo>>({
    {"none", OffloadTo::none},
    {"cpu", OffloadTo::cpu},
    {"nvme", OffloadTo::nvme},
});

template <typename T>
Result<T> read(std::span<const Spelling<T>> table, std::string_view text, std::string_view field) {
  std::string wanted = lower(text);
  for (char& c : wanted) {
    if (c == '_') c = '-';
  }
  std::string all;
  for (const Spelling<T>& one : table) {
    if (one.word == wanted) return one.value;
    all += fmt::format("{}{}", all.empty() ? "" : ", ", one.word);
  }
  return fail({.kind = ErrorKind::usage,
               .what = fmt::format("{} '{}' is not known", field, printable(text)),
               .field = std::string(field),
               .try_this = "choose one of " + all});
}

template <typename T>
std::string_view write(std::span<const Spelling<T>> table, T value) {
  for (const Spelling<T>& one : table) {
    if (one.value == value) return one.word;
  }
  return "";
}

}  // namespace

Result<Framework> parse_framework(std::string_view text) {
  return read<Framework>(frameworks, text, "--framework");
}
Result<Optimizer> parse_optimizer(std::string_view text) {
  return read<Optimizer>(optimizers, text, "--optimizer");
}
Result<TrainingPrecision> parse_training_precision(std::string_view text) {
  return read<TrainingPrecision>(precisions, text, "--precision");
}
Result<Recompute> parse_recompute(std::string_view text) {
  return read<Recompute>(recomputes, text, "--recompute");
}
Result<LossKind> parse_loss(std::string_view text) {
  return read<LossKind>(losses, text, "--loss");
}
Result<OffloadTo> parse_offload(std::string_view text, std::string_view field) {
  return read<OffloadTo>(offloads, text, field);
}

std::string_view word_of(TrainingMethod value) {
  return write<TrainingMethod>(methods, value);
}
std::string_view word_of(Framework value) {
  return write<Framework>(frameworks, value);
}
std::string_view word_of(Optimizer value) {
  return write<Optimizer>(optimizers, value);
}
std::string_view word_of(TrainingPrecision value) {
  return write<TrainingPrecision>(precisions, value);
}
std::string_view word_of(Recompute value) {
  return write<Recompute>(recomputes, value);
}
std::string_view word_of(LossKind value) {
  return write<LossKind>(losses, value);
}
std::string_view word_of(OffloadTo value) {
  return write<OffloadTo>(offloads, value);
}

}  // namespace steelyard::memory

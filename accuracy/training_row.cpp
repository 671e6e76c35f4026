#include "training_row.h"

#include <array>

namespace steelyard::accuracy {
namespace {

using memory::Framework;
using memory::LossKind;
using memory::Optimizer;
using memory::Recompute;
using memory::Training;
using memory::TrainingMethod;
using memory::TrainingPrecision;

class Cells {
 public:
  Cells(const CsvTable& table, std::size_t at) : table_(table), at_(at) {}
  const std::string& operator[](std::string_view column) const { return table_.cell(at_, column); }
  bool has(std::string_view column, std::string_view word) const {
    return contains_icase((*this)[column], word);
  }

 private:
  const CsvTable& table_;
  std::size_t at_;
};

// Whose program wrote the figure. LitGPT, QwenLM and PEFT train with modules alike to those of
// transformers; what differs stands in the row's columns.
Framework framework_of(const Cells& row) {
  if (row.has("metric", "torchtitan") || row.has("source", "torchtitan")) {
    return Framework::torchtitan;
  }
  if (row.has("source", "torchtune") || row.has("note", "torchtune")) return Framework::torchtune;
  if (row.has("note", "unsloth") && !row.has("note", "hugging face")) return Framework::unsloth;
  if (row.has("parallelism", "megatron")) return Framework::megatron;
  if (row.has("parallelism", "zero")) return Framework::deepspeed;
  return Framework::transformers;
}

std::optional<Optimizer> optimizer_of(const Cells& row) {
  if (row.has("optimizer", "4-bit")) return Optimizer::adamw_4bit;
  if (row.has("note", "paged")) return Optimizer::paged_adamw_8bit;
  if (row.has("optimizer", "8-bit") || row.has("optimizer", "8bit")) return Optimizer::adamw_8bit;
  if (row.has("optimizer", "fused")) return Optimizer::adamw_fused;
  if (row.has("optimizer", "adamw_torch")) return Optimizer::adamw;
  return std::nullopt;
}

// Sixteen-bit weights all through, unless the row speaks of 32-bit states. accelerate brings
// parameters to 32 bit when autocast and FSDP come together, and leaves them on one card.
std::optional<TrainingPrecision> precision_of(const Cells& row, bool adapters, bool sharded) {
  const std::string& words = row["precision"];
  if (words.empty()) return std::nullopt;
  if (adapters) return TrainingPrecision::pure_bf16;
  if (contains_icase(words, "amp")) {
    return sharded ? TrainingPrecision::mixed : TrainingPrecision::pure_bf16;
  }
  const bool states = contains_icase(words, "fp32") || row.has("optimizer", "fp32");
  if (states || contains_icase(words, "mixed")) return TrainingPrecision::mixed;
  return TrainingPrecision::pure_bf16;
}

std::optional<Recompute> recompute_of(const Cells& row, bool adapters) {
  const std::string& words = row["activation_checkpointing"];
  // "none (litgpt LoRA) / FSDP full": which of the two, the method and the cards say.
  if (words.find('/') != std::string::npos) {
    const bool several = count_of(row["num_gpus"]).value_or(1) > 1;
    return !adapters && several ? Recompute::full : Recompute::none;
  }
  if (words.starts_with("none")) return Recompute::none;
  if (words.starts_with("selective")) return Recompute::selective;
  if (words.starts_with("full") || words.starts_with("unsloth")) return Recompute::full;
  return std::nullopt;
}

// torchtitan of that time cut the batch of a card into as many pieces as there are stages.
void split_batch(memory::Request& request) {
  Training& run = *request.training;
  const std::uint64_t stages = request.placement.pp;
  if (stages <= 1 || run.micro_batch < stages) return;
  run.micro_batch = ceil_div(run.micro_batch, stages);
  run.grad_accum = stages;
}

std::string targets_of(const Cells& row) {
  std::string names;
  std::string word;
  for (const char c : row["lora_targets"] + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    if (word == "all" || word == "linear") return "all";
    if (word == "self_attn") return "attention";
    if (!word.empty()) names += (names.empty() ? "" : ",") + word;
    word.clear();
  }
  // Qwen's and other families' own words for the same matrices.
  static constexpr std::pair<std::string_view, std::string_view> spelled[] = {
      {"q_proj,k_proj,v_proj,o_proj,c_attn", "attention"}, {"c_attn,c_proj,w1,w2", "all"}};
  for (const auto& [found, meant] : spelled) {
    if (names == found) return std::string(meant);
  }
  return names.empty() ? "q,v" : names;  // PEFT's and LitGPT's default
}

void read_loss(const Cells& row, Training& run) {
  // The kernels of the benchmark's settings: fused cross-entropy and norms, or Liger's.
  const bool liger = row.has("note", "liger"), fused = row.has("note", "foak");
  if (liger || row.has("loss_impl", "cut")) run.loss = LossKind::fused_linear;
  if (row.has("loss_impl", "chunked")) run.loss = LossKind::chunked;
  if (!run.loss && !row["loss_impl"].empty()) run.loss = LossKind::standard;
  const bool compiled = row["torch_compile"] == "True";
  if (liger || fused || compiled) run.fused_kernels = true;
  run.padding_free = row.has("note", "padding-free");
}

// "FSDP8 TP8 PP8 1F1B", "FSDP4 CP2", "Megatron TP2".
void read_degrees(const Cells& row, memory::Placement& place) {
  const std::string& words = row["parallelism"];
  const std::pair<std::string_view, std::uint32_t*> degrees[] = {
      {"TP", &place.tp}, {"PP", &place.pp}, {"CP", &place.cp}};
  for (const auto& [word, target] : degrees) {
    const std::size_t at = words.find(word);
    if (at == std::string::npos || (at > 0 && words[at - 1] != ' ')) continue;
    const auto value = count_of(words.substr(at + 2, words.find(' ', at) - at - 2));
    if (value) *target = static_cast<std::uint32_t>(*value);
  }
}

// What the question needs beside the model, and what is not counted here.
std::string lacking(const Cells& row, const Training& run) {
  if (!run.seq_len) return "the row does not hold the sequence length";
  if (row.has("note", "unpacked")) return "the row does not hold the length of its samples";
  if (!run.recompute) return "the row does not say what was recomputed";
  if (!memory::trains_adapters(run.method) && row["optimizer"].empty()) {
    return "the row does not name the optimizer";
  }
  const bool several = count_of(row["num_gpus"]).value_or(1) > 1;
  if (several && row["parallelism"].empty()) {
    return "the row does not say what its cards shared";
  }
  if (row.has("parallelism", "granite-ep2") || row.has("parallelism", "granite-ep4")) {
    return "expert parallel training is not counted";
  }
  if (row.has("offload", "activations")) return "offloaded activations are not counted";
  if (row.has("optimizer", "lora-fa")) return "LoRA-FA is not counted";
  if (row.has("note", "optimizer in backward") || row.has("note", "optimizer-in-backward")) {
    return "an optimizer that steps in the backward pass is not counted";
  }
  if (row.has("precision", "8-bit") || row.has("precision", "2-bit")) return "a claim";
  return {};
}

TrainingMetric metric_of(const Cells& row) {
  const std::string& words = row["metric"];
  const auto says = [&](std::string_view word) { return contains_icase(words, word); };
  if (says("estimate") || says("estimator") || says("minimum")) return TrainingMetric::claim;
  if (says("documented")) return TrainingMetric::claim;
  if (says("context that fits")) return TrainingMetric::fits;
  if (says("reserved") || says("torchtitan")) return TrainingMetric::reserved;
  if (says("allocated") || says("active") || words == "peak memory per GPU") {
    return TrainingMetric::allocated;
  }
  return TrainingMetric::process;
}

std::optional<double> noted_peak(const std::string& note) {
  constexpr std::string_view key = "torch_peak_alloc_gib=";
  const std::size_t at = note.find(key);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t from = at + key.size();
  return number_of(note.substr(from, note.find(';', from) - from));
}

double to_gib(double value, std::string_view unit) {
  if (unit == "MiB") return value / 1024;
  if (unit == "GB") return value * 1e9 / 1073741824.0;
  return value;
}

void read_figure(const Cells& row, std::uint64_t cards, TrainingRow& into) {
  into.metric = metric_of(row);
  into.status = row["status"];
  into.ran = !into.status.starts_with("OOM");
  into.allocated = noted_peak(row["note"]);
  const std::string& cell = row["peak_memory"];
  const auto value = number_of(cell.starts_with(">") ? cell.substr(1) : cell);
  if (!value) return;
  const double all = to_gib(*value, row["unit"]);
  into.gib = row.has("metric", "over all GPUs") ? all / static_cast<double>(cards) : all;
}

void read_run(const Cells& row, TrainingMethod method, std::uint64_t cards, Training& run) {
  run.method = method;
  run.framework = framework_of(row);
  run.optimizer = optimizer_of(row);
  const bool adapters = memory::trains_adapters(method);
  run.precision = precision_of(row, adapters, cards > 1);
  run.recompute = recompute_of(row, adapters);
  run.seq_len = count_of(row["seq_len_tokens"]);
  run.micro_batch = count_of(row["micro_batch_per_gpu"]).value_or(1);
  if (const auto rank = count_of(row["lora_rank"]))
    run.rank = static_cast<std::uint32_t>(*rank);
  else
    run.rank = 8;
  run.targets = targets_of(row);
  if (row.has("parallelism", "zero-2")) run.zero = 2;
  if (row.has("parallelism", "none") || cards == 1) run.zero = 0;
  if (row.has("parallelism", "FSDP")) run.zero = 3;
  if (row.has("offload", "optimizer=cpu") || row.has("offload", "param+optimizer")) {
    run.optimizer_offload = memory::OffloadTo::cpu;
  }
  if (row.has("offload", "param+")) run.parameter_offload = memory::OffloadTo::cpu;
  read_loss(row, run);
}

}  // namespace

std::optional<TrainingRow> training_row(const CsvTable& table, std::size_t at) {
  const Cells row(table, at);
  const bool pretrains = row["task"] == "pretrain";
  TrainingMethod method = pretrains ? TrainingMethod::pretrain : TrainingMethod::full;
  if (row["method"] == "lora" || row["method"] == "qlora") {
    method = row["quantization"].empty() ? TrainingMethod::lora : TrainingMethod::qlora;
  } else if (row["method"] != "full" || row["task"].starts_with("inference")) {
    return std::nullopt;
  }
  TrainingRow read;
  read.model = named_model(row["model"], row["quantization"]);
  const std::uint64_t cards = count_of(row["num_gpus"]).value_or(1);
  Training& run = read.request.training.emplace();
  read_run(row, method, cards, run);
  read_degrees(row, read.request.placement);
  read.request.card = named_card(row["gpu"], std::nullopt);
  if (read.request.card) {
    read.request.card->count = static_cast<std::uint32_t>(cards);
  } else {
    read.request.placement.dp = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, cards / read.request.placement.cards_per_replica()));
  }
  split_batch(read.request);
  read_figure(row, cards, read);
  read.missing = lacking(row, run);
  return read;
}

}  // namespace steelyard::accuracy

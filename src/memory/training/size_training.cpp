#include "memory/training/size_training.h"

#include <fmt/format.h>

#include <algorithm>

#include "memory/training/process_memory.h"
#include "memory/typical_band.h"

namespace steelyard::memory {
namespace {

// Residuals in docs/accuracy.md: what is saved and recomputed for the backward pass depends on
// versions of framework and kernels.
struct TermBand {
  double low = 1, high = 1;
};
constexpr TermBand exact_sum{}, activations_band{0.85, 1.15}, logits_band{0.65, 1.35},
    gathered_band{0.5, 1.5};

std::string per_parameter(const TrainingPlan& plan, double bytes, std::string_view what,
                          double shards) {
  std::string text = fmt::format("{:g} B x {}", bytes, what);
  if (plan.tp > 1) text += fmt::format(" / tp {:.0f}", plan.tp);
  if (shards > 1) text += fmt::format(" / {:.0f} ranks", shards);
  return text;
}

std::string tokens_formula(const TrainingPlan& plan) {
  std::string text = fmt::format("{} x {} tokens", plan.micro_batch, with_commas(plan.seq_len));
  if (plan.cp > 1) text += fmt::format(" / cp {:.0f}", plan.cp);
  if (plan.tp > 1) text += fmt::format(" / tp {:.0f}", plan.tp);
  return text;
}

class TrainingRank {
 public:
  TrainingRank(const TrainingShape& shape, const Training& asked, const TrainingPlan& plan,
               const StageStep& step)
      : shape_(shape), asked_(asked), plan_(plan), peak_(step.peak()) {
    rank_.host = bytes_from(step.host);
    add_states();
    add_moving();
  }
  Rank take() { return std::move(rank_); }

 private:
  void add(std::string name, double bytes, TermBand band, std::string formula) {
    if (!(bytes > 0)) return;
    const Bytes value = bytes_from(bytes);
    rank_.terms.push_back({std::move(name),
                           band.low == band.high
                               ? ByteFigure::exact(value)
                               : ByteFigure::scaled(value, band.low, band.high, Origin::predicted),
                           std::move(formula)});
  }

  void add_states() {
    const bool adapters = plan_.adapters();
    const StateBytes& state = adapters ? plan_.adapter : plan_.base;
    const std::string_view trained = adapters ? "adapter parameter" : "parameter";
    const bool copies = peak_.phase == "loss" && plan_.base.autocast_copy > 0 && !adapters;
    std::string weights =
        !adapters          ? per_parameter(plan_, state.weights, trained, plan_.parameter_shards())
        : shape_.quantised ? std::string("frozen, as stored: packed matrices, 16-bit embeddings")
                           : per_parameter(plan_, plan_.base.weights, "frozen parameter",
                                           plan_.parameter_shards());
    if (copies)
      weights += fmt::format(", and {:g} B of autocast's copies", plan_.base.autocast_copy);
    add("weights", peak_.weights, exact_sum, std::move(weights));
    add("adapters", peak_.adapters, exact_sum,
        per_parameter(plan_, state.weights, trained, plan_.parameter_shards()) +
            fmt::format(", rank {}, targets {}", asked_.rank, one_line(asked_.targets)));
    add("gradients", peak_.gradients, exact_sum,
        per_parameter(plan_, state.gradients, trained, plan_.gradient_shards()));
    add("master_weights", peak_.master, exact_sum,
        per_parameter(plan_, state.master, trained, plan_.optimizer_shards()));
    const bool stepping = peak_.phase == "optimizer step" && state.step_temporary > 0;
    add("optimizer", peak_.optimizer, exact_sum,
        per_parameter(plan_, state.moments + (stepping ? state.step_temporary : 0), trained,
                      plan_.optimizer_shards()) +
            fmt::format(" ({}{})", word_of(plan_.optimizer),
                        stepping ? ", with the temporary of its step over all tensors" : ""));
  }

  void add_moving() {
    const bool running = peak_.phase != "loss";
    add("activations", peak_.activations, activations_band,
        fmt::format("{}, recompute {}: what the layers keep{}", tokens_formula(plan_),
                    word_of(plan_.recompute), running ? " and the one going backward" : ""));
    add("logits", peak_.logits, logits_band,
        fmt::format("{} x {} words x {:g} B (loss {}), and the last hidden states",
                    tokens_formula(plan_),
                    with_commas(static_cast<std::uint64_t>(shape_.vocabulary)), plan_.logit_bytes,
                    word_of(plan_.loss)));
    add("communication", peak_.communication, gathered_band,
        plan_.parameter_shards() > 1 ? "gathered layers, embedding and head; gradients in flight"
                                     : "gradient buckets");
  }

  const TrainingShape& shape_;
  const Training& asked_;
  const TrainingPlan& plan_;
  const StepBytes& peak_;
  Rank rank_;
};

std::string training_rank_name(const TrainingPlan& plan, std::size_t stage) {
  if (plan.pp > 1) return fmt::format("pp {}", stage);
  if (plan.world > 1) return fmt::format("rank 0..{:.0f}", plan.world - 1);
  return "one card";
}

bool same_sum(const Rank& a, const Rank& b) {
  return std::ranges::equal(a.terms, b.terms, [](const Term& x, const Term& y) {
    return x.name == y.name && x.bytes.value == y.bytes.value;
  });
}

// Stages in the middle are often alike: listed once.
void add_training_rank(Answer& answer, Rank rank) {
  rank.total = ByteFigure::exact(Bytes(0));
  for (const Term& term : rank.terms) rank.total = rank.total + term.bytes;
  for (Rank& known : answer.ranks) {
    if (!same_sum(known, rank)) continue;
    known.repeats += rank.repeats;
    return;
  }
  answer.ranks.push_back(std::move(rank));
}

void add_training_warnings(const model::Model& model, const Training& asked,
                           const TrainingPlan& plan, Answer& answer) {
  std::vector<std::string>& warnings = answer.warnings;
  if (model.max_context > 0 && plan.seq_len > model.max_context) {
    warnings.push_back(fmt::format("the model was made for {} tokens, {} are trained",
                                   with_commas(model.max_context), with_commas(plan.seq_len)));
  }
  if (!model.not_established.empty()) {
    warnings.push_back("layers are not established, activations are missing: " +
                       model.not_established);
  }
  const std::string& packed = model.quantisation.method;
  if (plan.method == TrainingMethod::qlora && packed.empty()) {
    warnings.push_back("qlora without packed weights: --weights nf4 is what it means");
  }
  if (!plan.adapters() && !packed.empty()) {
    warnings.push_back(fmt::format(
        "the weights are stored as {}: full training unpacks them first, and is counted so",
        packed));
  }
  if (asked.padding_free) {
    answer.assumptions.push_back(
        {"packing", "sequences of --seq-len tokens on the mean, none filled up", Origin::exact});
  }
  const Bytes host = answer.binding().host;
  if (host > Bytes(0)) {
    const bool files =
        plan.optimizer_offload == OffloadTo::nvme || plan.parameter_offload == OffloadTo::nvme;
    warnings.push_back(fmt::format("each card keeps {} in {}", format_bytes(host),
                                   files ? "files on NVMe" : "host memory"));
  }
}

}  // namespace

Result<Answer> size_training(const model::Model& model, const Request& request) {
  const Training& asked = *request.training;
  Answer answer;
  const std::uint32_t cards = request.card ? request.card->count : 1;
  auto plan = training_plan(model, asked, request.placement, cards, answer.assumptions);
  if (!plan) return std::unexpected(plan.error());
  auto shape = training_shape(model, asked);
  if (!shape) return std::unexpected(shape.error());
  answer.engine = request.engine;
  answer.placement = request.placement;
  answer.placement.dp = static_cast<std::uint32_t>(plan->data_ranks / plan->cp);
  answer.context = plan->seq_len;
  answer.card = request.card;
  TrainingFigures& figures = answer.training.emplace();
  figures.method = plan->method;
  figures.framework = plan->framework;
  const auto stages = pipeline_stages(model.layers.size(), static_cast<std::uint32_t>(plan->pp));
  const auto alike = static_cast<std::uint32_t>(plan->world / plan->pp);
  std::optional<Bytes> usable;
  if (request.card) usable = request.card->usable.value - request.card->in_use;
  double most = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const StageStep step = training_step(*shape, *plan, stages[i], i);
    Rank rank = TrainingRank(*shape, asked, *plan, step).take();
    rank.name = training_rank_name(*plan, i);
    rank.repeats = alike;
    const ProcessMemory process = process_memory(*plan, step, usable);
    rank.reserved = process.reserved;
    rank.process = process.process;
    const double peak = step.peak().total();
    if (peak > most) figures.phase = step.peak().phase;
    most = std::max(most, peak);
    figures.all_cards += bytes_from(peak) * alike;
    add_training_rank(answer, std::move(rank));
  }
  answer.capacity.reason = "training keeps no cache";
  widen_for_typical(model, answer);
  for (Rank& rank : answer.ranks) {
    rank.total = ByteFigure::exact(Bytes(0));
    for (const Term& term : rank.terms) rank.total = rank.total + term.bytes;
  }
  judge_training(*plan, answer);
  find_training_room(model, *shape, *plan, answer);
  figures.rules = training_rules(*plan, static_cast<double>(model.parameters()), figures);
  add_training_warnings(model, asked, *plan, answer);
  answer.launch = training_launch(model, asked, *plan);
  return answer;
}

}  // namespace steelyard::memory

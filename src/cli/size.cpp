// `size`: does the model fit, and what would?
#include <fmt/format.h>

#include <algorithm>

#include "cli/advice.h"
#include "cli/against.h"
#include "cli/model_of.h"
#include "cli/output.h"
#include "cli/pipeline.h"
#include "cli/request.h"
#include "cli/training.h"
#include "cli/verbs.h"
#include "report/report.h"

namespace steelyard::cli {
namespace {

using memory::EngineKind;
using memory::Verdict;

bool says_yes(Verdict verdict) {
  return verdict != Verdict::does_not_fit;
}

Result<memory::Answer> ask(const model::Model& model, memory::Request& request,
                           const memory::CardMemory& card) {
  request.card = card;
  return memory::size(model, request);
}

// The line of the nearest change on the same cards, with room to spare if one has it; else on more.
std::string next_step(const std::vector<memory::Alternative>& alternatives, std::uint32_t cards) {
  const memory::Alternative* best = nullptr;
  int best_rank = 0;
  for (const memory::Alternative& one : alternatives) {
    const bool same = one.request.card->count == cards;
    const bool roomy = one.answer.verdict == Verdict::fits;
    const int rank = (same ? 2 : 0) + (roomy ? 1 : 0);
    if (best != nullptr && rank <= best_rank) continue;
    best = &one;
    best_rank = rank;
  }
  return best == nullptr ? "" : best->answer.launch;
}

// The first variant's answer, and what the others would have said.
Result<report::SizeCase> size_on(const model::Model& model, memory::Request request,
                                 const CardChoice& choice) {
  report::SizeCase one{.asked = choice.asked};
  auto answer = ask(model, request, choice.memory.front());
  if (!answer) return std::unexpected(answer.error());
  one.request = request;
  one.answer = std::move(*answer);
  one.card = choice.variants.empty() ? nullptr : choice.variants.front();
  bool differ = false;
  for (std::size_t i = 1; i < choice.memory.size(); ++i) {
    auto other = ask(model, request, choice.memory[i]);
    if (!other) continue;
    differ |= says_yes(other->verdict) != says_yes(one.answer.verdict);
    one.variants.push_back({choice.memory[i].name, other->verdict, other->binding().free});
  }
  one.card_assumed = choice.assumed && differ;
  // The way out of a "no", and how much room a "yes" leaves.
  one.alternatives = memory::alternatives(model, one.request);
  // The next step after a "no" is the closest that fits, never the line that was just refused.
  if (one.answer.verdict == Verdict::does_not_fit) {
    one.answer.launch = next_step(one.alternatives, one.request.card->count);
  }
  return one;
}

// `casts`: whether the engine casts weights to the type when it loads them.
Status cast_to(const std::string& type, bool casts, model::Model& model) {
  const auto dtype = facts::find_format(type);
  if (!dtype || (dtype->name != "bf16" && dtype->name != "f16" && dtype->name != "f32")) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("'{}' is not a compute type", type),
                 .field = "--dtype",
                 .try_this = "choose bf16, fp16 or fp32; --weights sets the weight format"});
  }
  if (model.quantisation.method.empty() && casts) {
    auto cast = model::with_weights(model, dtype->name);
    if (!cast) return std::unexpected(cast.error());
    model = std::move(*cast);
  }
  model.dtype = *dtype;
  return {};
}

}  // namespace

Result<model::Model> weighed_model(const Arguments& arguments, World& world,
                                   const std::string& name,
                                   std::optional<memory::TrainingMethod> training) {
  auto model = model_of(arguments, world, name);
  if (!model) return model;
  if (model->tensors.empty()) {
    return fail(
        {.kind = ErrorKind::missing_field,
         .what = "nothing in it can be weighed: " + model->not_established,
         .file = name,
         .try_this = "give the model's safetensors or GGUF header, which lists its tensors"});
  }
  auto engine = engine_of(arguments, *model);
  if (!engine) return std::unexpected(engine.error());
  const bool ggml = engine->kind == EngineKind::llama_cpp || engine->kind == EngineKind::ollama;
  const bool weights = arguments.has("--weights");
  if (arguments.has("--dtype")) {
    // llama.cpp computes in the types of its file: there the word is only checked.
    model::Model typed = *model;
    if (auto cast = cast_to(arguments.value("--dtype"), !weights, typed); !cast) {
      return std::unexpected(cast.error());
    }
    if (!ggml) model = std::move(typed);
  }
  if (weights) return model::with_weights(*model, arguments.value("--weights"));
  const bool plain = model->quantisation.method.empty();
  if (training) {
    // QLoRA's own format, its scales quantised again; a checkpoint in four bits already stays.
    const double parameters = std::max(1.0, static_cast<double>(model->parameters()));
    const bool wide = 8 * model->weight_bytes().as_double() > 6 * parameters;
    const bool packs = *training == memory::TrainingMethod::qlora && wide;
    return packs ? model::with_weights(*model, "nf4") : model;
  }
  // Who runs a model by Ollama gets what its library serves unless a tag says more.
  if (engine->kind != EngineKind::ollama || !plain) return model;
  auto served = model::with_weights(*model, "q4_k_m");
  if (served) {
    served->notes.push_back(
        "weights q4_k_m (assumed): what Ollama's library serves by default; --weights gives "
        "another");
  }
  return served;
}

namespace {

int exit_code(const Arguments& arguments, const std::vector<report::SizeCase>& cases) {
  const std::string fail_on = lower(arguments.value("--fail-on"));
  if (fail_on == "never") return exit_yes;
  // Several cards are a comparison: yes when one of them holds it.
  const bool yes = std::ranges::any_of(cases, [&](const report::SizeCase& one) {
    if (fail_on == "warn") {
      return one.answer.verdict == Verdict::fits ||
             (one.answer.verdict == Verdict::not_established && !one.answer.card);
    }
    return says_yes(one.answer.verdict);
  });
  // With a card named, "not established" is neither a yes nor a no.
  const bool open = std::ranges::none_of(cases, [](const report::SizeCase& one) {
    return one.answer.verdict == Verdict::fits || one.answer.verdict == Verdict::tight ||
           !one.answer.card;
  });
  if (yes && open) return exit_could_not_answer;
  return yes ? exit_yes : exit_no;
}

// A placement names cards too: one card and --tp 2 means two; four cards and --tp 8 is a mistake.
Status take_cards(CardChoice& choice, const memory::Placement& placement, std::uint32_t cards) {
  const std::uint64_t needs = saturating_mul(placement.cards_per_replica(), placement.dp);
  if (needs <= cards) return {};
  if (cards > 1 || needs > 65536) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("the placement needs {} cards, {} are named", needs, cards),
                 .field = fmt::format("--gpu {}", choice.asked),
                 .try_this = "name as many cards as tp x pp x cp x dp, as in --gpu H100:8"});
  }
  for (memory::CardMemory& card : choice.memory) card.count = static_cast<std::uint32_t>(needs);
  return {};
}

// `draft` and `training`: what stands beside the options that are read here.
struct Asking {
  std::shared_ptr<const model::Model> draft;
  std::optional<memory::TrainingMethod> training;
};

Result<memory::Request> request_for(const Arguments& arguments, const model::Model& model,
                                    const Asking& asking, std::uint32_t cards,
                                    const memory::CardMemory* card = nullptr) {
  if (asking.training) return read_training_request(arguments, *asking.training);
  auto request = read_request(arguments, model, cards, card);
  if (request) request->draft = asking.draft;
  return request;
}

Result<std::vector<report::SizeCase>> all_cases(const Arguments& arguments,
                                                const model::Model& model,
                                                const facts::Catalogue& catalogue,
                                                const Asking& asking) {
  auto choices = card_choices(arguments, catalogue);
  if (!choices) return std::unexpected(choices.error());
  std::uint32_t nodes = 1;
  if (arguments.has("--nodes")) {
    auto parsed = parse_tokens(arguments.value("--nodes"), "--nodes");
    if (!parsed) return std::unexpected(parsed.error());
    if (*parsed > 4096) {
      return fail({.kind = ErrorKind::usage,
                   .what = "--nodes is larger than 4096",
                   .field = "--nodes",
                   .try_this = "name the machines of one deployment"});
    }
    nodes = static_cast<std::uint32_t>(*parsed);
  }
  std::vector<report::SizeCase> cases;
  for (CardChoice& choice : *choices) {
    const std::uint32_t cards = choice.count * nodes;
    for (memory::CardMemory& card : choice.memory) card.count = cards;
    auto request = request_for(arguments, model, asking, cards, &choice.memory.front());
    if (!request) return std::unexpected(request.error());
    if (auto enough = take_cards(choice, request->placement, cards); !enough) {
      return std::unexpected(enough.error());
    }
    auto one = size_on(model, std::move(*request), choice);
    if (!one) return std::unexpected(one.error());
    add_advice(arguments, model, *one);
    cases.push_back(std::move(*one));
  }
  if (!choices->empty()) return cases;
  auto request = request_for(arguments, model, asking, 1);
  if (!request) return std::unexpected(request.error());
  auto answer = memory::size(model, *request);
  if (!answer) return std::unexpected(answer.error());
  report::SizeCase one{.request = *request, .answer = std::move(*answer)};
  one.smallest = pick::smallest_cards(model, *request, catalogue);
  cases.push_back(std::move(one));
  return cases;
}

}  // namespace

int run_size(const Arguments& arguments, World& world) {
  if (arguments.positionals.empty()) {
    return refuse({.kind = ErrorKind::usage,
                   .what = "size needs a MODEL",
                   .try_this = "name a file, a folder, a catalogue model or a size, as in "
                               "`steelyard size qwen3-32b --gpu \"RTX 4090\"`"},
                  world);
  }
  auto training = training_method(arguments);
  if (!training) return refuse(training.error(), world);
  if (arguments.has("--against")) return run_against(arguments, world);
  const std::string& name = arguments.positionals[0];
  if (const auto* pipeline = pipeline_named(world, name)) {
    return run_pipeline(arguments, world, *pipeline);
  }
  auto catalogue = load_catalogue(arguments, world);
  if (!catalogue) return refuse(catalogue.error(), world);
  auto model = weighed_model(arguments, world, name, *training);
  if (!model) return refuse(model.error(), world);
  Asking asking{.draft = nullptr, .training = *training};
  if (arguments.has("--draft") && !*training) {
    auto read = model_of(arguments, world, arguments.value("--draft"));
    if (!read) return refuse(read.error(), world);
    asking.draft = std::make_shared<const model::Model>(std::move(*read));
  }
  auto outputs = Outputs::open(arguments, world);
  if (!outputs) return refuse(outputs.error(), world);
  auto cases = all_cases(arguments, *model, *catalogue, asking);
  if (!cases) return refuse(cases.error(), world);
  const int code = exit_code(arguments, *cases);
  const report::SizeDocument document{
      .model = *model, .argument = name, .cases = std::move(*cases)};
  const report::TextStyle style{.color = use_color(arguments, world),
                                .quiet = arguments.has("--quiet"),
                                .explain = arguments.has("--explain")};
  return outputs->write({.text = [&] { return report::size_text(document, style); },
                         .json = [&] { return report::size_json(document); },
                         .csv = [&] { return report::size_csv(document); },
                         .markdown = [&] { return report::size_markdown(document); }},
                        code, world);
}

}  // namespace steelyard::cli

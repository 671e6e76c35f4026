// `models`: the catalogue, one model, or what runs on a card or on this machine.
#include <fmt/format.h>

#include "cli/here.h"
#include "cli/model_of.h"
#include "cli/output.h"
#include "cli/pipeline.h"
#include "cli/request.h"
#include "cli/training.h"
#include "cli/verbs.h"
#include "report/report.h"

namespace steelyard::cli {
namespace {

// A format that no model takes is a slip of the pen, not an empty list.
Status known_weights(const std::string& weights) {
  if (weights.empty()) return {};
  auto any = model::catalogue_model("Qwen/Qwen3-8B");
  if (!any) return std::unexpected(any.error());
  auto stored = model::with_weights(*any, weights);
  return stored ? Status() : std::unexpected(stored.error());
}

Result<report::RunsOnDocument> runs_document(const Arguments& arguments, World& world,
                                             const facts::Catalogue& catalogue) {
  report::RunsOnDocument document;
  // The engine's options are read without a model: tensor parallel by heads is each model's own.
  if (auto training = training_method(arguments); !training || *training) {
    return !training ? std::unexpected(training.error())
                     : fail({.kind = ErrorKind::unsupported,
                             .what = "what trains on a card is not listed",
                             .field = "--mode",
                             .try_this = "ask for one model: steelyard size MODEL --mode lora"});
  }
  const model::Model none;
  std::optional<memory::CardMemory> card;
  std::uint32_t cards = 1;
  if (arguments.has("--here")) {
    auto machine = this_machine(world, catalogue);
    if (!machine) return std::unexpected(machine.error());
    document.card = machine->description;
    card = machine->request.card;
    document.request.engine = machine->request.engine;
  } else {
    auto choices = card_choices(arguments, catalogue);
    if (!choices) return std::unexpected(choices.error());
    const CardChoice& choice = choices->front();
    card = choice.memory.front();
    cards = choice.count;
    document.card =
        fmt::format("{}x {}, {} usable each", cards, card->name, format_bytes(card->usable.value));
  }
  auto request = read_request(arguments, none, cards);
  if (!request) return std::unexpected(request.error());
  if (!arguments.has("--engine")) request->engine = document.request.engine;
  // Without a word on the engine, one that runs on the card at all.
  if (!arguments.has("--engine") &&
      (card->vendor == "Apple" || !memory::refusal_of(request->engine, *card).empty())) {
    request->engine.kind = memory::EngineKind::llama_cpp;
  }
  request->card = card;
  document.request = *request;
  document.looked_at = model::catalogue_names().size();
  const std::string weights = lower(arguments.value("--weights"));
  if (Status known = known_weights(weights); !known) return std::unexpected(known.error());
  document.rows = pick::runs_on(*request, weights);
  return document;
}

int runs_on_card(const Arguments& arguments, World& world) {
  auto catalogue = load_catalogue(arguments, world);
  if (!catalogue) return refuse(catalogue.error(), world);
  auto outputs = Outputs::open(arguments, world);
  if (!outputs) return refuse(outputs.error(), world);
  const auto document = runs_document(arguments, world, *catalogue);
  if (!document) return refuse(document.error(), world);
  const std::size_t limit = arguments.has("--verbose") ? 0 : 40;
  const auto text = [&] { return report::runs_on_text(*document, limit); };
  return outputs->write({.text = text,
                         .json = [&] { return report::runs_on_json(*document); },
                         .csv = [&] { return report::runs_on_csv(*document); },
                         .markdown = [&] { return "```\n" + text() + "```\n"; }},
                        document->rows.empty() ? exit_no : exit_yes, world);
}

int write_models(const Arguments& arguments, World& world, const std::vector<model::Model>& models,
                 const std::string& text) {
  auto outputs = Outputs::open(arguments, world);
  if (!outputs) return refuse(outputs.error(), world);
  return outputs->write({.text = [&] { return text; },
                         .json = [&] { return report::models_json(models); },
                         .csv = [&] { return report::models_csv(models); },
                         .markdown = [&] { return "```\n" + text + "```\n"; }},
                        exit_yes, world);
}

int whole_catalogue(const Arguments& arguments, World& world) {
  std::vector<model::Model> models;
  const std::size_t count = model::catalogue_names().size();
  for (std::size_t i = 0; i < count; ++i) {
    auto model = model::catalogue_model_at(i);
    if (!model) return refuse(model.error(), world);
    models.push_back(std::move(*model));
  }
  return write_models(arguments, world, models, report::models_table(models));
}

int one_model(const Arguments& arguments, World& world) {
  if (const auto* pipeline = pipeline_named(world, arguments.positionals[0])) {
    return run_pipeline(arguments, world, *pipeline);
  }
  auto model = model_of(arguments, world, arguments.positionals[0]);
  if (model && arguments.has("--weights")) {
    model = model::with_weights(*model, arguments.value("--weights"));
  }
  if (!model) return refuse(model.error(), world);
  const std::vector<model::Model> models = {std::move(*model)};
  return write_models(arguments, world, models, report::model_in_full(models.front()));
}

}  // namespace

int run_models(const Arguments& arguments, World& world) {
  if (arguments.has("--names")) {
    std::string names;
    for (const std::string& name : model::catalogue_names()) names += name + "\n";
    return world.out(names) ? exit_yes : refuse_output("standard output", world);
  }
  if (arguments.has("--gpu") || arguments.has("--gpu-memory") || arguments.has("--here")) {
    return runs_on_card(arguments, world);
  }
  return arguments.positionals.empty() ? whole_catalogue(arguments, world)
                                       : one_model(arguments, world);
}

}  // namespace steelyard::cli

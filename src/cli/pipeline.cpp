#include "cli/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/output.h"
#include "cli/request.h"
#include "cli/verbs.h"
#include "report/report.h"

namespace steelyard::cli {
namespace {

bool answers_to(std::string_view option) {
  constexpr auto cards = std::to_array<std::string_view>(
      {"--gpu", "--gpu-memory", "--memory-in-use", "--fail-on", "--explain"});
  return std::ranges::find(cards, option) != cards.end() ||
         std::ranges::any_of(common_options, [&](const Option& one) { return one.name == option; });
}

}  // namespace

const model::Pipeline* pipeline_named(World& world, const std::string& name) {
  const model::Pipeline* found = model::find_pipeline(name);
  return found != nullptr && world.files.kind(name) == os::EntryKind::missing ? found : nullptr;
}

int run_pipeline(const Arguments& arguments, World& world, const model::Pipeline& pipeline) {
  for (const auto& [option, values] : arguments.values) {
    if (answers_to(option)) continue;
    return refuse({.kind = ErrorKind::unsupported,
                   .what = fmt::format("{} is an image or video model: its components are weighed "
                                       "as published, and {} does not apply",
                                       pipeline.name, option),
                   .field = option,
                   .try_this = fmt::format("`steelyard size {} --gpu NAME`", pipeline.name)},
                  world);
  }
  auto catalogue = load_catalogue(arguments, world);
  if (!catalogue) return refuse(catalogue.error(), world);
  auto outputs = Outputs::open(arguments, world);
  if (!outputs) return refuse(outputs.error(), world);
  const auto choices = card_choices(arguments, *catalogue);
  if (!choices) return refuse(choices.error(), world);
  report::PipelineDocument document{.pipeline = pipeline, .cards = {}};
  for (const CardChoice& choice : *choices) {
    document.cards.push_back({.card = choice.memory.front(), .pipeline = pipeline});
    document.cards.back().card.count = choice.count;
  }
  const bool asked = !document.cards.empty() && lower(arguments.value("--fail-on")) != "never";
  const bool none_fits = std::ranges::all_of(document.cards, [](const report::PipelineCard& one) {
    return one.verdict() == memory::Verdict::does_not_fit;
  });
  const int code = !asked ? exit_yes : none_fits ? exit_no : exit_could_not_answer;
  const auto text = [&] { return report::pipeline_text(document); };
  return outputs->write({.text = text,
                         .json = [&] { return report::pipeline_json(document); },
                         .csv = [&] { return report::pipeline_csv(document); },
                         .markdown = [&] { return "```\n" + text() + "```\n"; }},
                        code, world);
}

}  // namespace steelyard::cli

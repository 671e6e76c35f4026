// `gpus`: the catalogue, one card, or two side by side.
#include <fmt/format.h>

#include "claims/claims.h"
#include "cli/output.h"
#include "cli/request.h"
#include "cli/verbs.h"
#include "report/report.h"

namespace steelyard::cli {
namespace {

// One line per card; the long form lives in the JSON document.
std::string as_csv(const report::GpusDocument& document) {
  std::string text = "id,name,vendor,sold_as_gb,reported_bytes,bandwidth_bytes_per_s\n";
  for (const facts::Accelerator* card : document.cards) {
    text += fmt::format("{},{},{},{},{},{}\n", card->id, csv_cell(card->name),
                        csv_cell(card->vendor), card->sold_as_gb,
                        card->reported ? fmt::format("{}", card->reported->value()) : "",
                        card->bandwidth ? fmt::format("{}", card->bandwidth->value()) : "");
  }
  return text;
}

Status add_named(report::GpusDocument& document, const facts::Catalogue& catalogue,
                 const std::string& name, bool one_only) {
  const auto named = named_cards(catalogue, name, "");
  if (!named) return fail(named.error());
  document.asked.push_back(name);
  document.assumed |= named->match.assumed;
  if (named->instance) document.instances.push_back(*named->instance);
  for (const facts::Accelerator* card : named->match.variants) {
    document.cards.push_back(card);
    if (one_only) break;
  }
  return {};
}

// An advert that could not be judged is neither a yes nor a no.
int verdict_code(const claims::Claim& claim, bool never) {
  if (claim.outcome() == claims::Outcome::open) return exit_could_not_answer;
  return claim.holds() || never ? exit_yes : exit_no;
}

int run_claim(const Arguments& arguments, const facts::Catalogue& catalogue, World& world) {
  if (!arguments.positionals.empty()) {
    return refuse({.kind = ErrorKind::usage,
                   .what = "a card and --claim together",
                   .field = "--claim",
                   .try_this = "put the whole advert in quotes behind --claim"},
                  world);
  }
  std::string text(arguments.value("--claim"));
  if (text == "-") {
    auto input = world.in(std::uint64_t{1} << 20);
    if (!input) return refuse(input.error(), world);
    text = std::move(*input);
  }
  auto outputs = Outputs::open(arguments, world);
  if (!outputs) return refuse(outputs.error(), world);
  const auto claim = claims::read_claim(catalogue, text);
  if (!claim) return refuse(claim.error(), world);
  const bool never = lower(arguments.value("--fail-on")) == "never";
  const bool quiet = arguments.has("--quiet");
  return outputs->write({.text =
                             [&] {
                               const std::string whole =
                                   report::claim_text(*claim, arguments.has("--verbose"));
                               return quiet ? whole.substr(0, whole.find("\n\n") + 1) : whole;
                             },
                         .json = [&] { return report::claim_json(*claim); },
                         .csv = [&] { return report::claim_csv(*claim); },
                         .markdown = [&] { return report::claim_markdown(*claim); }},
                        verdict_code(*claim, never), world);
}

}  // namespace

int run_gpus(const Arguments& arguments, World& world) {
  auto catalogue = load_catalogue(arguments, world);
  if (!catalogue) return refuse(catalogue.error(), world);
  if (arguments.has("--claim")) return run_claim(arguments, *catalogue, world);
  report::GpusDocument document;
  for (const std::string& name : arguments.positionals) {
    auto added = add_named(document, *catalogue, name, arguments.positionals.size() > 1);
    if (!added) return refuse(added.error(), world);
  }
  if (document.asked.empty()) {
    for (const facts::Accelerator& card : catalogue->accelerators()) {
      document.cards.push_back(&card);
    }
  }
  if (arguments.has("--names")) {
    std::string names;
    for (const facts::Accelerator* card : document.cards) names += card->name + "\n";
    return world.out(names) ? exit_yes : refuse_output("standard output", world);
  }
  auto outputs = Outputs::open(arguments, world);
  if (!outputs) return refuse(outputs.error(), world);
  const auto text = [&] { return report::gpus_text(document); };
  return outputs->write({.text = text,
                         .json = [&] { return report::gpus_json(document); },
                         .csv = [&] { return as_csv(document); },
                         .markdown = [&] { return "```\n" + text() + "```\n"; }},
                        exit_yes, world);
}

}  // namespace steelyard::cli

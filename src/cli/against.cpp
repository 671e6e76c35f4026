#include "cli/against.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "against/against.h"
#include "cli/model_of.h"
#include "cli/output.h"
#include "cli/pipeline.h"
#include "cli/request.h"
#include "cli/settings_of_log.h"
#include "cli/verbs.h"
#include "report/report.h"

namespace steelyard::cli {
namespace {

using logs::Setting;
using logs::Term;

Result<logs::StartupLog> read_piecewise(World& world, const std::string& path,
                                        logs::Reader& reader) {
  constexpr std::uint64_t piece = 1U << 20;
  for (std::uint64_t offset = 0;;) {
    auto bytes = world.files.read(path, offset, piece);
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->empty()) return reader.finish();
    if (auto read = reader.feed(*bytes); !read) return std::unexpected(read.error());
    offset += bytes->size();
  }
}

Result<logs::StartupLog> read_log(const Arguments& arguments, World& world) {
  const std::string path = arguments.value("--against");
  std::optional<logs::Program> only;
  if (arguments.has("--engine")) {
    auto engine = memory::parse_engine(arguments.value("--engine"));
    if (!engine) return std::unexpected(engine.error());
    only = program_of(engine->kind);
    if (!only) {
      return fail(
          {.kind = ErrorKind::unsupported,
           .what = fmt::format("logs of {} are not read", memory::engine_name(engine->kind)),
           .field = "--engine",
           .try_this = "logs of vllm, sglang, llama.cpp and ollama are"});
    }
  }
  logs::Reader reader(only);
  const auto named = [&](Error error) { return std::unexpected(std::move(error).in_file(path)); };
  if (path == "-") {
    constexpr std::uint64_t most = std::uint64_t{1} << 28;
    auto text = world.in(most);
    if (!text) return std::unexpected(text.error());
    if (auto read = reader.feed(*text); !read) return named(read.error());
    auto log = reader.finish();
    return log ? std::move(log) : Result<logs::StartupLog>(named(log.error()));
  }
  if (world.files.kind(path) == os::EntryKind::folder) {
    return named(
        {.kind = ErrorKind::bad_input,
         .what = "it is a folder, not a log",
         .try_this = "name the file the engine's output went to, or - for standard input"});
  }
  auto log = read_piecewise(world, path, reader);
  return log ? std::move(log) : Result<logs::StartupLog>(named(log.error()));
}

Status check_arguments(const Arguments& arguments) {
  const std::string mode = lower(arguments.value("--mode"));
  if (!mode.empty() && mode != "serve") {
    return fail(
        {.kind = ErrorKind::unsupported,
         .what = fmt::format("--against compares the start of a server, not --mode {}", mode),
         .field = "--against",
         .try_this = "leave --mode out"});
  }
  for (const Option& option : training_options) {
    if (!arguments.has(option.name)) continue;
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("{} is of training, the log is of a server", option.name),
                 .field = std::string(option.name),
                 .try_this = "leave it out"});
  }
  if (arguments.all("--gpu").size() > 1) {
    return fail({.kind = ErrorKind::usage,
                 .what = "a log is of one machine, several cards are named to compare",
                 .field = "--gpu",
                 .try_this = "name the card the log is of"});
  }
  return {};
}

// CUDA's total, or what was free before the weights where only that is printed.
void take_logged_memory(const logs::StartupLog& log, memory::CardMemory& card) {
  const logs::Amount* total = log.amount(Term::card_total);
  if (total == nullptr) return;
  card.usable = ByteFigure::banded(total->bytes, total->bytes - total->rounding,
                                   total->bytes + total->rounding, Origin::measured);
  card.basis = fmt::format("what the log prints as its total (line {})", total->line);
}

// A card that only the log knows.
std::optional<memory::CardMemory> logged_card(const logs::StartupLog& log) {
  const logs::Amount* size = log.amount(Term::card_total);
  if (size == nullptr) size = log.amount(Term::card_free);
  if (size == nullptr) return std::nullopt;
  memory::CardMemory card;
  const logs::Option* name = log.option(Setting::device);
  card.name = name == nullptr ? "the card of the log" : name->value;
  card.usable = ByteFigure::banded(size->bytes, size->bytes - size->rounding,
                                   size->bytes + size->rounding, Origin::measured);
  card.basis = fmt::format("as logged (line {})", size->line);
  const bool metal = size->where.starts_with("Metal") || size->where.starts_with("MTL");
  const bool cuda = size->where.starts_with("CUDA");
  card.vendor = metal ? "Apple" : size->where.starts_with("ROCm") ? "AMD" : cuda ? "NVIDIA" : "";
  return card;
}

Result<std::optional<memory::CardMemory>> card_of(const Arguments& arguments,
                                                  const facts::Catalogue& catalogue,
                                                  const logs::StartupLog& log) {
  auto choices = card_choices(arguments, catalogue);
  if (!choices) return std::unexpected(choices.error());
  if (choices->empty()) {
    // SGLang's free memory is no total: what the context took is not in it.
    if (log.program == logs::Program::sglang) return std::optional<memory::CardMemory>();
    return logged_card(log);
  }
  memory::CardMemory card = choices->front().memory.front();
  card.count = choices->front().count;
  take_logged_memory(log, card);
  return std::optional(card);
}

int exit_code(const Arguments& arguments, const against::Comparison& comparison) {
  if (lower(arguments.value("--fail-on")) == "never") return exit_yes;
  switch (comparison.standing) {
    case against::Standing::agrees:
      return exit_yes;
    case against::Standing::off:
      return exit_no;
    case against::Standing::open:
      return exit_could_not_answer;
  }
  return exit_could_not_answer;
}

// The start as these options tell it. `card`: empty where neither user nor log knows one.
Result<memory::Request> request_of(const Arguments& arguments, const model::Model& model,
                                   const logs::StartupLog& log, std::uint32_t cards,
                                   std::optional<memory::CardMemory> card,
                                   std::shared_ptr<const model::Model> draft) {
  auto request = read_request(arguments, model, cards, card ? &*card : nullptr);
  if (!request) return request;
  request->draft = std::move(draft);
  if (card) {
    const std::uint64_t needs =
        saturating_mul(request->placement.cards_per_replica(), request->placement.dp);
    card->count = std::max(cards, u32(needs));
    request->card = std::move(card);
  }
  if (log.program == logs::Program::sglang) {
    if (const logs::Amount* free = log.amount(Term::card_free)) {
      request->workload.free_before_load = free->bytes;
    }
  }
  return request;
}

// What each setting of the log moved: the pool that would be predicted with the default instead.
template <typename Ask>
void add_effects(const Arguments& merged, const memory::Answer& full, Ask ask,
                 std::vector<against::Taken>& taken) {
  const memory::Capacity& base = full.capacity;
  if (!base.kv_tokens || base.kv_bytes.value.value() == 0) return;
  for (against::Taken& one : taken) {
    if (one.name == "--engine" || one.name == "--context") continue;
    Arguments without = merged;
    without.values.erase(one.name);
    const Result<memory::Answer> answer = ask(without);
    if (!answer || !answer->capacity.kv_tokens) continue;
    const double pool = answer->capacity.kv_bytes.value.as_double();
    const double tokens = *answer->capacity.kv_tokens;
    const bool moved = std::abs(pool / base.kv_bytes.value.as_double() - 1) > 0.005 ||
                       std::abs(tokens / *base.kv_tokens - 1) > 0.005;
    if (!moved) continue;
    one.pool_without = answer->capacity.kv_bytes.value;
    one.tokens_without = tokens;
  }
}

Result<against::Comparison> compared(const Arguments& arguments, World& world,
                                     const model::Model& model, const FromLog& from,
                                     const logs::StartupLog& log) {
  auto catalogue = load_catalogue(arguments, world);
  if (!catalogue) return std::unexpected(catalogue.error());
  auto card = card_of(from.arguments, *catalogue, log);
  if (!card) return std::unexpected(card.error());
  const std::uint32_t cards = std::max(*card ? (*card)->count : 1, from.cards);
  std::shared_ptr<const model::Model> draft_model;
  if (arguments.has("--draft")) {
    auto draft = model_of(arguments, world, arguments.value("--draft"));
    if (!draft) return std::unexpected(draft.error());
    draft_model = std::make_shared<const model::Model>(std::move(*draft));
  }
  const auto request_with = [&](const Arguments& options) {
    return request_of(options, model, log, cards, *card, draft_model);
  };
  auto request = request_with(from.arguments);
  if (!request) return std::unexpected(request.error());
  std::vector<against::Conflict> conflicts = from.conflicts;
  if (const logs::Option* tp = log.option(Setting::tp);
      tp != nullptr && *card && (*card)->count > 1 && request->card->count != (*card)->count) {
    conflicts.push_back({"--gpu", arguments.value("--gpu"),
                         fmt::format("{} cards", request->card->count), tp->line});
  }
  auto comparison = against::compare({.model = model,
                                      .request = *request,
                                      .log = log,
                                      .question = from.question,
                                      .conflicts = std::move(conflicts),
                                      .taken = from.taken});
  const bool pooled = log.program == logs::Program::vllm || log.program == logs::Program::sglang;
  if (!comparison || !pooled) return comparison;
  const auto answer_with = [&](const Arguments& options) -> Result<memory::Answer> {
    auto other = request_with(options);
    if (!other) return std::unexpected(other.error());
    return memory::size(model, *other);
  };
  add_effects(from.arguments, comparison->predicted, answer_with, comparison->taken);
  return comparison;
}

}  // namespace

int run_against(const Arguments& arguments, World& world) {
  if (auto good = check_arguments(arguments); !good) return refuse(good.error(), world);
  const std::string& name = arguments.positionals[0];
  if (pipeline_named(world, name) != nullptr) {
    return refuse({.kind = ErrorKind::unsupported,
                   .what = fmt::format("{} is an image or video model: the engines whose logs are "
                                       "read do not serve it",
                                       name),
                   .field = "--against",
                   .try_this = "name the language model that the log is of"},
                  world);
  }
  auto log = read_log(arguments, world);
  if (!log) return refuse(log.error(), world);
  auto from = settings_of_log(arguments, *log);
  if (!from) return refuse(from.error(), world);
  // A plain MODEL is weighed in the format that the log loads.
  const auto plain = model_of(arguments, world, name);
  if (!plain) return refuse(plain.error(), world);
  if (plain->quantisation.method.empty()) take_weights(*log, *from);
  auto model = weighed_model(from->arguments, world, name);
  if (!model) return refuse(model.error(), world);
  auto outputs = Outputs::open(arguments, world);
  if (!outputs) return refuse(outputs.error(), world);
  auto comparison = compared(arguments, world, *model, *from, *log);
  if (!comparison) {
    const bool of_log = comparison.error().kind == ErrorKind::bad_input;
    return refuse(of_log ? std::move(comparison.error()).in_file(arguments.value("--against"))
                         : comparison.error(),
                  world);
  }
  const report::AgainstDocument document{.model = *model,
                                         .argument = name,
                                         .log = arguments.value("--against"),
                                         .comparison = *comparison};
  const report::TextStyle style{.color = use_color(arguments, world),
                                .quiet = arguments.has("--quiet"),
                                .explain = arguments.has("--explain")};
  const auto text = [&] { return report::against_text(document, style); };
  return outputs->write({.text = text,
                         .json = [&] { return report::against_json(document); },
                         .csv = [&] { return report::against_csv(document); },
                         .markdown = [&] { return "```\n" + text() + "```\n"; }},
                        exit_code(arguments, *comparison), world);
}

}  // namespace steelyard::cli

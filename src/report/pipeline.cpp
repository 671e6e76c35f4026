#include "report/pipeline.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/words.h"
#include "report/wrap.h"

namespace steelyard::report {
namespace {

using Json = nlohmann::ordered_json;
using memory::Verdict;

Bytes free_of(const memory::CardMemory& card) {
  const Bytes usable = card.usable.value;
  return usable > card.in_use ? usable - card.in_use : Bytes(0);
}

Bytes largest_bytes(const model::Pipeline& pipeline) {
  return pipeline.largest().bytes.value_or(Bytes(0));
}

std::string card_line(const PipelineCard& one) {
  const bool no = one.verdict() == Verdict::does_not_fit;
  const Word how = no                  ? Word::pipeline_no
                   : one.holds_all()   ? Word::pipeline_all
                   : one.holds_known() ? Word::pipeline_known
                                       : Word::pipeline_one;
  return wrapped(fmt::format("{}  {}: {} usable; {}", say(no ? Word::no : Word::pipeline_open),
                             one.card.name, format_bytes(free_of(one.card)), say(how)),
                 0, 6) +
         "\n";
}

}  // namespace

Verdict PipelineCard::verdict() const {
  return largest_bytes(pipeline) > free_of(card) ? Verdict::does_not_fit : Verdict::not_established;
}

bool PipelineCard::holds_known() const {
  return pipeline.known_bytes() <= free_of(card);
}

bool PipelineCard::holds_all() const {
  return pipeline.complete() && holds_known();
}

std::string pipeline_text(const PipelineDocument& document) {
  const model::Pipeline& pipeline = document.pipeline;
  std::string text;
  for (const PipelineCard& one : document.cards) text += card_line(one);
  text += fmt::format("{}{}\n\n", text.empty() ? "" : "\n", pipeline.name);
  for (const model::Component& part : pipeline.components) {
    text += fmt::format("  {:<20} {:>9}  {:<5} {}\n", part.role,
                        part.bytes ? format_bytes(*part.bytes) : "-", part.format, part.file);
    text += fmt::format("  {:<20} {:>9}  {:<5} [{}: {}]\n", "", "", "",
                        !part.bytes    ? "not known"
                        : part.rounded ? "rounded"
                                       : "size of the file",
                        part.source);
  }
  text += fmt::format("\n  {:<20} {:>9}{}\n", "all at once", format_bytes(pipeline.known_bytes()),
                      pipeline.complete() ? "" : "  without the components of unknown size");
  if (pipeline.components.size() > 1) {
    text += fmt::format("  {:<20} {:>9}  the others wait in host memory\n", "largest alone",
                        format_bytes(largest_bytes(pipeline)));
  }
  text += "\n";
  return text + wrapped(fmt::format("{}: {}", say(Word::note), say(Word::pipeline_unknown)), 0, 6) +
         "\n";
}

std::string pipeline_json(const PipelineDocument& document) {
  const model::Pipeline& pipeline = document.pipeline;
  Json json = {{"schema", "steelyard.pipeline/1"},
               {"name", pipeline.name},
               {"complete", pipeline.complete()},
               {"known_bytes", pipeline.known_bytes().value()},
               {"largest_bytes", largest_bytes(pipeline).value()},
               {"activation_bytes", nullptr},
               {"activation_bytes_reason", say(Word::pipeline_unknown)}};
  json["components"] = Json::array();
  for (const model::Component& part : pipeline.components) {
    Json item = {{"role", part.role},       {"file", part.file},     {"format", part.format},
                 {"rounded", part.rounded}, {"source", part.source}, {"bytes", nullptr}};
    if (part.bytes) {
      item["bytes"] = part.bytes->value();
    } else {
      item["bytes_reason"] = part.source;
    }
    json["components"].push_back(std::move(item));
  }
  json["cards"] = Json::array();
  for (const PipelineCard& one : document.cards) {
    json["cards"].push_back({{"name", one.card.name},
                             {"count", one.card.count},
                             {"verdict", verdict_word(one.verdict())},
                             {"usable_bytes", one.card.usable.value.value()},
                             {"free_bytes", free_of(one.card).value()},
                             {"holds_all_components", one.holds_all()}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string pipeline_csv(const PipelineDocument& document) {
  std::string text = "pipeline,role,file,format,bytes,rounded,source\n";
  for (const model::Component& part : document.pipeline.components) {
    text += fmt::format("{},{},{},{},{},{},{}\n", csv_cell(document.pipeline.name),
                        csv_cell(part.role), csv_cell(part.file), csv_cell(part.format),
                        part.bytes ? std::to_string(part.bytes->value()) : "",
                        part.rounded ? "yes" : "no", csv_cell(part.source));
  }
  return text;
}

}  // namespace steelyard::report

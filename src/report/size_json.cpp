// The document of `size`, schema steelyard.size/1 (data/schemas/steelyard.size.1.json).
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "report/quality.h"
#include "report/size.h"

namespace steelyard::report {
namespace {

using Json = nlohmann::ordered_json;

Json figure(const ByteFigure& f) {
  return {{"value", f.value.value()},
          {"origin", origin_word(f.origin)},
          {"low", f.low.value()},
          {"high", f.high.value()}};
}

// A figure that follows from `basis`, the pool or the room: its band and origin are those.
void add_derived(Json& target, const std::string& name, const std::optional<double>& value,
                 const memory::Capacity& room, const ByteFigure& basis) {
  if (!value) {
    target[name] = nullptr;
    target[name + "_reason"] = room.reason.empty() ? "the engine's pool is not known" : room.reason;
    return;
  }
  const double pool = basis.value.as_double();
  const double low = pool > 0 ? basis.low.as_double() / pool : 1;
  const double high = pool > 0 ? basis.high.as_double() / pool : 1;
  target[name] = {{"value", *value},
                  {"origin", origin_word(basis.origin)},
                  {"low", *value * low},
                  {"high", *value * high}};
}

Json quality_json(const std::string& format, const facts::Quality& quality) {
  return {{"format", format},
          {"sentence", quality.sentence},
          {"source", quality.source},
          {"confidence", quality.confidence}};
}

// Of the weights; the cache's stands inside, where it has one of its own.
void add_quality(Json& json, const FormatQuality& quality) {
  if (!quality.weights_quality) {
    json["quality"] = nullptr;
    json["quality_reason"] =
        fmt::format("no measurement of {} with a source is in the catalogue", quality.weights);
    return;
  }
  json["quality"] = quality_json(quality.weights, *quality.weights_quality);
  if (quality.cache_quality) {
    json["quality"]["kv"] = quality_json(quality.cache, *quality.cache_quality);
  } else {
    json["quality"]["kv"] = nullptr;
    json["quality"]["kv_reason"] = fmt::format(
        "no measurement of a {} cache with a source is in the catalogue", quality.cache);
  }
}

std::string_view reading_word(model::Reading reading) {
  switch (reading) {
    case model::Reading::config:
      return "config";
    case model::Reading::safetensors:
      return "safetensors";
    case model::Reading::gguf:
      return "gguf";
    case model::Reading::catalogue:
      return "catalogue";
    case model::Reading::typical_shape:
      return "typical_shape";
    case model::Reading::catalogue_and_header:
      return "config_and_safetensors";
  }
  return "config";
}

Json model_json(const model::Model& model) {
  Json json = {{"name", model.name},
               {"parameters", model.parameters()},
               {"active_parameters", model.active_parameters()},
               {"reading", reading_word(model.reading)},
               {"source", model.source},
               {"architecture", model.architecture},
               {"layers", model.layers.size()},
               {"hidden", model.hidden},
               {"vocabulary", model.vocab},
               {"max_context_tokens", model.max_context},
               {"weight_bytes", model.weight_bytes().value()},
               {"quantisation", model.quantisation.method},
               {"notes", model.notes}};
  if (model.fetched) {
    json["fetched"] = {{"requests", model.fetched->requests}, {"bytes", model.fetched->bytes}};
  }
  json["not_established"] = model.not_established.empty() ? Json() : Json(model.not_established);
  if (model.not_established.empty()) json["not_established_reason"] = "everything was established";
  return json;
}

Json card_json(const SizeCase& one) {
  const memory::CardMemory& card = *one.answer.card;
  Json json = {{"name", card.name},          {"asked", one.asked},
               {"count", card.count},        {"usable_bytes_per_card", figure(card.usable)},
               {"basis", card.basis},        {"bytes_in_use", card.in_use.value()},
               {"assumed", one.card_assumed}};
  if (one.card != nullptr) {
    json["id"] = one.card->id;
    json["sold_as_gb"] = one.card->sold_as_gb;
  }
  json["variants"] = Json::array();
  for (const VariantAnswer& other : one.variants) {
    json["variants"].push_back({{"name", other.name},
                                {"verdict", verdict_word(other.verdict)},
                                {"free_bytes", other.free.value.value()}});
  }
  return json;
}

Json rank_json(const memory::Rank& rank) {
  Json terms = Json::array();
  for (const memory::Term& term : rank.terms) {
    Json item = {{"name", term.name},
                 {"bytes", term.bytes.value.value()},
                 {"origin", origin_word(term.bytes.origin)},
                 {"formula", term.formula}};
    if (term.bytes.low != term.bytes.high) {
      item["low"] = term.bytes.low.value();
      item["high"] = term.bytes.high.value();
    }
    terms.push_back(std::move(item));
  }
  Json json = {{"rank", rank.name},
               {"repeats", rank.repeats},
               {"terms", std::move(terms)},
               {"total_bytes", rank.total.value.value()},
               {"total_low_bytes", rank.total.low.value()},
               {"total_high_bytes", rank.total.high.value()},
               {"free_bytes", rank.free.value.value()},
               {"host_bytes", rank.host.value()}};
  if (rank.reserved) json["reserved_bytes"] = figure(*rank.reserved);
  if (rank.process) json["process_bytes"] = figure(*rank.process);
  return json;
}

Json training_json(const memory::Answer& answer) {
  const memory::TrainingFigures& run = *answer.training;
  Json json = {{"method", word_of(run.method)},
               {"framework", word_of(run.framework)},
               {"peak_phase", run.phase},
               {"sequence_tokens", answer.context},
               {"all_cards_bytes", run.all_cards.value()}};
  const auto add = [&](const std::string& name, const std::optional<std::uint64_t>& value) {
    json[name] = value ? Json(*value) : Json();
    if (!value) {
      json[name + "_reason"] =
          answer.card ? "not even one fits" : "no --gpu was given, so no room is known";
    }
  };
  add("largest_micro_batch", run.largest_micro_batch);
  add("longest_sequence_tokens", run.longest_sequence);
  json["rules_of_thumb"] = Json::array();
  for (const memory::TrainingRule& rule : run.rules) {
    json["rules_of_thumb"].push_back(
        {{"rule", rule.rule}, {"bytes", rule.bytes.value()}, {"verdict", rule.verdict}});
  }
  return json;
}

Json engine_json(const memory::Answer& answer) {
  if (answer.training) {
    return {{"name", word_of(answer.training->framework)},
            {"version", nullptr},
            {"version_reason", "one set of rules is known for each framework"}};
  }
  Json json = {{"name", engine_name(answer.engine.kind)}};
  if (answer.engine.version) {
    json["version"] = answer.engine.version->text;
  } else {
    json["version"] = nullptr;
    json["version_reason"] = "not given; the newest rules known are used";
  }
  return json;
}

Json placement_json(const memory::Placement& p) {
  return {{"tp", p.tp},  {"pp", p.pp}, {"dp", p.dp},
          {"ep", p.ep},  {"cp", p.cp}, {"attention_dp", p.attention_dp},
          {"dcp", p.dcp}};
}

Json alternatives_json(const SizeCase& one) {
  Json list = Json::array();
  for (const memory::Alternative& other : one.alternatives) {
    list.push_back({{"change", other.change},
                    {"verdict", verdict_word(other.answer.verdict)},
                    {"placement", placement_json(other.answer.placement)},
                    {"total_bytes", other.answer.binding().total.value.value()},
                    {"free_bytes", other.answer.binding().free.value.value()}});
    if (!other.cost.empty()) list.back()["cost"] = other.cost;
  }
  for (const pick::CardFit& fit : one.smallest) {
    Json also = Json::array();
    for (const facts::Accelerator* card : fit.also) also.push_back(card->name);
    Json row = {{"change", "card"},
                {"card", fit.card->name},
                {"count", fit.count},
                {"verdict", verdict_word(fit.answer.verdict)},
                {"placement", placement_json(fit.answer.placement)},
                {"total_bytes", fit.answer.binding().total.value.value()},
                {"free_bytes", fit.answer.binding().free.value.value()},
                {"also", std::move(also)}};
    if (!fit.with.empty()) row["with"] = fit.with;
    if (!fit.note.empty()) row["note"] = fit.note;
    list.push_back(std::move(row));
  }
  return list;
}

Json case_json(const SizeDocument& document, const SizeCase& one) {
  const memory::Answer& answer = one.answer;
  Json json = {{"schema", "steelyard.size/1"},
               {"verdict", verdict_word(answer.verdict)},
               {"reason", answer.reason},
               {"model", model_json(document.model)},
               {"engine", engine_json(answer)}};
  if (answer.card) {
    json["card"] = card_json(one);
    json["budget_bytes_per_card"] = figure(answer.budget);
  } else {
    json["card"] = nullptr;
    json["card_reason"] = "no --gpu was given";
  }
  json["placement"] = placement_json(answer.placement);
  json["memory"] = Json::array();
  for (const memory::Rank& rank : answer.ranks) json["memory"].push_back(rank_json(rank));
  Json capacity = Json::object();
  if (answer.card && !answer.training) {
    capacity["kv_bytes"] = figure(answer.capacity.kv_bytes);
  } else {
    capacity["kv_bytes"] = nullptr;
    capacity["kv_bytes_reason"] = answer.training ? answer.capacity.reason : "no card, so no pool";
  }
  const memory::Capacity& room = answer.capacity;
  const ByteFigure& sought = room.sought_in ? *room.sought_in : room.kv_bytes;
  add_derived(capacity, "kv_tokens", room.kv_tokens, room, room.kv_bytes);
  add_derived(capacity, "kv_tokens_printed", room.kv_tokens_printed, room, room.kv_bytes);
  add_derived(capacity, "max_concurrency", room.max_concurrency, room, sought);
  add_derived(capacity, "max_context_tokens", room.max_context_tokens, room, sought);
  json["capacity"] = std::move(capacity);
  add_quality(json, quality_of(document.model, one.request));
  RuleOfThumb rule = rule_of_thumb(document.model, answer);
  if (answer.training && !answer.training->rules.empty()) {
    const memory::TrainingRule& first = answer.training->rules.front();
    rule = {first.rule, first.bytes, first.verdict};
  }
  json["rule_of_thumb"] = {
      {"rule", rule.rule}, {"bytes", rule.bytes.value()}, {"verdict", rule.verdict}};
  json["alternatives"] = alternatives_json(one);
  json["assumptions"] = Json::array();
  for (const memory::Assumption& item : answer.assumptions) {
    json["assumptions"].push_back(
        {{"name", item.name}, {"value", item.value}, {"origin", origin_word(item.origin)}});
  }
  json["warnings"] = answer.warnings;
  json["launch"] = answer.launch;
  if (answer.training) json["training"] = training_json(answer);
  if (!answer.buffers.empty()) {
    json["buffers"] = Json::array();
    for (const memory::Buffer& buffer : answer.buffers) {
      json["buffers"].push_back({{"device", buffer.device},
                                 {"kind", buffer.kind},
                                 {"bytes", buffer.bytes.value.value()},
                                 {"origin", origin_word(buffer.bytes.origin)},
                                 {"low", buffer.bytes.low.value()},
                                 {"high", buffer.bytes.high.value()}});
    }
  }
  return json;
}

}  // namespace

std::string size_json(const SizeDocument& document) {
  if (document.cases.empty()) return "{}\n";
  Json json = case_json(document, document.cases.front());
  if (document.cases.size() > 1) {
    json["comparison"] = Json::array();
    for (const SizeCase& one : document.cases)
      json["comparison"].push_back(case_json(document, one));
  }
  // Names and paths come from outside and need not be UTF-8: replaced, never thrown over.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard::report

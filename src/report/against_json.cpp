// The document of `size --against`, schema steelyard.against/1, and its table.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/against.h"

namespace steelyard::report {
namespace {

using Json = nlohmann::ordered_json;
using against::Unit;

std::string_view unit_word(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "bytes";
    case Unit::tokens:
      return "tokens";
    case Unit::sequences:
      return "sequences";
  }
  return "bytes";
}

Json number(double value, Unit unit) {
  if (unit == Unit::bytes) return bytes_from(value).value();
  return value;
}

Json row_json(const against::Row& row) {
  Json json = {{"name", row.name},
               {"where", row.where},
               {"unit", unit_word(row.unit)},
               {"logged", number(row.logged, row.unit)},
               {"rounding", number(row.rounding, row.unit)},
               {"line", row.line},
               {"words", row.words},
               {"standing", standing_word(row.standing)}};
  if (row.predicted) {
    json["predicted"] = {{"value", number(*row.predicted, row.unit)},
                         {"origin", origin_word(row.origin)},
                         {"low", number(row.low, row.unit)},
                         {"high", number(row.high, row.unit)}};
    json["off"] = row.off();
  } else {
    json["predicted"] = nullptr;
    json["predicted_reason"] = row.why.empty() ? "nothing is predicted for it" : row.why;
  }
  json["why"] = row.why;
  return json;
}

template <typename T>
void add_optional(Json& json, const std::string& name, const std::optional<T>& value,
                  const std::string& reason) {
  if (value) {
    json[name] = *value;
    return;
  }
  json[name] = nullptr;
  json[name + "_reason"] = reason.empty() ? "not known" : reason;
}

Json room_json(const against::Room& room) {
  const auto bytes = [](const std::optional<Bytes>& value) {
    return value ? std::optional(value->value()) : std::nullopt;
  };
  Json json = {{"context", room.context}, {"concurrency", room.concurrency}};
  add_optional(json, "kv_bytes", bytes(room.pool), room.reason);
  add_optional(json, "kv_tokens", room.tokens, room.reason);
  add_optional(json, "max_concurrency", room.sequences, room.reason);
  add_optional(json, "max_concurrency_with_slots", room.with_slots,
               "slots have no part in this engine's pool");
  add_optional(json, "max_context_tokens", room.longest, room.reason);
  add_optional(json, "started_for_tokens",
               room.started_for > 0 ? std::optional(room.started_for) : std::nullopt,
               "the log does not say it");
  const std::string alone = "the pool is not predicted: no card is known";
  add_optional(json, "predicted_kv_tokens", room.predicted_tokens, alone);
  add_optional(json, "predicted_max_concurrency", room.predicted_sequences, alone);
  const std::string pool = "the log does not say what is free";
  add_optional(json, "left_bytes", bytes(room.left), pool);
  add_optional(json, "left_tokens", room.more_tokens, pool);
  return json;
}

Json log_json(const AgainstDocument& document) {
  const logs::StartupLog& log = document.comparison.log;
  Json json = {{"file", document.log},
               {"engine", logs::program_name(log.program)},
               {"first_line", log.first_line},
               {"starts", log.starts}};
  add_optional(json, "version", log.version.empty() ? std::nullopt : std::optional(log.version),
               "the log does not say it");
  return json;
}

}  // namespace

std::string against_json(const AgainstDocument& document) {
  const against::Comparison& comparison = document.comparison;
  Json json = {{"schema", "steelyard.against/1"},
               {"standing", standing_word(comparison.standing)},
               {"reason", comparison.reason},
               {"model", {{"name", document.model.name}, {"argument", document.argument}}},
               {"log", log_json(document)}};
  const memory::Placement& place = comparison.predicted.placement;
  json["placement"] = {
      {"tp", place.tp}, {"pp", place.pp}, {"dp", place.dp}, {"ep", place.ep}, {"cp", place.cp}};
  json["figures"] = Json::array();
  for (const against::Row& row : comparison.rows) json["figures"].push_back(row_json(row));
  json["capacity"] = room_json(comparison.room);
  json["conflicts"] = Json::array();
  for (const against::Conflict& one : comparison.conflicts) {
    json["conflicts"].push_back(
        {{"option", one.option}, {"given", one.given}, {"logged", one.logged}, {"line", one.line}});
  }
  json["from_log"] = Json::array();
  for (const against::Taken& one : comparison.taken) {
    Json item = {{"option", one.name}, {"value", one.value}, {"line", one.line}};
    if (one.tokens_without) item["kv_tokens_without"] = *one.tokens_without;
    if (one.pool_without) item["kv_bytes_without"] = one.pool_without->value();
    json["from_log"].push_back(std::move(item));
  }
  json["assumptions"] = Json::array();
  for (const memory::Assumption& item : comparison.predicted.assumptions) {
    json["assumptions"].push_back(
        {{"name", item.name}, {"value", item.value}, {"origin", origin_word(item.origin)}});
  }
  json["warnings"] = comparison.predicted.warnings;
  json["notes"] = comparison.notes;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string against_csv(const AgainstDocument& document) {
  std::string text = "name,where,unit,logged,predicted,low,high,standing,line,why\n";
  for (const against::Row& row : document.comparison.rows) {
    const auto cell = [&](double value) {
      return row.predicted ? number(value, row.unit).dump() : std::string();
    };
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_cell(row.name), csv_cell(row.where),
                        unit_word(row.unit), number(row.logged, row.unit).dump(),
                        cell(row.predicted.value_or(0)), cell(row.low), cell(row.high),
                        standing_word(row.standing), row.line, csv_cell(row.why));
  }
  return text;
}

}  // namespace steelyard::report

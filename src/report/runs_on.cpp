#include "report/runs_on.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace steelyard::report {
namespace {

std::string size_label(std::uint64_t parameters) {
  return parameters >= 1'000'000'000
             ? fmt::format("{:.1f} B", static_cast<double>(parameters) / 1e9)
             : fmt::format("{:.0f} M", static_cast<double>(parameters) / 1e6);
}

std::string users_label(const memory::Capacity& room) {
  if (!room.max_concurrency) return "-";
  return *room.max_concurrency >= 10 ? fmt::format("{:.0f}", *room.max_concurrency)
                                     : fmt::format("{:.1f}", *room.max_concurrency);
}

}  // namespace

std::string runs_on_text(const RunsOnDocument& document, std::size_t limit) {
  std::string text = fmt::format("{}\n{} of {} catalogue models run with {}, largest first\n\n",
                                 document.card, document.rows.size(), document.looked_at,
                                 engine_name(document.request.engine.kind));
  text += fmt::format("  {:<46} {:>9} {:<8} {:>10} {:>10} {:>6}\n", "model", "size", "format",
                      "needs", "free", "users");
  std::size_t shown = 0;
  for (const pick::ModelFit& row : document.rows) {
    if (limit > 0 && shown++ == limit) break;
    const memory::Rank& rank = row.answer.binding();
    text += fmt::format("  {:<46} {:>9} {:<8} {:>10} {:>10} {:>6}\n", row.name.substr(0, 46),
                        size_label(row.parameters), row.format.substr(0, 8),
                        format_bytes(rank.total.value), format_bytes(rank.free.value),
                        users_label(row.answer.capacity));
  }
  if (limit > 0 && document.rows.size() > limit) {
    text += fmt::format("  ... {} more: steelyard models --gpu NAME -v, or --json\n",
                        document.rows.size() - limit);
  }
  text +=
      "\nusers: sequences of this context at once. `steelyard size MODEL --gpu NAME` shows the "
      "sum.\n";
  return text;
}

std::string runs_on_json(const RunsOnDocument& document) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "steelyard.models/1"},
               {"card", document.card},
               {"engine", engine_name(document.request.engine.kind)},
               {"looked_at", document.looked_at}};
  json["models"] = Json::array();
  for (const pick::ModelFit& row : document.rows) {
    const memory::Rank& rank = row.answer.binding();
    Json item = {{"name", row.name},
                 {"parameters", row.parameters},
                 {"active_parameters", row.active_parameters},
                 {"format", row.format},
                 {"verdict", verdict_word(row.answer.verdict)},
                 {"total_bytes", rank.total.value.value()},
                 {"free_bytes", rank.free.value.value()}};
    if (row.answer.capacity.max_concurrency) {
      item["max_concurrency"] = *row.answer.capacity.max_concurrency;
    } else {
      item["max_concurrency"] = nullptr;
      item["max_concurrency_reason"] =
          row.answer.capacity.reason.empty() ? "not known" : row.answer.capacity.reason;
    }
    json["models"].push_back(std::move(item));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string runs_on_csv(const RunsOnDocument& document) {
  std::string text = "model,parameters,active_parameters,format,verdict,total_bytes,free_bytes\n";
  for (const pick::ModelFit& row : document.rows) {
    const memory::Rank& rank = row.answer.binding();
    text +=
        fmt::format("{},{},{},{},{},{},{}\n", csv_cell(row.name), row.parameters,
                    row.active_parameters, csv_cell(row.format), verdict_word(row.answer.verdict),
                    rank.total.value.value(), rank.free.value.value());
  }
  return text;
}

}  // namespace steelyard::report

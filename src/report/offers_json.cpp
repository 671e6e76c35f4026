#include <nlohmann/json.hpp>

#include "report/offers.h"

namespace steelyard::report {
namespace {

using Json = nlohmann::ordered_json;

void put(Json& to, const std::string& name, const std::optional<double>& value) {
  if (value) {
    to[name] = *value;
  } else {
    to[name] = nullptr;
    to[name + "_reason"] = "not in the price list";
  }
}

Json money(const offers::Money& m) {
  return {{"amount", m.amount}, {"currency", m.currency}};
}

Json row_json(const OfferRow& row) {
  const offers::Offer& o = row.offer;
  Json json = {{"provider", o.provider},
               {"region", o.region},
               {"instance", o.instance},
               {"sold_as", o.card},
               {"count", o.count},
               {"tier", o.tier},
               {"price", money(o.price)},
               {"per", o.monthly ? "month" : "hour"},
               {"per_card_hour", money(o.per_card_hour())},
               {"date", offers::date_text(o.date)},
               {"history", row.history},
               {"superseded", row.superseded}};
  if (row.card != nullptr) {
    json["card"] = row.card->name;
  } else {
    json["card"] = nullptr;
    json["card_reason"] = "the catalogue lacks this card";
  }
  put(json, "memory_gb", o.memory_gb);
  put(json, "vcpu", o.vcpu);
  put(json, "host_memory_gb", o.host_memory_gb);
  json["link"] = o.link;
  json["sla"] = o.sla;
  json["source"] = o.source;
  json["note"] = o.note;
  return json;
}

Json instance_json(const offers::Instance& one) {
  Json json = {{"provider", one.provider},     {"name", one.name},
               {"family", one.family},         {"card", one.card},
               {"confidence", one.confidence}, {"source", one.source}};
  put(json, "count", one.count > 0 ? std::optional<double>(one.count) : std::nullopt);
  put(json, "memory_gb", one.memory_gb);
  put(json, "vcpu", one.vcpu);
  put(json, "host_memory_gb", one.host_memory_gb);
  if (!one.inferred.empty()) json["inferred"] = one.inferred;
  return json;
}

}  // namespace

std::string offers_json(const OffersDocument& document) {
  Json json = {{"schema", "steelyard.offers/1"},
               {"as_of", offers::date_text(document.as_of)},
               {"left_out_as_history", document.left_out},
               {"left_out_as_superseded", document.left_out_superseded},
               {"left_out_as_later", document.left_out_later}};
  if (!document.none.empty()) json["none_reason"] = document.none;
  if (document.instance) {
    json["instance"] = instance_json(*document.instance);
  } else {
    json["instance"] = nullptr;
    json["instance_reason"] = "no instance type was named";
  }
  // The rows are written one by one: a document of all of them would cost ten times the answer.
  std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  text.resize(text.size() - 2);  // the closing brace on its line
  text += ",\n  \"offers\": [";
  std::string_view before = "\n    ";
  for (const OfferRow& row : document.rows) {
    text += before;
    text += row_json(row).dump(-1, ' ', false, Json::error_handler_t::replace);
    before = ",\n    ";
  }
  return text + (document.rows.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace steelyard::report

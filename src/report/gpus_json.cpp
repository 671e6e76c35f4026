// The document of `gpus`, schema steelyard.gpus/1 (data/schemas/steelyard.gpus.1.json).
#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/card_json.h"
#include "report/gpus.h"

namespace steelyard::report {
namespace {

using Json = nlohmann::ordered_json;
using facts::Accelerator;

// Adds `name`, or null with its reason beside it.
void put(Json& to, const std::string& name, Json value, const char* reason) {
  if (value.is_null()) {
    to[name] = nullptr;
    to[name + "_reason"] = reason;
  } else {
    to[name] = std::move(value);
  }
}

constexpr const char* not_known = "not known, or sources disagree";

// A vendor's or seller's figure; weaker ones say so.
Json sold(const Accelerator& card, double value, const std::string& key) {
  Json json = {{"value", value}, {"origin", origin_word(Origin::sold_as)}};
  const bool weak = std::ranges::find(card.recalled, key) != card.recalled.end();
  json["confidence"] = facts::confidence_word(weak ? facts::Confidence::recalled : card.confidence);
  return json;
}
template <typename T>
Json sold(const Accelerator& card, const std::optional<T>& value, const std::string& key) {
  if (!value) return nullptr;
  if constexpr (requires { value->value(); }) {
    return sold(card, static_cast<double>(value->value()), key);
  } else {
    return sold(card, static_cast<double>(*value), key);
  }
}

Json memory_json(const Accelerator& card) {
  Json json = Json::object();
  put(json, "sold_as_gb", card.sold_as_gb > 0 ? Json(card.sold_as_gb) : Json(), not_known);
  put(json, "reported_bytes", card.reported ? Json(card.reported->value()) : Json(),
      "no capture of this card");
  put(json, "reported_bytes_ecc_flipped",
      card.reported_ecc_flipped ? Json(card.reported_ecc_flipped->value()) : Json(),
      "no capture of this card in that state");
  const facts::UsableMemory usable = facts::usable_memory(card);
  if (usable.total.value > Bytes(0)) {
    json["usable_bytes"] = {{"value", usable.total.value.value()},
                            {"origin", origin_word(usable.total.origin)},
                            {"low", usable.total.low.value()},
                            {"high", usable.total.high.value()}};
  } else {
    put(json, "usable_bytes", nullptr, "the size of the memory is not known");
  }
  json["usable_basis"] = usable.basis;
  json["type"] = card.memory_type;
  json["ecc"] = card.ecc;
  put(json, "bus_bits", sold(card, card.bus_bits, "bus_bits"), not_known);
  put(json, "bandwidth_bytes_per_second", sold(card, card.bandwidth, "bandwidth_gb_per_s"),
      not_known);
  return json;
}

Json compute_json(const Accelerator& card) {
  Json json = Json::object();
  Json dense = Json::object();
  for (const auto& [key, rate] : card.dense) {
    dense[key] = sold(card, rate.value(), "dense_tflop_per_s." + key);
  }
  json["dense_flop_per_second"] = std::move(dense);
  json["no_units"] = Json::array();
  for (const std::string_view rate : facts::dense_rates()) {
    if (facts::has_units(card, rate) == false) json["no_units"].push_back(rate);
  }
  put(json, "sparse_multiplier", card.sparse_multiplier ? Json(*card.sparse_multiplier) : Json(),
      not_known);
  json["sparsity"] = "2:4";
  put(json, "unit_count", sold(card, card.sm_count, "sm_count"), not_known);
  json["unit_kind"] = card.sm_kind;
  put(json, "boost_hz", sold(card, card.boost_hz, "boost_mhz"), not_known);
  put(json, "l2_bytes", sold(card, card.l2, "l2_mib"), not_known);
  put(json, "tdp_w", sold(card, card.tdp, "tdp_w"), not_known);
  return json;
}

Json links_json(const Accelerator& card) {
  Json json = {{"link", card.link}};
  put(json, "link_bidirectional_bytes_per_second",
      sold(card, card.link_bidirectional, "link_bidirectional_gb_per_s"),
      "no link between cards, or its rate is not known");
  json["pcie_generation"] = card.pcie_generation;
  put(json, "pcie_lanes", card.pcie_lanes ? Json(*card.pcie_lanes) : Json(), not_known);
  return json;
}

}  // namespace

Json card_json(const Accelerator& card) {
  Json json = {{"id", card.id},
               {"name", card.name},
               {"vendor", card.vendor},
               {"architecture", card.architecture},
               {"form", card.form},
               {"socket", card.socket},
               {"compute_capability", card.compute_capability},
               {"aliases", card.aliases},
               {"pci_device_ids", card.pci_device_ids},
               {"modified", card.modified},
               {"memory", memory_json(card)},
               {"compute", compute_json(card)},
               {"links", links_json(card)}};
  json["devices"] = card.devices;
  put(json, "mig_max", card.mig_max ? Json(*card.mig_max) : Json(), "no MIG, or not known");
  put(json, "launch_year", card.launch_year ? Json(*card.launch_year) : Json(), not_known);
  json["confidence"] = facts::confidence_word(card.confidence);
  json["recalled"] = card.recalled;
  json["other_values"] = card.other_values;
  json["extra"] = card.extra;
  json["licence_note"] = card.licence_note;
  json["notes"] = card.notes;
  json["sources"] = card.sources;
  return json;
}

std::string gpus_json(const GpusDocument& document) {
  Json json = {{"schema", "steelyard.gpus/1"},
               {"asked", document.asked},
               {"assumed", document.assumed},
               {"cards", Json::array()}};
  for (const Accelerator* card : document.cards) json["cards"].push_back(card_json(*card));
  // Names come from outside and need not be UTF-8: replaced, never thrown over.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard::report

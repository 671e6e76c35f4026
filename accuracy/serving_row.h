// What the rows of the serving engines have in common: their model, their card, their numbers.
#pragma once

#include <optional>
#include <string>

#include "accuracy.h"
#include "facts/facts.h"
#include "memory/memory.h"
#include "model/model.h"

namespace steelyard::accuracy {

// A number from a cell; nothing when it is empty or holds other words.
std::optional<double> number_of(std::string_view cell);
std::optional<std::uint64_t> count_of(std::string_view cell);

// The model a row names: in the catalogue, whatever its spelling, in the format that the row's name
// or quantisation column says. The cells are read as names; no row is known by itself.
struct NamedModel {
  std::optional<model::Model> model;
  bool named = false;  // false: the row does not name a model at all ("unknown", a class of models)
  std::string reason;  // why there is no model
  std::string format;  // the weights' format that was applied; empty: as the config says
};
NamedModel named_model(const std::string& name, const std::string& quantisation);

// The card of a row: memory as logged, or by its name from the catalogue.
std::optional<memory::CardMemory> named_card(const std::string& name,
                                             std::optional<double> total_gib);

// Why a row, named by its source, is left out whole; empty: it is not. Only rows that contradict
// their own settings or that their source calls broken.
std::string excluded(std::string_view source);

// Several kinds of layers, so the version decides what a log prints.
bool mixed_layers(const model::Model& model);

}  // namespace steelyard::accuracy

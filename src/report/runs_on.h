// What runs on a card: the rows of pick::runs_on as text, JSON and CSV.
#pragma once

#include <string>
#include <vector>

#include "pick/pick.h"

namespace steelyard::report {

struct RunsOnDocument {
  memory::Request request;
  std::string card;  // how the card or machine is named to the reader
  std::vector<pick::ModelFit> rows;
  std::size_t looked_at = 0;  // catalogue models that were tried
};

// At most `limit` rows; 0 is all.
std::string runs_on_text(const RunsOnDocument& document, std::size_t limit);
std::string runs_on_json(const RunsOnDocument& document);
std::string runs_on_csv(const RunsOnDocument& document);

}  // namespace steelyard::report

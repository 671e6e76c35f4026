#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/card_json.h"
#include "report/claims.h"

namespace steelyard::report {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

std::string_view outcome_word(claims::Outcome outcome) {
  switch (outcome) {
    case claims::Outcome::yes:
      return "yes";
    case claims::Outcome::tight:
      return "tight";
    case claims::Outcome::no:
      return "no";
    case claims::Outcome::open:
      return "open";
    case claims::Outcome::none:
      break;
  }
  return "none";
}

Json reading_json(const claims::Reading& r) {
  Json json = {{"figure", r.figure}, {"card", r.card->name}, {"meaning", r.meaning}};
  if (r.unit.empty()) {
    json["value"] = nullptr;
    json["value_reason"] = "a claim without a figure";
  } else {
    json["value"] = {{"value", r.value}, {"origin", origin_word(Origin::sold_as)}};
  }
  json["unit"] = r.unit;
  for (const auto& [name, text] :
       {std::pair{"precision", &r.precision}, std::pair{"accumulate", &r.accumulate}}) {
    json[name] = text_or_null(*text);
    if (text->empty()) json[std::string(name) + "_reason"] = "does not apply to this meaning";
  }
  json["sparsity"] = r.sparse ? "2:4" : "dense";
  json["cards"] = r.cards;
  json["plausible"] = r.plausible;
  json["verdict"] = claims::verdict_word(r.verdict);
  json["because"] = r.because;
  return json;
}

}  // namespace

std::string claim_csv(const claims::Claim& claim) {
  std::string text =
      "figure,card,meaning,value,unit,precision,accumulate,sparsity,cards,plausible,"
      "verdict,because\n";
  for (const claims::Reading& r : claim.readings) {
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(r.figure), csv_cell(r.card->name),
        csv_cell(r.meaning), r.value, r.unit, r.precision, r.accumulate, r.sparse ? "2:4" : "dense",
        r.cards, r.plausible ? "yes" : "no", claims::verdict_word(r.verdict), csv_cell(r.because));
  }
  for (const claims::Unread& u : claim.unread) {
    text += fmt::format("{},,,,,,,,,no,{},{}\n", csv_cell(u.figure),
                        claims::verdict_word(u.verdict), csv_cell(u.because));
  }
  for (const claims::NotRead& n : claim.not_read) {
    text += fmt::format("{},,,,,,,,,,not_read,{}\n", csv_cell(n.text), csv_cell(n.because));
  }
  return text;
}

std::string claim_json(const claims::Claim& claim) {
  Json json = {{"schema", "steelyard.gpus/1"},
               {"asked", {claim.text}},
               {"assumed", claim.assumed},
               {"cards", Json::array()}};
  for (const facts::Accelerator* card : claim.cards) json["cards"].push_back(card_json(*card));
  json["claim"] = {{"text", claim.text},
                   {"count", claim.count},
                   {"count_said", claim.count_said},
                   {"outcome", outcome_word(claim.outcome())},
                   {"holds", claim.holds()}};
  json["readings"] = Json::array();
  for (const claims::Reading& r : claim.readings) json["readings"].push_back(reading_json(r));
  json["unread"] = Json::array();
  for (const claims::Unread& u : claim.unread) {
    json["unread"].push_back({{"figure", u.figure},
                              {"verdict", claims::verdict_word(u.verdict)},
                              {"because", u.because}});
  }
  json["not_read"] = Json::array();
  for (const claims::NotRead& n : claim.not_read) {
    json["not_read"].push_back({{"text", n.text}, {"because", n.because}});
  }
  json["not_of_the_card"] = claim.aside;
  json["in_practice"] = claim.in_practice;
  json["ask_the_seller"] = claim.ask;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard::report

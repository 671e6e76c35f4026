// JSON from outside: nested no deeper than any answer of a hub, so that none can cost memory.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace steelyard::hub {

// The value; discarded when the text is no JSON or is nested deeper than 64 levels.
inline nlohmann::json parse_shallow(const std::string& text) {
  using Json = nlohmann::json;
  constexpr int deepest = 64;
  bool deep = false;
  Json json = Json::parse(
      text,
      [&](int depth, Json::parse_event_t, Json&) {
        deep = deep || depth > deepest;
        return depth <= deepest;
      },
      false);
  return deep ? Json(Json::value_t::discarded) : json;
}

}  // namespace steelyard::hub

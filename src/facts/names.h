// Reads a card's name as people and programs write it: maker and filler words dropped, memory
// size, socket, count and "modified" understood, the rest kept as the key of the model.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace steelyard::facts {

struct CardName {
  std::string model;           // "a100", "4090d", "6000ada"; empty when nothing is left
  std::optional<double> size;  // 80 of "80GB", 95.6 of "95.6GiB", 44.99 of "46068MiB"
  std::string socket;          // "sxm", "pcie", "nvl" or empty
  std::string memory_type;     // "hbm3", "gddr6x" or empty
  bool modified = false;       // a board with memory its maker never sold
};

// "NVIDIA A100-SXM4-80GB (x4 in host)" -> {a100, 80, sxm}. Text in brackets adds size, socket and
// "modified" only. Glued words ("rtx4090", "a100sxm480g") are split where the vocabulary knows the
// part that remains.
struct Vocabulary {
  std::function<bool(std::string_view)> is_model;   // a short name of some card
  std::function<bool(std::string_view)> is_vendor;  // a maker, in lower case
};
CardName parse_card_name(std::string_view text, const Vocabulary& words);

}  // namespace steelyard::facts

#include "pick/common_cards.h"

#include <algorithm>
#include <charconv>

#include "base/csv.h"
#include "base/embedded.h"

STEELYARD_EMBEDDED(common_cards);

namespace steelyard::pick {

std::vector<MemoryClass> common_classes(const facts::Catalogue& catalogue) {
  std::vector<MemoryClass> classes;
  const auto table =
      parse_csv(embedded_text(steelyard_common_cards_begin, steelyard_common_cards_end));
  if (!table) return classes;
  for (std::size_t row = 0; row < table->rows.size(); ++row) {
    const std::string& size = table->cell(row, "class_gb");
    double gigabytes = 0;
    std::from_chars(size.data(), size.data() + size.size(), gigabytes);
    const auto card = std::ranges::find(catalogue.accelerators(), table->cell(row, "card"),
                                        &facts::Accelerator::id);
    if (card == catalogue.accelerators().end()) continue;
    if (classes.empty() || classes.back().gigabytes != gigabytes) {
      classes.push_back({.gigabytes = gigabytes});
    }
    classes.back().cards.push_back(&*card);
  }
  return classes;
}

}  // namespace steelyard::pick

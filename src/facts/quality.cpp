#include "facts/quality.h"

#include "base/base.h"
#include "base/embedded.h"

STEELYARD_EMBEDDED(quality);

namespace steelyard::facts {
namespace {

std::optional<Quality> find(std::string_view kind, std::string_view format) {
  static const auto table =
      parse_csv(embedded_text(steelyard_quality_begin, steelyard_quality_end));
  if (!table) return std::nullopt;
  const std::string wanted = lower(trim(format));
  for (std::size_t row = 0; row < table->rows.size() && !wanted.empty(); ++row) {
    if (table->cell(row, "kind") != kind) continue;
    for (const std::string_view name : split(table->cell(row, "formats"), ' ')) {
      if (name != wanted) continue;
      return Quality{table->cell(row, "sentence"), table->cell(row, "source"),
                     table->cell(row, "confidence")};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Quality> weight_quality(std::string_view format) {
  return find("weights", format);
}

std::optional<Quality> cache_quality(std::string_view format) {
  return find("kv", format);
}

}  // namespace steelyard::facts

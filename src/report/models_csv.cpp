#include <fmt/format.h>

#include "report/models.h"

namespace steelyard::report {

std::string models_csv(std::span<const model::Model> models) {
  std::string text = "name,architecture,parameters,active_parameters,layers,weight_bytes\n";
  for (const model::Model& model : models) {
    text += fmt::format("{},{},{},{},{},{}\n", csv_cell(model.name), csv_cell(model.architecture),
                        model.parameters(), model.active_parameters(), model.layers.size(),
                        model.weight_bytes().value());
  }
  return text;
}

}  // namespace steelyard::report

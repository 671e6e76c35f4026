#include <algorithm>
#include <array>

#include "pick/pick.h"

namespace steelyard::pick {
namespace {

using memory::EngineKind;
using memory::Verdict;

// Formats to try, most bits first; "" keeps what the model's own config says.
std::span<const std::string_view> formats_for(EngineKind engine) {
  static constexpr auto gguf =
      std::to_array<std::string_view>({"f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m"});
  static constexpr auto serving = std::to_array<std::string_view>({"", "fp8", "awq"});
  const bool ggml = engine == EngineKind::llama_cpp || engine == EngineKind::ollama;
  return ggml ? std::span<const std::string_view>(gguf)
              : std::span<const std::string_view>(serving);
}

bool holds(Verdict verdict) {
  return verdict == Verdict::fits || verdict == Verdict::tight;
}

}  // namespace

std::optional<ModelFit> best_format_on(const model::Model& model, const memory::Request& request,
                                       std::string_view only) {
  const bool quantised = !model.quantisation.method.empty();
  // A checkpoint that is quantised already is not quantised again: it is that format or none.
  const bool stored_so = quantised && model.quantisation.method == only;
  const std::array<std::string_view, 1> one{stored_so ? std::string_view() : only};
  for (const std::string_view format :
       only.empty() ? formats_for(request.engine.kind) : std::span<const std::string_view>(one)) {
    if (quantised && !format.empty()) break;
    auto stored = format.empty() ? Result<model::Model>(model) : model::with_weights(model, format);
    if (!stored) continue;
    auto answer = memory::size(*stored, request);
    if (!answer || !holds(answer->verdict)) continue;
    return ModelFit{.name = model.name,
                    .parameters = model.parameters(),
                    .active_parameters = model.active_parameters(),
                    .format = format.empty() ? std::string(quantised ? model.quantisation.method
                                                                     : model.dtype.name)
                                             : std::string(format),
                    .answer = std::move(*answer)};
  }
  return std::nullopt;
}

std::vector<ModelFit> runs_on(const memory::Request& request, std::string_view only) {
  std::vector<ModelFit> fits;
  for (const std::string& name : model::catalogue_names()) {
    auto model = model::catalogue_model(name);
    if (!model || !model->not_established.empty()) continue;
    if (auto fit = best_format_on(*model, request, only)) fits.push_back(std::move(*fit));
  }
  // The largest model first; at equal size the one that kept more bits, which is the heavier one.
  std::ranges::stable_sort(fits, [](const ModelFit& a, const ModelFit& b) {
    return a.parameters != b.parameters
               ? a.parameters > b.parameters
               : a.answer.binding().total.value > b.answer.binding().total.value;
  });
  return fits;
}

}  // namespace steelyard::pick

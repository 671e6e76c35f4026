#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "pick/pick.h"

namespace steelyard::pick {
namespace {

using memory::EngineKind;
using memory::Verdict;

// A format to try, and fewer bits than any weight has in it: what is too large so is not worth a
// sum.
struct Try {
  std::string_view format;  // "" keeps what the model's own config says
  double least_bits = 0;
};

// Most bits first.
std::span<const Try> formats_for(EngineKind engine) {
  static constexpr auto gguf = std::to_array<Try>(
      {{"f16", 16}, {"q8_0", 8}, {"q6_k", 6}, {"q5_k_m", 5}, {"q4_k_m", 4}, {"q3_k_m", 3}});
  static constexpr auto serving = std::to_array<Try>({{"", 0}, {"fp8", 8}, {"awq", 4}});
  const bool ggml = engine == EngineKind::llama_cpp || engine == EngineKind::ollama;
  return ggml ? std::span<const Try>(gguf) : std::span<const Try>(serving);
}

// Of weights that every engine loads: no towers, which may stay out, and no MTP layers.
struct Loaded {
  double parameters = 0, bytes = 0;
};
Loaded loaded(const model::Model& model) {
  Loaded sum;
  for (const model::Tensor& tensor : model.tensors) {
    const bool tower = tensor.role == model::Role::vision || tensor.role == model::Role::audio ||
                       tensor.role == model::Role::projector;
    const bool mtp = tensor.layer >= static_cast<std::int32_t>(model.layers.size());
    if (tower || mtp) continue;
    sum.parameters += static_cast<double>(tensor.parameters());
    // What is stored in 32 bits may be loaded in 16.
    const bool wide = tensor.format.block_elements == 1 && tensor.format.block_bytes > 2;
    sum.bytes += tensor.bytes.as_double() * (wide ? 0.25 : 1);
  }
  return sum;
}

// All the memory that weights could lie in; nothing when the host may hold some of them.
std::optional<double> room_for_weights(const memory::Request& request) {
  const std::string& offload = request.workload.offload;
  const bool host =
      request.workload.gpu_layers.has_value() || !(offload.empty() || offload == "none");
  if (host || !request.card) return std::nullopt;
  return request.card->usable.high.as_double() * std::max(1U, request.card->count);
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
  const std::array<Try, 1> one{Try{stored_so ? std::string_view() : only}};
  const auto room = room_for_weights(request);
  const Loaded least = loaded(model);
  for (const auto& [format, least_bits] :
       only.empty() ? formats_for(request.engine.kind) : std::span<const Try>(one)) {
    // FP8 is how some large models are published; four-bit builds of those are as common.
    const bool again = format == "awq" && model.quantisation.method == "fp8";
    if (quantised && !format.empty() && !again) continue;
    const double bytes = format.empty() ? least.bytes : least.parameters * least_bits / 8;
    if (room && bytes > *room) continue;
    std::optional<model::Model> other;
    if (!format.empty()) {
      auto stored = model::with_weights(model, format);
      if (!stored) continue;
      other = std::move(*stored);
    }
    const model::Model& stored = other ? *other : model;
    auto answer = memory::size(stored, request);
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
  // Models are independent of each other: every core takes the next one.
  std::vector<std::optional<ModelFit>> found(model::catalogue_names().size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < found.size(); i = next++) {
      const auto model = model::catalogue_model_at(i);
      if (model && model->not_established.empty()) found[i] = best_format_on(*model, request, only);
    }
  };
  {
    std::vector<std::jthread> others;
    const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
    for (unsigned i = 1; i < cores; ++i) others.emplace_back(work);
    work();
  }
  std::vector<ModelFit> fits;
  for (auto& fit : found) {
    if (fit) fits.push_back(std::move(*fit));
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

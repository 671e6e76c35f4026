// FP8 weights with one scale per block: what a rank holds must be whole blocks.
#include <fmt/format.h>

#include "memory/engines/engine.h"
#include "memory/support.h"

namespace steelyard::memory {
namespace {

constexpr std::uint64_t block = 128;

bool in_blocks(const model::Model& model) {
  return model.quantisation.method == "fp8" &&
         model.quantisation.description.find("128 x 128") != std::string::npos;
}

bool comes_out(std::uint64_t width, std::uint64_t parts) {
  return width == 0 || parts <= 1 || (width % parts == 0 && width / parts % block == 0);
}

std::string words(std::string_view what, std::uint64_t width, std::uint64_t parts,
                  const Request& request) {
  return fmt::format(
      "{} of width {} over {} ranks is {} each, no multiple of the {} that FP8 blocks have: {} "
      "refuses to load it so; take fewer ranks{}",
      what, width, parts, width / parts, block, engine_name(request.engine.kind),
      request.placement.ep > 1 ? "" : ", or --ep where the experts are what is cut");
}

}  // namespace

// vLLM and SGLang stop with "not divisible by weight quantization block_n = 128" (vllm#17569,
// vllm#25292, sglang#3345). Experts that stay whole, over ep, are not cut.
std::string block_refusal(const model::Model& model, const Request& request) {
  const bool heeds =
      request.engine.kind == EngineKind::vllm || request.engine.kind == EngineKind::sglang;
  const Placement& place = request.placement;
  if (!heeds || place.tp <= 1 || !in_blocks(model)) return "";
  for (const model::Layer& layer : model.layers) {
    const model::FeedForward& f = layer.feed_forward;
    if (place.ep <= 1 && f.experts > 0 && !comes_out(f.expert_intermediate, place.tp)) {
      return words("an expert", f.expert_intermediate, place.tp, request);
    }
    if (!comes_out(f.intermediate, place.tp)) {
      return words("a feed-forward part", f.intermediate, place.tp, request);
    }
  }
  return "";
}

}  // namespace steelyard::memory

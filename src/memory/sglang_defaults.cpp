#include "memory/sglang_defaults.h"

#include <algorithm>
#include <cmath>

namespace steelyard::memory {
namespace {

double by_tensor_parallel(std::uint32_t tp) {
  if (tp >= 16) return 0.79;
  if (tp >= 8) return 0.81;
  if (tp >= 4) return 0.85;
  return tp >= 2 ? 0.87 : 0.88;
}

}  // namespace

SglangDefaults sglang_defaults(const Request& request) {
  SglangDefaults result;
  const std::uint32_t tp = request.placement.tp;
  const double mib_total = request.card ? request.card->usable.value.as_mib() : 0;
  const bool many = tp >= 4;
  if (mib_total > 0) {
    struct Step {
      double below_gib;
      std::uint64_t chunk, batch, batch_many;
    };
    constexpr Step steps[] = {{20, 2048, 8, 8},     {35, 2048, 24, 80},    {60, 4096, 32, 160},
                              {90, 8192, 256, 512}, {160, 8192, 256, 512}, {1e9, 16384, 512, 512}};
    for (const Step& step : steps) {
      if (mib_total >= step.below_gib * 1024) continue;
      result.chunked_prefill = step.chunk;
      result.graph_batch = many ? step.batch_many : step.batch;
      break;
    }
  }
  if (!since(request.engine.version, 0, 5, 4) || mib_total <= 0) {
    result.mem_fraction_static = by_tensor_parallel(tp);
    return result;
  }
  const Placement& place = request.placement;
  const auto batch = static_cast<double>(result.graph_batch);
  double reserved =
      512 + 1.5 * static_cast<double>(std::max<std::uint64_t>(result.chunked_prefill, 2048));
  reserved += 2 * batch + 1024.0 * tp * place.pp / 8;
  if (place.attention_dp > 1) {
    reserved += batch * place.attention_dp * (batch > 300 ? 4.5 : 3.0);
  }
  if (mib_total > 60 * 1024) reserved = std::max(reserved, 10.0 * 1024);
  if (request.draft) {
    reserved += 6 * 1024;
  } else if (request.workload.mtp > 0) {
    reserved += 2 * 1024;
  }
  result.mem_fraction_static =
      std::max(0.05, std::round((mib_total - reserved) / mib_total * 1000) / 1000);
  return result;
}

}  // namespace steelyard::memory

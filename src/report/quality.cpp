#include "report/quality.h"

namespace steelyard::report {

FormatQuality quality_of(const model::Model& model, const memory::Request& request) {
  FormatQuality result;
  const model::Quantisation& q = model.quantisation;
  result.weights = q.method == "gguf" ? lower(q.description) : q.method;
  if (result.weights.empty()) result.weights = model.dtype.name;
  result.cache = lower(request.workload.kv_k);
  if (result.cache.empty() || result.cache == "auto") {
    result.cache = q.kv_format.empty() ? "auto" : q.kv_format;
  }
  result.weights_quality = facts::weight_quality(result.weights);
  result.cache_quality = facts::cache_quality(result.cache);
  return result;
}

}  // namespace steelyard::report

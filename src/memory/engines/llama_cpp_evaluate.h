// All buffers of llama.cpp for one model, request and build: what its log would print.
#pragma once

#include <memory>
#include <vector>

#include "memory/engines/llama_cpp_cache.h"
#include "memory/engines/llama_cpp_layers.h"
#include "memory/engines/llama_cpp_placement.h"

namespace steelyard::memory::llama_cpp {

// What a card's backend can do, told from its name (Apple, Intel, Ascend; else CUDA or ROCm).
struct Backend {
  std::string device = "CUDA";    // as the log names its devices
  bool pipeline = true;           // several cards work on several micro-batches at once
  bool computes_for_host = true;  // large batches run on the card even where the host stores
  ByteFigure context;             // driver context, kernels, workspaces: not in any buffer
};
Backend backend_of(const Request& request);

// Per device, host last.
struct Evaluation {
  Settings settings;
  std::vector<Bytes> cache, state, scratch;
  std::vector<Bytes> draft;  // all that the draft model takes; empty without one
  Bytes output;              // logits on their way out, host memory
};

class Evaluator {
 public:
  Evaluator(const model::Model& model, const Request& request);

  const Build& build() const { return build_; }
  const Layout& layout() const { return layout_; }
  const ModelBuffers& model_bytes() const { return model_bytes_; }
  const Backend& backend() const { return backend_; }
  bool pipelined() const { return copies_ > 1; }
  LatentCache latent() const { return latent_; }

  // Low-rank pairs of the adapters beside the layers of one device.
  Bytes adapters(std::uint32_t device) const { return adapters_[device]; }

  // The buffers for this workload; the rest of the request as constructed.
  Result<Evaluation> evaluate(const Workload& workload) const;
  // Everything one card must hold, its driver context included. Middle values.
  Bytes card_total(const Evaluation& e, std::uint32_t card) const;

 private:
  const model::Model& model_;
  LayerWeights weights_;
  Build build_;
  Layout layout_;
  ModelBuffers model_bytes_;
  Backend backend_;
  LatentCache latent_;
  std::uint32_t copies_ = 1;
  Pattern pattern_;
  std::vector<Bytes> adapters_;
  std::shared_ptr<const model::Model> draft_model_;
  std::unique_ptr<const Evaluator> draft_;
};

}  // namespace steelyard::memory::llama_cpp

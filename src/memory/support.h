// Which engine runs on which hardware, and which weight formats it runs there and how.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/memory.h"

namespace steelyard::memory {

// What a card is programmed with. `unknown` when a card came as a size alone: nothing is judged.
enum class Platform {
  unknown,
  cuda,
  rocm,
  apple,
  intel_gpu,
  gaudi,
  tpu,
  trainium,
  ascend,
  moore_threads,
  cambricon,
  kunlunxin,
  metax,
  iluvatar,
  hygon
};
Platform platform_of(const CardMemory& card);

// 8.9 of "8.9"; nothing for gfx targets and for no text.
std::optional<double> capability_of(const CardMemory& card);

struct Support {
  std::string refusal;             // why it does not run; empty: it runs
  std::vector<std::string> notes;  // it runs, but by another way than meant
  // The kernels want the weights in another layout than the file's, so the file's sum holds only
  // within this band. 1 and 1: they are kept as they are.
  double weights_low = 1, weights_high = 1;
  bool needs_half = false;  // the checkpoint's bfloat16 must be run as float16
};
Support support_of(const model::Model& model, const Request& request);

// Why blocks of FP8 scales cannot be cut as the placement asks; "" when they can.
std::string block_refusal(const model::Model& model, const Request& request);

// What the format is asked of; the second half of support_of (support_formats.cpp).
void heed_format(const model::Model& model, const Request& request, Support& support);

}  // namespace steelyard::memory

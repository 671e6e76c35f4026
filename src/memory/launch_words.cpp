#include "memory/launch_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "memory/asked.h"

namespace steelyard::memory {
namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace

std::string model_words(
    const model::Model& model,
    std::initializer_list<std::pair<std::string_view, std::string_view>> online) {
  const std::string& name = model.served.empty() ? model.name : model.served;
  const std::string word = name.empty() ? std::string("MODEL") : name;
  if (model.stored_as.empty()) return shell_word(word);
  for (const auto& [format, flag] : online) {
    if (format == model.stored_as) return shell_word(word) + " " + std::string(flag);
  }
  return shell_word(upper(model.stored_as) + " build of " + word);
}

std::string_view torch_type(std::string_view dtype) {
  return dtype == "f16" ? "half" : dtype == "bf16" ? "bfloat16" : dtype == "f32" ? "float32" : "";
}

std::string replicas_remark(std::uint32_t replicas) {
  if (replicas <= 1) return "";
  return fmt::format("   # one such server on each of {} groups of cards", replicas);
}

std::string cache_word(const model::Model& model, const Workload& workload) {
  if (workload.kv_k.empty() || workload.kv_k == "auto") return "";
  const auto format = facts::find_format(workload.kv_k);
  if (!format) return workload.kv_k;
  const std::string_view own = workload.dtype.empty() ? model.dtype.name : workload.dtype;
  if (format->name == own) return "";
  const std::string_view type = torch_type(format->name);
  return std::string(type.empty() ? workload.kv_k : type == "half" ? "float16" : type);
}

}  // namespace steelyard::memory

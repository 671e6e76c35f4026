#include "memory/launch_words.h"

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

}  // namespace steelyard::memory

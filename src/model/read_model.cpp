#include <fmt/format.h>

#include "model/catalogue.h"
#include "model/model.h"
#include "model/typical_shape.h"

namespace steelyard::model {
namespace {

constexpr std::uint64_t kConfigBytes = std::uint64_t{16} << 20;

bool ends_with_icase(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && starts_with_icase(text.substr(text.size() - end.size()), end);
}

std::string joined(const std::string& folder, std::string_view name) {
  return folder.ends_with('/') ? folder + std::string(name) : fmt::format("{}/{}", folder, name);
}

Result<Model> read_config_file(os::Files& files, const std::string& path) {
  auto text = os::read_whole(files, path, kConfigBytes);
  if (!text) return fail(std::move(text.error()).in_file(path));
  return read_config(*text, path);
}

Result<Model> read_file(os::Files& files, const std::string& path) {
  if (ends_with_icase(path, ".gguf")) return read_gguf(files, path);
  if (ends_with_icase(path, ".safetensors")) return read_safetensors(files, path);
  const auto head = files.read(path, 0, 64);
  if (!head) return fail(Error(head.error()).in_file(path));
  if (head->starts_with("GGUF")) return read_gguf(files, path);
  const std::string_view start = trim(*head);
  if (start.starts_with('{')) {
    if (ends_with_icase(path, ".index.json")) return read_safetensors(files, path);
    return read_config_file(files, path);
  }
  // Eight length bytes and then a JSON object: a safetensors file under another name.
  if (head->size() > 8 && (*head)[8] == '{') return read_safetensors(files, path);
  if (ends_with_icase(path, ".json")) return read_config_file(files, path);
  return fail({.kind = ErrorKind::bad_input,
               .what = "neither a config.json, nor safetensors, nor GGUF",
               .file = path,
               .byte = 0,
               .try_this = "give a config.json, .safetensors, .gguf, a folder or a model name"});
}

}  // namespace

Result<Model> read_model(os::Files& files, std::string_view argument) {
  const std::string path(argument);
  switch (files.kind(path)) {
    case os::EntryKind::file:
      return read_file(files, path);
    case os::EntryKind::folder:
      if (files.kind(joined(path, "config.json")) == os::EntryKind::file) {
        return read_config_file(files, joined(path, "config.json"));
      }
      return read_safetensors(files, path);
    case os::EntryKind::missing:
      break;
  }
  if (const auto size = parse_size(argument)) return typical_model(*size);
  return catalogue_model(argument);
}

}  // namespace steelyard::model

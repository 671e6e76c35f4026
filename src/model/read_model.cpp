#include <fmt/format.h>

#include <algorithm>

#include "model/catalogue.h"
#include "model/model.h"
#include "model/typical_shape.h"

namespace steelyard::model {
namespace {

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

// The GGUF models of a folder: first parts of split files, without projectors beside the model.
std::vector<std::string> gguf_models(const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const bool later_part =
        name.find("-of-") != std::string::npos && name.find("-00001-of-") == std::string::npos;
    const bool projector = name.find("mmproj") != std::string::npos;
    if (ends_with_icase(name, ".gguf") && !later_part && !projector) found.push_back(name);
  }
  return found;
}

// Headers say more than a config, so they come first: safetensors, then the one GGUF.
Result<Model> read_folder(os::Files& files, const std::string& path) {
  auto names = files.list(path);
  if (!names) return fail(std::move(names.error()).in_file(path));
  const bool safetensors = std::ranges::any_of(*names, [](const std::string& name) {
    return name.ends_with(".safetensors") || name == "model.safetensors.index.json";
  });
  if (safetensors) return read_safetensors(files, path);
  const auto ggufs = gguf_models(*names);
  if (ggufs.size() == 1) return read_gguf(files, joined(path, ggufs.front()));
  if (files.kind(joined(path, "config.json")) == os::EntryKind::file) {
    return read_config_file(files, joined(path, "config.json"));
  }
  if (ggufs.size() > 1) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("the folder holds {} GGUF models", ggufs.size()),
                 .file = path,
                 .try_this = fmt::format("give one of them: {}", joined(path, ggufs.front()))});
  }
  return fail({.kind = ErrorKind::not_found,
               .what = "the folder has no config.json, .safetensors or .gguf",
               .file = path,
               .try_this = "give the folder that holds the model's files"});
}

// What a file says of itself is shown: as text, each on its line.
Result<Model> shown(Result<Model> model) {
  if (!model) return model;
  for (std::string* text :
       {&model->name, &model->architecture, &model->model_type, &model->not_established,
        &model->quantisation.method, &model->quantisation.description}) {
    *text = one_line(*text);
  }
  for (std::string& note : model->notes) note = one_line(note);
  return model;
}

}  // namespace

Result<Model> read_model(os::Files& files, std::string_view argument) {
  std::string path(argument);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  switch (files.kind(path)) {
    case os::EntryKind::file:
      return shown(read_file(files, path));
    case os::EntryKind::folder:
      return shown(read_folder(files, path));
    case os::EntryKind::missing:
      break;
  }
  if (const auto size = parse_size(argument)) return typical_model(*size);
  return catalogue_model(argument);
}

}  // namespace steelyard::model

// Models that other programs have on this machine already.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hub/hub.h"
#include "hub/shallow_json.h"

namespace steelyard::hub {
namespace {

bool has_weights(os::Files& disk, const std::string& folder) {
  const auto names = disk.list(folder);
  return names && std::ranges::any_of(*names, [](const std::string& name) {
           return name.ends_with(".safetensors") || name.ends_with(".gguf");
         });
}

// The snapshot that refs/main names; else the only one that holds weights.
std::optional<std::string> snapshot_of(os::Files& disk, const std::string& folder,
                                       const std::string& revision) {
  const auto ref = os::read_whole(disk, folder + "/refs/" + revision, 256);
  const std::string commit = ref ? std::string(trim(*ref)) : revision;
  const std::string path = fmt::format("{}/snapshots/{}", folder, commit);
  if (commit.find('/') == std::string::npos && has_weights(disk, path)) return path;
  const auto all = disk.list(folder + "/snapshots");
  if (ref || !all || all->size() != 1) return std::nullopt;
  const std::string only = fmt::format("{}/snapshots/{}", folder, all->front());
  return has_weights(disk, only) ? std::optional(only) : std::nullopt;
}

std::string first_of(const Environment& environment,
                     std::initializer_list<std::pair<std::string_view, std::string_view>> tries) {
  for (const auto& [name, below] : tries) {
    const std::string value = environment(name).value_or("");
    if (!value.empty()) return value + std::string(below);
  }
  return "";
}

bool is_repo(std::string_view name) {
  const auto odd = [](char c) { return c <= ' ' || c == ':' || c == '\\'; };
  return std::ranges::count(name, '/') == 1 && name.find("..") == std::string_view::npos &&
         !name.starts_with('/') && !name.ends_with('/') && std::ranges::none_of(name, odd);
}

std::optional<std::string> in_hub_caches(os::Files& disk, const Environment& environment,
                                         std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string hf = first_of(environment, {{"HF_HUB_CACHE", ""},
                                                {"HUGGINGFACE_HUB_CACHE", ""},
                                                {"HF_HOME", "/hub"},
                                                {"HOME", "/.cache/huggingface/hub"}});
  if (!hf.empty()) {
    const std::string folder =
        fmt::format("{}/models--{}--{}", hf, name.substr(0, slash), name.substr(slash + 1));
    if (auto found = snapshot_of(disk, folder, "main")) return found;
  }
  const std::string ms =
      first_of(environment, {{"MODELSCOPE_CACHE", ""}, {"HOME", "/.cache/modelscope/hub"}});
  // Its client writes "." in a name as "___" where it makes folders.
  std::string escaped(name);
  for (std::size_t at = escaped.find('.'); at != std::string::npos;
       at = escaped.find('.', at + 3)) {
    escaped.replace(at, 1, "___");
  }
  for (const std::string_view below : {"/models/", "/hub/models/", "/", "/hub/"}) {
    for (const std::string& folder : {std::string(name), escaped}) {
      const std::string path = ms + std::string(below) + folder;
      if (!ms.empty() && has_weights(disk, path)) return path;
    }
  }
  return std::nullopt;
}

std::optional<std::string> in_ollama(os::Files& disk, const Environment& environment,
                                     std::string_view name) {
  const std::string store =
      first_of(environment, {{"OLLAMA_MODELS", ""}, {"HOME", "/.ollama/models"}});
  if (store.empty() || name.find("..") != std::string_view::npos) return std::nullopt;
  const std::size_t colon = name.rfind(':');
  const std::string tag(colon == std::string_view::npos ? "latest" : name.substr(colon + 1));
  std::string model(name.substr(0, colon));
  const auto slashes = std::ranges::count(model, '/');
  if (slashes == 0) model = "library/" + model;
  if (slashes < 2) model = "registry.ollama.ai/" + model;
  const auto text =
      os::read_whole(disk, fmt::format("{}/manifests/{}/{}", store, model, tag), 1 << 20);
  if (!text) return std::nullopt;
  const auto json = parse_shallow(*text);
  if (!json.is_object() || !json.contains("layers") || !json["layers"].is_array()) {
    return std::nullopt;
  }
  for (const auto& layer : json["layers"]) {
    if (!layer.is_object() || !layer.contains("digest") || !layer["digest"].is_string()) continue;
    if (!layer.contains("mediaType") ||
        layer["mediaType"] != "application/vnd.ollama.image.model") {
      continue;
    }
    std::string digest = layer["digest"];
    std::ranges::replace(digest, ':', '-');
    if (digest.find('/') != std::string::npos) continue;
    const std::string blob = fmt::format("{}/blobs/{}", store, digest);
    if (disk.kind(blob) == os::EntryKind::file) return blob;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_local(os::Files& disk, const Environment& environment,
                                      std::string_view model) {
  if (starts_with_icase(model, "ollama:")) return in_ollama(disk, environment, model.substr(7));
  std::string path(model);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (disk.kind(path) == os::EntryKind::folder) {
    if (disk.kind(path + "/snapshots") != os::EntryKind::folder) return std::nullopt;
    return snapshot_of(disk, path, "main");
  }
  if (disk.kind(path) != os::EntryKind::missing) return std::nullopt;
  if (is_repo(model)) {
    if (auto found = in_hub_caches(disk, environment, model)) return found;
  }
  if (model.find(':') == std::string_view::npos) return std::nullopt;
  return in_ollama(disk, environment, model);
}

}  // namespace steelyard::hub

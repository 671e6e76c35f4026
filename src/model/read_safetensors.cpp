// Safetensors -> Model: one file, an index, or a folder; layers from a config.json beside it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "model/infer_layers.h"
#include "model/model.h"
#include "model/refine.h"
#include "model/safetensors_header.h"
#include "model/safetensors_packed.h"

namespace steelyard::model {
namespace {

constexpr std::uint64_t kIndexBytes = std::uint64_t{100} << 20;
constexpr std::string_view kIndex = "model.safetensors.index.json";

struct Found {
  std::string folder;               // "" for the current one, else with its slash
  std::vector<std::string> shards;  // paths
  std::size_t missing = 0;
  std::uint64_t tensors = 0;  // entries of the index's weight_map; 0 without an index
};

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

Result<Found> from_index(os::Files& files, const std::string& path) {
  auto text = os::read_whole(files, path, kIndexBytes);
  if (!text) return fail(std::move(text.error()).in_file(path));
  auto index = parse_safetensors_index(*text, path);
  if (!index) return fail(std::move(index.error()));
  Found found{.folder = folder_of(path), .tensors = index->tensors};
  for (const std::string& shard : index->shards) {
    if (files.kind(found.folder + shard) == os::EntryKind::file) {
      found.shards.push_back(found.folder + shard);
    } else {
      ++found.missing;
    }
  }
  return found;
}

// How many files "model-00001-of-00004.safetensors" says there are; 0 when it says nothing.
std::size_t files_named_by(std::string_view name) {
  const std::size_t at = name.rfind("-of-");
  if (at == std::string_view::npos) return 0;
  std::size_t count = 0;
  const auto [end, code] = std::from_chars(name.data() + at + 4, name.data() + name.size(), count);
  const bool good = code == std::errc{} && name.substr(end - name.data()) == ".safetensors";
  return good && count <= 100000 ? count : 0;
}

Result<Found> from_folder(os::Files& files, const std::string& path) {
  const std::string folder = path.ends_with('/') ? path : path + "/";
  if (files.kind(folder + std::string(kIndex)) == os::EntryKind::file) {
    return from_index(files, folder + std::string(kIndex));
  }
  auto names = files.list(path);
  if (!names) return fail(std::move(names.error()).in_file(path));
  Found found{.folder = folder};
  for (const std::string& name : *names) {
    if (name.ends_with(".safetensors")) found.shards.push_back(folder + name);
  }
  if (found.shards.empty()) {
    return fail({.kind = ErrorKind::not_found,
                 .what = "the folder has no .safetensors file",
                 .file = path,
                 .try_this = "give the folder that holds the model's files"});
  }
  // Adapters and consolidated copies lie beside the model in some folders.
  const std::string whole = folder + "model.safetensors";
  if (std::ranges::find(found.shards, whole) != found.shards.end()) found.shards = {whole};
  std::vector<std::string> model_shards;
  std::ranges::copy_if(found.shards, std::back_inserter(model_shards), [&](const auto& shard) {
    return shard.substr(folder.size()).starts_with("model-");
  });
  if (!model_shards.empty()) found.shards = std::move(model_shards);
  const std::size_t named = files_named_by(found.shards.front());
  if (named > found.shards.size()) found.missing = named - found.shards.size();
  return found;
}

Result<Found> find_shards(os::Files& files, const std::string& path) {
  if (files.kind(path) == os::EntryKind::folder) return from_folder(files, path);
  if (path.ends_with(".json")) return from_index(files, path);
  // One shard of several is a part of the model, also when it is the one that was named.
  const std::size_t named = files_named_by(path);
  return Found{.folder = folder_of(path), .shards = {path}, .missing = named > 1 ? named - 1 : 0};
}

// The layers of the config.json beside the files; nothing when there is none or it cannot be read.
std::optional<Model> config_beside(os::Files& files, const std::string& folder, std::string& why) {
  const std::string path = folder + "config.json";
  if (files.kind(path) != os::EntryKind::file) return std::nullopt;
  auto text = os::read_whole(files, path, kConfigBytes);
  if (!text) {
    why = text.error().what;
    return std::nullopt;
  }
  auto model = read_config(*text, path);
  if (!model) {
    why = fmt::format("the config.json beside it could not be read: {}", model.error().what);
    return std::nullopt;
  }
  return std::move(*model);
}

Error no_shard(const Found& found, const std::string& path) {
  return {.kind = ErrorKind::not_found,
          .what = fmt::format("none of the {} shards the index names is there", found.missing),
          .file = path,
          .field = "weight_map",
          .try_this = "put the shards beside the index, or give the config.json"};
}

Error index_disagrees(const Found& found, std::uint64_t held, const std::string& path) {
  return {.kind = ErrorKind::bad_input,
          .what = fmt::format("the index names {} tensors, the files hold {}",
                              with_commas(found.tensors), with_commas(held)),
          .file = path,
          .field = "weight_map",
          .try_this = "a file or the index is of another version: fetch the model again"};
}

// What Git keeps in place of a large file that was not fetched: a few lines of text.
bool is_pointer(os::Files& files, const std::string& path) {
  const auto size = files.size(path);
  if (!size || *size > 512) return false;
  const auto head = files.read(path, 0, 64);
  return head && head->starts_with("version https://git-lfs");
}

// Shards that are named but not there: not on disk, or only as pointers to them.
void drop_pointers(os::Files& files, Found& found) {
  const auto gone =
      std::erase_if(found.shards, [&](const auto& s) { return is_pointer(files, s); });
  found.missing += gone;
}

// A part of the weights would size a part of the model: then the config tells more.
Model as_the_config_says(Model config, const Found& found) {
  config.notes.push_back(
      fmt::format("{} of {} weight files are missing: the weights are those the config implies",
                  found.missing, found.missing + found.shards.size()));
  return config;
}

}  // namespace

Result<Model> read_safetensors(os::Files& files, const std::string& path) {
  auto found = find_shards(files, path);
  if (!found) return fail(std::move(found.error()));
  std::string why;
  auto config = config_beside(files, found->folder, why);
  drop_pointers(files, *found);
  if (config && found->missing > 0) return as_the_config_says(std::move(*config), *found);
  if (found->shards.empty()) return fail(no_shard(*found, path));
  Model model = config ? *config : Model{};
  model.names.clear();
  model.tensors.clear();
  model.source = path;
  model.reading = config ? Reading::catalogue_and_header : Reading::safetensors;
  if (!config) model.name = path;
  if (!why.empty()) model.notes.push_back(why);

  PackedCollector collector;
  bool whole = true;
  std::uint64_t held = 0;
  for (const std::string& shard : found->shards) {
    SafetensorsHeader header;
    if (Status read = read_safetensors_header(files, shard, header); !read) {
      return fail(std::move(read.error()));
    }
    whole = whole && header.data_is_whole;
    held += header.tensors.size();
    for (const SafetensorsTensor& tensor : header.tensors) collector.add(tensor);
  }
  if (Status added = collector.finish(model); !added) {
    return fail(std::move(added.error()).in_file(path));
  }
  // Fewer than half of the layers: a part of a download, whatever the files are called. (Half would
  // be a decoder with cross attention, whose published layers are two of ours each.)
  if (const std::size_t seen = layers_seen(model); config && 2 * seen < config->layers.size()) {
    config->notes.push_back(
        fmt::format("the files hold tensors of {} of {} layers: the weights are those the config "
                    "implies",
                    seen, config->layers.size()));
    return std::move(*config);
  }
  if (model.tensors.empty()) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = "the header lists no tensors",
                 .file = path,
                 .byte = 8,
                 .try_this = "give the model's own .safetensors file"});
  }
  if (found->missing == 0 && held < found->tensors)
    return fail(index_disagrees(*found, held, path));
  if (!whole) {
    model.notes.push_back("a file ends before its last tensor: sizes come from its header");
  }
  if (!config) infer_layers(model);
  if (found->missing > 0) {
    // A part of the weights, and no config that tells the rest: a sum of it would be a guess.
    model.not_established = fmt::format("{} of {} weight files are missing, and no config.json",
                                        found->missing, found->missing + found->shards.size());
  }
  refine_by_tensors(model);
  return model;
}

}  // namespace steelyard::model

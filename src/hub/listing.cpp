#include "hub/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hub/checksum.h"
#include "hub/shallow_json.h"

namespace steelyard::hub {
namespace {

using Json = nlohmann::json;
constexpr std::size_t kFiles = 20000;

std::string word(const Json& node, const char* key) {
  const auto found = node.find(key);
  return found != node.end() && found->is_string() ? found->get<std::string>() : "";
}

std::uint64_t count(const Json& node, const char* key) {
  const auto found = node.find(key);
  return found != node.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

// Names become paths in memory and in addresses: nothing that climbs or hides.
bool is_plain(const std::string& path) {
  return !path.empty() && path.size() < 512 && path.find("..") == std::string::npos &&
         path[0] != '/' &&
         std::ranges::none_of(
             path,
             [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127 || c == '\\'; });
}

Error no_listing(const Address& address) {
  return {.kind = ErrorKind::bad_input,
          .what = "the hub's list of files is not one",
          .file = address.list_url(),
          .try_this = "check the endpoint's address, or run it again"};
}

}  // namespace

bool Listing::has(std::string_view path) const {
  return std::ranges::find(files, path, &ListedFile::path) != files.end();
}

Result<Listing> parse_listing(const std::string& text, const Address& address) {
  const Json json = parse_shallow(text);
  if (!json.is_object()) return fail(no_listing(address));
  Listing listing{.repo = address.repo};
  const Json* list = nullptr;
  if (address.model_scope) {
    if (json.contains("Data") && json["Data"].is_object() && json["Data"].contains("Files")) {
      list = &json["Data"]["Files"];
    }
  } else if (json.contains("siblings")) {
    list = &json["siblings"];
    if (is_plain(word(json, "id"))) listing.repo = word(json, "id");
    listing.commit = word(json, "sha");
  }
  if (list == nullptr || !list->is_array() || list->size() > kFiles)
    return fail(no_listing(address));
  std::string all;
  for (const Json& item : *list) {
    if (!item.is_object() || word(item, "Type") == "tree") continue;
    ListedFile file{.path = word(item, address.model_scope ? "Path" : "rfilename"),
                    .size = count(item, address.model_scope ? "Size" : "size")};
    if (!is_plain(file.path)) continue;
    all += fmt::format("{} {} {}\n", file.path, file.size, word(item, "Sha256"));
    listing.files.push_back(std::move(file));
  }
  if (!is_commit(listing.commit)) {
    if (!address.model_scope) return fail(no_listing(address));
    listing.commit = checksum(all);
  }
  return listing;
}

std::vector<std::string> gguf_choices(const Listing& listing, std::string_view variant) {
  std::vector<std::string> found;
  const std::string wanted = lower(variant);
  for (const ListedFile& file : listing.files) {
    const std::string name = lower(file.path);
    const bool later =
        name.find("-of-") != std::string::npos && name.find("-00001-of-") == std::string::npos;
    if (!name.ends_with(".gguf") || later || name.find("mmproj") != std::string::npos) continue;
    if (!wanted.empty()) {
      // The variant as a word: "q4_k" must not take "q4_k_m", nor "q4_0" "iq4_0".
      bool whole = false;
      for (std::size_t at = name.find(wanted); at != std::string::npos && !whole;
           at = name.find(wanted, at + 1)) {
        const std::string_view ends = "-./";
        const std::size_t end = at + wanted.size();
        whole = (at == 0 || ends.find(name[at - 1]) != std::string_view::npos) &&
                end < name.size() && ends.find(name[end]) != std::string_view::npos;
      }
      if (!whole) continue;
    }
    found.push_back(file.path);
  }
  return found;
}

std::vector<std::string> safetensors_of(const Listing& listing) {
  if (listing.has("model.safetensors")) return {"model.safetensors"};
  std::vector<std::string> shards, others;
  for (const ListedFile& file : listing.files) {
    if (!file.path.ends_with(".safetensors") || file.path.find('/') != std::string::npos) continue;
    (file.path.starts_with("model-") ? shards : others).push_back(file.path);
  }
  return shards.empty() ? others : shards;
}

}  // namespace steelyard::hub

#include "hub/cache.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "hub/checksum.h"
#include "hub/shallow_json.h"

namespace steelyard::hub {
namespace {

using Json = nlohmann::json;
constexpr std::string_view kMagic = "steelyard-hub 1 ";
constexpr std::uint64_t kMostCached = std::uint64_t{64} << 20;

std::string sealed(const std::string& content) {
  return fmt::format("{}{}\n{}", kMagic, checksum(content), content);
}

// The content behind a good seal; nothing when a byte of it has changed.
std::optional<std::string> opened(os::Files& disk, const std::string& path) {
  auto text = os::read_whole(disk, path, kMostCached);
  const std::size_t head = kMagic.size() + 16 + 1;
  if (!text || text->size() < head || !text->starts_with(kMagic)) return std::nullopt;
  const std::string seal = text->substr(kMagic.size(), 16);
  text->erase(0, head);
  if (checksum(*text) != seal) return std::nullopt;
  return std::move(*text);
}

}  // namespace

Cache::Cache(os::Files& disk, const Environment& environment, const Address& address)
    : disk_(disk),
      key_(fmt::format("{}\n{}\n{}\n{}\n", address.endpoint, address.repo, address.file,
                       lower(address.variant))) {
  std::string base = environment("XDG_CACHE_HOME").value_or("");
  if (!base.starts_with('/')) {
    const std::string home = environment("HOME").value_or("");
    base = home.empty() ? "" : home + "/.cache";
  }
  if (!base.empty()) folder_ = base + "/steelyard/hub";
}

std::string Cache::path(const std::string& what) const {
  return fmt::format("{}/{}", folder_, checksum(key_ + what));
}

std::optional<Kept> Cache::find(const std::string& commit) const {
  if (folder_.empty()) return std::nullopt;
  const auto content = opened(disk_, path(commit) + ".headers");
  if (!content) return std::nullopt;
  const std::size_t line = content->find('\n');
  const Json head = parse_shallow(content->substr(0, line));
  if (line == std::string::npos || !head.is_object() || head.value("key", "") != key_ + commit)
    return std::nullopt;
  Kept kept{
      .name = head["name"], .commit = commit, .target = head["target"], .notes = head["notes"]};
  if (head["tensor_bytes"].is_number()) kept.tensor_bytes = head["tensor_bytes"];
  std::size_t at = line + 1;
  for (const Json& file : head["files"]) {
    const std::size_t length = file["held"];
    kept.files[file["path"]] = {content->substr(at, length), file["size"]};
    at += length;
  }
  return kept;
}

std::optional<std::string> Cache::commit_of(const std::string& revision) const {
  if (folder_.empty()) return std::nullopt;
  return opened(disk_, path("revision " + revision) + ".revision");
}

void Cache::keep(const Kept& kept, const std::string& revision) const {
  if (folder_.empty() || !disk_.make_folder(folder_)) return;
  Json files = Json::array();
  std::string bytes;
  for (const auto& [name, begin] : kept.files) {
    files.push_back({{"path", name}, {"size", begin.size}, {"held", begin.bytes.size()}});
    bytes += begin.bytes;
  }
  Json head = {{"key", key_ + kept.commit},
               {"name", kept.name},
               {"target", kept.target},
               {"notes", kept.notes},
               {"files", files}};
  head["tensor_bytes"] = kept.tensor_bytes ? Json(*kept.tensor_bytes) : Json();
  const auto replacing = Json::error_handler_t::replace;
  const std::string content = head.dump(-1, ' ', true, replacing) + "\n" + bytes;
  if (!disk_.write(path(kept.commit) + ".headers", sealed(content))) return;
  (void)disk_.write(path("revision " + revision) + ".revision", sealed(kept.commit));
}

}  // namespace steelyard::hub

// From a name to files: find the commit, list the files, fetch the headers in parallel.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "hub/cache.h"
#include "hub/listing.h"

namespace steelyard::hub {
namespace {

constexpr std::uint64_t kListBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kConfigGuess = 128 * 1024;
constexpr std::uint64_t kHeaderGuess = 64 * 1024, kSmallestGuess = 4 * 1024;
constexpr std::uint64_t kGuessesTogether = std::uint64_t{2} << 20;
// What a reading should cost at most; headers beyond it are read only when nothing else tells.
constexpr std::uint64_t kBudget = 4'500'000;
constexpr std::uint64_t kFormatLimit = 100'000'000;

std::uint64_t header_end(const Beginning& begin) {
  std::uint64_t length = 0;
  if (begin.bytes.size() < 8) return 0;
  std::memcpy(&length, begin.bytes.data(), sizeof length);
  // A claim beyond the format or the file is left to the reader, which says so.
  return length > kFormatLimit || length + 8 > begin.size ? 0 : length + 8;
}

class Fetching {
 public:
  Fetching(os::HttpClient& http, os::Files& disk, const Asked& asked, Address address)
      : http_(http),
        asked_(asked),
        address_(std::move(address)),
        cache_(disk, asked.environment, address_) {}

  Result<Fetched> run() {
    if (asked_.offline) return from_cache();
    const std::string revision = address_.asked_revision();
    if (is_commit(revision) && !asked_.whole_headers) {
      if (auto kept = cache_.find(revision)) return finished(std::move(*kept), nullptr);
    }
    RemoteFiles first(&http_, address_, revision, "");
    auto listing = list(first);
    if (!listing) return fail(std::move(listing.error()));
    if (!asked_.whole_headers) {
      if (auto kept = cache_.find(listing->commit)) {
        return finished(std::move(*kept), &http_, first.traffic);
      }
    }
    return headers(*listing, first.traffic);
  }

 private:
  Result<Fetched> from_cache() {
    const std::string revision = address_.asked_revision();
    const auto commit = is_commit(revision) ? revision : cache_.commit_of(revision).value_or("");
    if (auto kept = cache_.find(commit)) return finished(std::move(*kept), nullptr);
    return fail(
        {.kind = ErrorKind::not_found,
         .what = fmt::format("{} is not in the cache of hub headers, and --offline asks no hub",
                             address_.repo),
         .try_this = "run it once without --offline, or give a local folder"});
  }

  // By the API where the endpoint has it, else by the names that repositories use.
  Result<Listing> list(RemoteFiles& files) {
    const std::string url = address_.list_url();
    auto answer = files.ask(url, kListBytes, asked_.known_names);
    if (answer) return parse_listing(answer->body, address_);
    const bool plain_mirror = answer.error().kind == ErrorKind::not_found && !address_.model_scope;
    if (!plain_mirror) return fail(std::move(answer.error()));
    auto tried = by_names(files);
    if (tried) return tried;
    return fail(std::move(answer.error()));
  }

  Result<Listing> by_names(RemoteFiles& files) {
    Listing listing{.repo = address_.repo};
    const std::string revision = address_.asked_revision();
    const auto note = [&](const std::string& name, const os::HttpResponse& answer) {
      listing.files.push_back({.path = name});
      const std::string commit = answer.header("x-repo-commit");
      if (is_commit(commit)) listing.commit = commit;
    };
    auto config = files.ask(address_.file_url("config.json", revision), kListBytes, {});
    if (!config) return fail(std::move(config.error()));
    note("config.json", *config);
    const std::string index_name = "model.safetensors.index.json";
    if (auto index = files.ask(address_.file_url(index_name, revision), kListBytes, {})) {
      for (const auto& shard : shards_in(index->body)) listing.files.push_back({.path = shard});
    } else {
      listing.files.push_back({.path = "model.safetensors"});
    }
    if (listing.commit.empty()) listing.commit = revision;
    return listing;
  }

  // The file names of an index, without its nine megabytes of tensor names as a document.
  static std::vector<std::string> shards_in(std::string_view text) {
    std::vector<std::string> found;
    constexpr std::string_view end = ".safetensors\"";
    for (std::size_t at = text.find(end); at != std::string_view::npos;
         at = text.find(end, at + 1)) {
      const std::size_t quote = text.rfind('"', at);
      std::string name(text.substr(quote + 1, at - quote + end.size() - 2));
      if (name.find('/') == std::string::npos && (found.empty() || found.back() != name)) {
        found.push_back(std::move(name));
      }
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
  }

  Result<Fetched> headers(const Listing& listing, Traffic traffic) {
    Kept kept{.name = listing.repo, .commit = listing.commit};
    if (listing.repo != address_.repo) {
      kept.notes.push_back(fmt::format("the repository is now called {}", listing.repo));
      address_.repo = listing.repo;
    }
    auto files = std::make_unique<RemoteFiles>(&http_, address_, listing.commit, root_of(kept));
    files->traffic = traffic;
    const auto shards = safetensors_of(listing);
    const bool wants_gguf = !address_.variant.empty() || lower(address_.file).ends_with(".gguf");
    Status got;
    if (!address_.file.empty() && !wants_gguf) {
      if (!listing.has(address_.file)) return fail(no_model(listing));
      kept.target = address_.file;
      got = files->extend({{address_.file, kHeaderGuess}}, asked_.known_names);
    } else if (wants_gguf || shards.empty()) {
      got = gguf(listing, *files, kept);
    } else {
      got = safetensors(listing, shards, *files, kept);
    }
    if (!got) return fail(std::move(got.error()));
    return finished(std::move(kept), std::move(files));
  }

  Status safetensors(const Listing& listing, const std::vector<std::string>& shards,
                     RemoteFiles& files, Kept& kept) {
    if (shards.size() > 2000) {
      return fail({.kind = ErrorKind::too_large,
                   .what = fmt::format("the repository lists {} weight files", shards.size()),
                   .file = files.root(),
                   .try_this = "give the config.json instead"});
    }
    const std::uint64_t guess =
        std::clamp(kGuessesTogether / shards.size(), kSmallestGuess, kHeaderGuess);
    std::vector<std::pair<std::string, std::uint64_t>> wanted;
    const bool config = listing.has("config.json");
    if (config) wanted.emplace_back("config.json", kConfigGuess);
    for (const std::string& shard : shards) wanted.emplace_back(shard, guess);
    if (auto got = files.extend(wanted, asked_.known_names); !got) return got;
    wanted.clear();
    std::uint64_t more = 0, all_files = 0, all_headers = 0;
    for (const std::string& shard : shards) {
      const Beginning& begin = files.held[shard];
      const std::uint64_t end = header_end(begin);
      all_files = saturating_add(all_files, begin.size);
      all_headers += end;
      if (end > begin.bytes.size()) wanted.emplace_back(shard, end - begin.bytes.size());
      if (end > begin.bytes.size()) more += end - begin.bytes.size();
    }
    if (wanted.empty()) return {};
    if (config && !asked_.whole_headers && files.traffic.bytes + more > kBudget) {
      for (const std::string& shard : shards) files.held.erase(shard);
      kept.tensor_bytes = all_files - std::min(all_files, all_headers);
      return {};
    }
    return files.extend(wanted, asked_.known_names);
  }

  Status gguf(const Listing& listing, RemoteFiles& files, Kept& kept) {
    std::string chosen = address_.file;
    if (chosen.empty()) {
      const auto choices = gguf_choices(listing, address_.variant);
      if (choices.size() != 1) return choose(listing, choices, files, kept);
      chosen = choices.front();
    }
    if (!listing.has(chosen)) return fail(no_model(listing));
    kept.target = chosen;
    std::vector<std::pair<std::string, std::uint64_t>> wanted = {{chosen, kHeaderGuess}};
    const std::size_t part = chosen.find("-00001-of-");
    if (part != std::string::npos) {
      for (const ListedFile& file : listing.files) {
        const bool sibling = file.path != chosen && file.path.starts_with(chosen.substr(0, part)) &&
                             file.path.ends_with(chosen.substr(part + 6));
        if (sibling) wanted.emplace_back(file.path, kHeaderGuess);
      }
    }
    return files.extend(wanted, asked_.known_names);
  }

  Status choose(const Listing& listing, const std::vector<std::string>& choices, RemoteFiles& files,
                Kept&) {
    const bool config = choices.empty() && address_.variant.empty() && listing.has("config.json");
    if (config) return files.extend({{"config.json", kConfigGuess}}, asked_.known_names);
    if (choices.empty()) return fail(no_model(listing));
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("{} holds {} GGUF models: {}", address_.repo, choices.size(),
                                     fmt::join(choices, ", ")),
                 .try_this = fmt::format("name one: {}:{}/{}", address_.scheme(), address_.repo,
                                         choices.front())});
  }

  Error no_model(const Listing& listing) const {
    auto choices = gguf_choices(listing, "");
    const std::string wanted = !address_.file.empty() ? " file " + address_.file
                               : !address_.variant.empty()
                                   ? " GGUF model of type " + address_.variant
                                   : " safetensors, GGUF or config.json";
    return {.kind = ErrorKind::not_found,
            .what = fmt::format("{} has no{}", address_.repo, wanted),
            .try_this = choices.empty() ? "name another repository, or one of its files"
                                        : fmt::format("it has {}", fmt::join(choices, ", "))};
  }

  std::string root_of(const Kept& kept) const {
    return fmt::format("{}:{}@{}", address_.scheme(), kept.name, kept.commit.substr(0, 12));
  }

  Fetched finished(Kept kept, os::HttpClient* http, Traffic traffic = {}) {
    address_.repo = kept.name;
    auto files = std::make_unique<RemoteFiles>(http, address_, kept.commit, root_of(kept));
    files->held = std::move(kept.files);
    files->traffic = traffic;
    return finished(std::move(kept), std::move(files), true);
  }

  Fetched finished(Kept kept, std::unique_ptr<RemoteFiles> files, bool from_cache = false) {
    RemoteFiles* const held = files.get();  // owned by what is returned, as the two functions are
    Fetched fetched{.path = held->root(),
                    .name = kept.name,
                    .source = fmt::format("{}:{}@{}", address_.scheme(), kept.name, kept.commit),
                    .notes = kept.notes,
                    .tensor_bytes = kept.tensor_bytes};
    if (!kept.target.empty()) fetched.path += "/" + kept.target;
    fetched.traffic = [held] { return held->traffic; };
    fetched.keep = [held, kept, cache = cache_, revision = address_.asked_revision(), from_cache] {
      Kept full = kept;
      full.files = held->held;
      if (!from_cache) cache.keep(full, revision);
    };
    fetched.files = std::move(files);
    return fetched;
  }

  os::HttpClient& http_;
  const Asked& asked_;
  Address address_;
  Cache cache_;
};

}  // namespace

Result<Fetched> fetch(os::HttpClient& http, os::Files& disk, const Asked& asked,
                      std::string_view model) {
  auto address = parse_address(disk, asked.environment, model);
  if (!address) return fail(std::move(address.error()));
  return Fetching(http, disk, asked, std::move(*address)).run();
}

}  // namespace steelyard::hub

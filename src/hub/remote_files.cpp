#include "hub/remote_files.h"

#include <fmt/format.h>

#include <algorithm>

namespace steelyard::hub {
namespace {

// No reading of one repository may cost more than this, whatever its files claim.
constexpr std::uint64_t kMostHeaders = std::uint64_t{256} << 20;
constexpr std::uint64_t kMostAtOnce = std::uint64_t{4} << 20;

Error read_only(const std::string& path) {
  return {.kind = ErrorKind::internal, .what = "a hub's files are only read", .file = path};
}

Error not_here(const std::string& path) {
  return {.kind = ErrorKind::not_found,
          .what = "the repository has no such file",
          .file = path,
          .try_this = "look at the repository's list of files"};
}

}  // namespace

std::string RemoteFiles::inside(const std::string& path) const {
  return path.starts_with(root_ + "/") ? path.substr(root_.size() + 1) : "";
}

Status RemoteFiles::take(const std::string& file, os::HttpResponse answer, std::uint64_t first) {
  Beginning& begin = held[file];
  const std::string url = address_.file_url(file, commit_);
  const bool whole = answer.status == 200;  // ranges are ignored: the cap has stopped it
  if (whole && first > 0) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "the hub sends whole files where a part was asked for",
                 .file = url,
                 .try_this = "use another mirror, or download the model's header files"});
  }
  if (!whole && answer.range_first.value_or(first) != first) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = "the hub sent another part of the file than was asked for",
                 .file = url,
                 .try_this = "run it again, or use another mirror"});
  }
  std::uint64_t total = answer.total.value_or(0);
  if (whole) total = answer.capped ? 0 : answer.body.size();
  begin.bytes += answer.body;
  if (total == 0) total = begin.size;
  if (whole && answer.capped) {
    std::uint64_t claimed = 0;
    for (const char c : answer.header("content-length")) {
      if (c < '0' || c > '9' || claimed > (std::uint64_t{1} << 50)) break;
      claimed = claimed * 10 + static_cast<std::uint64_t>(c - '0');
    }
    total = std::max(total, claimed);
  }
  begin.size = std::max<std::uint64_t>(total, begin.bytes.size());
  return {};
}

Status RemoteFiles::extend(const std::vector<std::pair<std::string, std::uint64_t>>& wanted,
                           const std::vector<std::string>& known_names) {
  if (http_ == nullptr) {
    return fail({.kind = ErrorKind::not_found,
                 .what = "the cache does not hold enough of this file",
                 .file = root_,
                 .try_this = "run it once without --offline"});
  }
  std::vector<os::HttpRequest> requests;
  std::uint64_t sum = traffic.bytes;
  for (const auto& [file, length] : wanted) {
    sum = saturating_add(sum, length);
    requests.push_back({.url = address_.file_url(file, commit_),
                        .private_headers = address_.secrets,
                        .range = os::HttpRange{held[file].bytes.size(), length},
                        .cap = length});
  }
  if (sum > kMostHeaders) {
    return fail({.kind = ErrorKind::too_large,
                 .what = fmt::format("its headers claim more than {} MiB", kMostHeaders >> 20),
                 .file = root_,
                 .try_this = "the repository may be damaged: give the config.json instead"});
  }
  auto answers = http_->get(requests);
  for (const auto& answer : answers) {
    ++traffic.requests;
    if (answer) traffic.bytes += answer->body.size();
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string& file = wanted[i].first;
    auto good = accept(std::move(answers[i]), address_, requests[i].url,
                       file.ends_with(".md") ? Wanted::anything : Wanted::header, known_names);
    if (!good) return fail(std::move(good.error()));
    if (auto taken = take(file, std::move(*good), requests[i].range->first); !taken) return taken;
  }
  return {};
}

Result<os::HttpResponse> RemoteFiles::ask(const std::string& url, std::uint64_t cap,
                                          const std::vector<std::string>& known_names) {
  auto answers = http_->get({{.url = url, .private_headers = address_.secrets, .cap = cap}});
  ++traffic.requests;
  if (answers[0]) traffic.bytes += answers[0]->body.size();
  return accept(std::move(answers[0]), address_, url, Wanted::json, known_names);
}

os::EntryKind RemoteFiles::kind(const std::string& path) {
  if (path == root_) return os::EntryKind::folder;
  return held.contains(inside(path)) ? os::EntryKind::file : os::EntryKind::missing;
}

Result<std::uint64_t> RemoteFiles::size(const std::string& path) {
  const auto found = held.find(inside(path));
  if (found == held.end()) return fail(not_here(path));
  return found->second.size;
}

Result<std::string> RemoteFiles::read(const std::string& path, std::uint64_t offset,
                                      std::uint64_t length) {
  const auto found = held.find(inside(path));
  if (found == held.end()) return fail(not_here(path));
  Beginning& begin = found->second;
  if (offset >= begin.size) return std::string();
  const std::uint64_t end = offset + std::min(length, begin.size - offset);
  if (end > begin.bytes.size()) {
    // Growing pieces: a short header costs little, a long one few requests.
    const std::uint64_t have = begin.bytes.size();
    const std::uint64_t more =
        std::max(end - have, std::min({have, kMostAtOnce, begin.size - have}));
    if (auto got = extend({{found->first, more}}, {}); !got) return fail(std::move(got.error()));
    if (begin.bytes.size() < end) {
      return fail({.kind = ErrorKind::io,
                   .what = "the hub sent less of the file than its size promises",
                   .file = path,
                   .byte = begin.bytes.size(),
                   .try_this = "run it again, or use another mirror"});
    }
  }
  return begin.bytes.substr(offset, end - offset);
}

Result<std::vector<std::string>> RemoteFiles::list(const std::string& path) {
  if (path != root_) return fail(not_here(path));
  std::vector<std::string> names;
  for (const auto& [name, begin] : held) names.push_back(name);
  return names;
}

Status RemoteFiles::write(const std::string& path, std::string_view) {
  return fail(read_only(path));
}

Status RemoteFiles::make_folder(const std::string& path) {
  return fail(read_only(path));
}

}  // namespace steelyard::hub

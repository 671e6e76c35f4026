#include <fmt/format.h>

#include <set>

#include "os/files.h"

namespace steelyard::os {
namespace {

Error missing(const std::string& path) {
  return {.kind = ErrorKind::not_found,
          .what = "cannot open the file: No such file or directory",
          .file = path,
          .try_this = "check the path"};
}

}  // namespace

EntryKind FilesTwin::kind(const std::string& path) {
  calls.push_back("kind " + path);
  if (files.contains(path)) return EntryKind::file;
  const auto below = files.lower_bound(path + "/");
  return below != files.end() && below->first.starts_with(path + "/") ? EntryKind::folder
                                                                      : EntryKind::missing;
}

Result<std::uint64_t> FilesTwin::size(const std::string& path) {
  calls.push_back("size " + path);
  const auto found = files.find(path);
  if (found == files.end()) return fail(missing(path));
  return found->second.size();
}

Result<std::string> FilesTwin::read(const std::string& path, std::uint64_t offset,
                                    std::uint64_t length) {
  calls.push_back(fmt::format("read {} {} {}", path, offset, length));
  if (const auto fault = faults.find(path); fault != faults.end()) return fail(fault->second);
  const auto found = files.find(path);
  if (found == files.end()) return fail(missing(path));
  if (offset >= found->second.size()) return std::string();
  return found->second.substr(offset, length);
}

Result<std::vector<std::string>> FilesTwin::list(const std::string& path) {
  calls.push_back("list " + path);
  std::set<std::string> names;
  const std::string prefix = path + "/";
  for (auto at = files.lower_bound(prefix); at != files.end() && at->first.starts_with(prefix);
       ++at) {
    const std::string rest = at->first.substr(prefix.size());
    names.insert(rest.substr(0, rest.find('/')));
  }
  if (names.empty()) return fail(missing(path));
  return std::vector<std::string>(names.begin(), names.end());
}

Status FilesTwin::make_folder(const std::string& path) {
  calls.push_back("make_folder " + path);
  return {};
}

Status FilesTwin::write(const std::string& path, std::string_view content) {
  calls.push_back(fmt::format("write {} {}", path, content.size()));
  if (const auto fault = faults.find(path); fault != faults.end()) return fail(fault->second);
  files[path] = std::string(content);
  return {};
}

Result<std::string> read_whole(Files& files, const std::string& path, std::uint64_t limit) {
  auto content = files.read(path, 0, limit + 1);
  if (content && content->size() > limit) {
    return fail({.kind = ErrorKind::too_large,
                 .what = fmt::format("the file is larger than {}", format_bytes(Bytes(limit))),
                 .file = path,
                 .byte = limit,
                 .try_this = "check that this is the file you mean"});
  }
  return content;
}

}  // namespace steelyard::os

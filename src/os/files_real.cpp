#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "os/files.h"

namespace steelyard::os {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Error os_error(const std::string& path, std::string_view doing) {
  const int code = errno;
  return {.kind = code == ENOENT ? ErrorKind::not_found : ErrorKind::io,
          .what = fmt::format("cannot {}: {}", doing, std::strerror(code)),
          .file = path,
          .try_this = code == ENOENT   ? "check the path"
                      : code == EACCES ? "check the permissions of the file and its folder"
                      : code == ENOSPC ? "free some disk space, then run it again"
                      : code == ELOOP  ? "its links lead back to themselves: name the file itself"
                                       : "check the path and the file system it is on"};
}

// Waits until a pipe has something to say, but not for ever.
bool can_read(int fd) {
  constexpr int patience_ms = 5000;
  pollfd one{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&one, 1, patience_ms) > 0;
}

class RealFiles : public Files {
 public:
  EntryKind kind(const std::string& path) override {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) {
      // A link that leads nowhere is there: reading it says why it cannot be followed.
      return ::lstat(path.c_str(), &info) == 0 ? EntryKind::file : EntryKind::missing;
    }
    return S_ISDIR(info.st_mode) ? EntryKind::folder : EntryKind::file;
  }

  bool same(const std::string& a, const std::string& b) override {
    struct stat one{}, other{};
    return ::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
  }

  Result<std::uint64_t> size(const std::string& path) override {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) return fail(os_error(path, "open the file"));
    return static_cast<std::uint64_t>(info.st_size);
  }

  Result<std::string> read(const std::string& path, std::uint64_t offset,
                           std::uint64_t length) override {
    // A named pipe that nobody writes to must not hang the program: opened without waiting.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) return fail(os_error(path, "open the file"));
    struct stat info{};
    if (::fstat(file.get(), &info) != 0) return fail(os_error(path, "read the file"));
    if (S_ISDIR(info.st_mode)) {
      return fail({.kind = ErrorKind::io,
                   .what = "this is a folder, not a file",
                   .file = path,
                   .try_this = "name a file inside it"});
    }
    // A pipe or /proc file has no size: grow as it comes. A regular file bounds the allocation.
    const bool sized = S_ISREG(info.st_mode) && info.st_size > 0;
    const auto total = static_cast<std::uint64_t>(info.st_size);
    if (sized && offset >= total) return std::string();
    std::uint64_t want = sized ? std::min(length, total - offset) : length;
    std::string data;
    while (want > 0) {
      const std::size_t step = static_cast<std::size_t>(std::min<std::uint64_t>(want, 1u << 20));
      const std::size_t before = data.size();
      data.resize(before + step);
      const ssize_t got = S_ISREG(info.st_mode) ? ::pread(file.get(), data.data() + before, step,
                                                          static_cast<off_t>(offset + before))
                                                : ::read(file.get(), data.data() + before, step);
      if (got < 0 && (errno == EINTR || (errno == EAGAIN && can_read(file.get())))) {
        data.resize(before);
        continue;
      }
      if (got < 0) return fail(os_error(path, "read the file"));
      data.resize(before + static_cast<std::size_t>(got));
      if (got == 0) break;
      want -= static_cast<std::uint64_t>(got);
    }
    return data;
  }

  Result<std::vector<std::string>> list(const std::string& path) override {
    std::error_code code;
    std::vector<std::string> names;
    std::filesystem::directory_iterator entry(path, code);
    for (; !code && entry != std::filesystem::directory_iterator(); entry.increment(code)) {
      names.push_back(entry->path().filename().string());
    }
    if (code) {
      errno = code.value();
      return fail(os_error(path, "list the folder"));
    }
    std::ranges::sort(names);
    return names;
  }

  Status write(const std::string& path, std::string_view content) override {
    struct stat info{};
    // A device or pipe (/dev/stdout, a named pipe) cannot be replaced by a rename.
    const bool special = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
    const std::string target = special ? path : path + fmt::format(".part-{}", ::getpid());
    const Descriptor file(::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.get() < 0) return fail(os_error(path, "write the file"));
    while (!content.empty()) {
      const ssize_t done = ::write(file.get(), content.data(), content.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) {
        Error error = os_error(path, "write the file");
        if (!special) ::unlink(target.c_str());
        return fail(std::move(error));
      }
      content.remove_prefix(static_cast<std::size_t>(done));
    }
    if (!special && ::rename(target.c_str(), path.c_str()) != 0) {
      Error error = os_error(path, "write the file");
      ::unlink(target.c_str());
      return fail(std::move(error));
    }
    return {};
  }

  Status make_folder(const std::string& path) override {
    std::error_code code;
    std::filesystem::create_directories(path, code);
    if (!code) return {};
    errno = code.value();
    return fail(os_error(path, "make the folder"));
  }
};

}  // namespace

std::unique_ptr<Files> real_files() {
  return std::make_unique<RealFiles>();
}

}  // namespace steelyard::os

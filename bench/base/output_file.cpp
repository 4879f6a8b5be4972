#include "output_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "command.h"
#include "library.h"
#include "process/quiet_write.h"

namespace command {
namespace {

[[noreturn]] void fail(const std::string &path, const std::string &what, int error) {
  throw Error(fmt::format("{}: {}: {}", path, what, strerror(error)));
}

struct Target {
  std::string file;  // path without symbolic links
  mode_t mode;
};

std::string follow_links(const std::string &path) {
  constexpr int kMostLinks = 40;  // Linux's limit
  std::string name = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    char target[PATH_MAX];
    const ssize_t length = readlink(name.c_str(), target, sizeof target - 1);
    if (length < 0) return name;
    const std::string next(target, static_cast<size_t>(length));
    name = next[0] == '/' ? next : folder_of(name) + "/" + next;
  }
  fail(path, "cannot be written", ELOOP);
}

Target resolve(const std::string &path) {
  if (path.empty()) throw Error("the name of the output file is empty");
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(path, "cannot be written", errno);
    const mode_t mask = umask(0);
    umask(mask);
    return {follow_links(path), 0666 & ~mask};
  }
  if (S_ISDIR(status.st_mode)) throw Error(path + ": cannot be written: it is a directory");
  if (!S_ISREG(status.st_mode)) throw Error(path + ": cannot be written: it exists and is not a regular file");
  if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail(path, "cannot be written", errno);
  char resolved[PATH_MAX];
  if (realpath(path.c_str(), resolved) == nullptr) fail(path, "cannot be written", errno);
  return {resolved, status.st_mode & 07777};
}

// The destructor removes the file unless it was renamed to its target.
class TemporaryFile {
 public:
  TemporaryFile(const std::string &path, const Target &target) : path_(path), target_(target.file) {
    name_ = folder_of(target_) + "/.libsgemm-XXXXXX";
    descriptor_ = mkostemp(name_.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail(path_, "cannot be created in its folder", errno);
    if (fchmod(descriptor_, target.mode) != 0) fail_here(errno);
  }
  ~TemporaryFile() { discard(); }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  void write(const Piece &piece) {
    constexpr size_t kMost = size_t{1} << 30;  // write(2) takes at most 2 GiB
    const char *data = static_cast<const char *>(piece.data);
    for (size_t left = piece.bytes; left > 0;) {
      const ssize_t written = libsgemm::write_quietly(descriptor_, data, std::min(left, kMost));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_here(errno);
      data += written;
      left -= static_cast<size_t>(written);
    }
  }

  void rename_to_target() {
    if (fsync(descriptor_) != 0) fail_here(errno);
    if (rename(name_.c_str(), target_.c_str()) != 0) fail_here(errno);
    close(descriptor_);
    descriptor_ = -1;
  }

 private:
  [[noreturn]] void fail_here(int error) {
    discard();
    fail(path_, "cannot be written", error);
  }
  void discard() {
    if (descriptor_ < 0) return;
    unlink(name_.c_str());
    close(descriptor_);
    descriptor_ = -1;
  }

  std::string path_, target_, name_;
  int descriptor_ = -1;
};

}  // namespace

void check_output(const std::string &path) { TemporaryFile file(path, resolve(path)); }

void write_output(const std::string &path, const std::vector<Piece> &pieces) {
  TemporaryFile file(path, resolve(path));
  for (const Piece &piece : pieces) file.write(piece);
  file.rename_to_target();
}

UpdateLock::UpdateLock(const std::string &path)
    : folder_(open(folder_of(resolve(path).file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (folder_ >= 0 && flock(folder_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

UpdateLock::~UpdateLock() {
  if (folder_ >= 0) close(folder_);
}

void remove_output(const std::string &path) {
  if (unlink(path.c_str()) == 0) {
    fmt::print("{} is removed\n", path);
  } else if (errno == ENOENT) {
    fmt::print("{}: there is none\n", path);
  } else {
    fail(path, "cannot be removed", errno);
  }
}

std::string output_or_cached(const std::string &asked, const std::string &cached) {
  if (!asked.empty()) return asked;
  if (cached.empty()) throw Error("neither XDG_CACHE_HOME nor HOME names a folder: use --output FILE");
  return cached;
}

}  // namespace command

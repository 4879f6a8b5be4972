// One file descriptor, one write a line.
#include "log.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace libsgemm {
namespace {

std::atomic<int> g_level{0};
std::atomic<int> g_file{STDERR_FILENO};

}  // namespace

void log_open(int verbose, const std::string &path) {
  g_level = verbose;
  if (path.empty()) return;
  std::string name = path;
  const std::string pid = std::to_string(getpid());
  for (size_t at = name.find("%p"); at != std::string::npos; at = name.find("%p", at + pid.size())) {
    name.replace(at, 2, pid);
  }
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file >= 0) {
    g_file = file;
  } else {
    log_line(0, "LIBSGEMM_LOG_PATH=" + name + " cannot be opened (" + std::strerror(errno) + "): logging to stderr");
  }
}

bool log_wants(int level) { return level <= g_level.load(std::memory_order_relaxed); }

void log_line(int level, const std::string &text) {
  if (!log_wants(level)) return;
  const std::string line = "libsgemm: " + text + "\n";
  const int saved = errno;
  // A log that cannot be written has nowhere to say so; the call it tells of goes on.
  [[maybe_unused]] const ssize_t written = write(g_file.load(), line.data(), line.size());
  errno = saved;
}

}  // namespace libsgemm

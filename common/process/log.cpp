// Each line is one write().
#include "log.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "quiet_write.h"

namespace libsgemm {
namespace {

// Identifies the log's file: the program may have closed the descriptor and given it to another file.
struct LogFile {
  int descriptor;
  dev_t device;
  ino_t inode;
  const LogFile *before;  // earlier file; not freed: another thread may still read it
};

std::atomic<int> g_level{0};
std::atomic<const LogFile *> g_file{nullptr};  // NULL: stderr
char g_path[PATH_MAX];                         // written before g_file, valid while that is not NULL

bool is_still(const LogFile &file) {
  struct stat status;
  return fstat(file.descriptor, &status) == 0 && status.st_dev == file.device && status.st_ino == file.inode;
}

// Does not wait for a FIFO's reader. Avoids the numbers of the standard streams.
int open_at_end(const char *path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);
  if (file < 0 || file > STDERR_FILENO) return file;
  const int higher = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int saved = errno;
  close(file);
  errno = saved;
  return higher;
}

bool put_in_place(int descriptor, const LogFile *before) {
  struct stat status = {};
  fstat(descriptor, &status);
  const LogFile *file = new (std::nothrow) LogFile{descriptor, status.st_dev, status.st_ino, before};
  if (file != nullptr && g_file.compare_exchange_strong(before, file, std::memory_order_acq_rel)) return true;
  close(descriptor);
  const bool another = file != nullptr;
  delete file;
  return another;
}

// Absolute: the given name may be relative to a folder that the program leaves, or name a descriptor. Empty for a pipe.
void remember_path(int descriptor, const char *name) {
  char link[32];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, g_path, sizeof g_path - 1);
  g_path[length > 0 ? length : 0] = '\0';
  if (length <= 0 && realpath(name, g_path) == nullptr) g_path[0] = '\0';
  struct stat status;
  if (g_path[0] != '/' || stat(g_path, &status) != 0) g_path[0] = '\0';
}

// Opened again if the program has closed it; -1: none.
int descriptor() {
  const LogFile *file = g_file.load(std::memory_order_acquire);
  if (file == nullptr) return STDERR_FILENO;
  if (is_still(*file)) return file->descriptor;
  const int again = g_path[0] != '\0' ? open_at_end(g_path) : -1;
  return again >= 0 && put_in_place(again, file) ? g_file.load(std::memory_order_acquire)->descriptor : -1;
}

}  // namespace

void log_open(int verbose, const std::string &path) {
  g_level = verbose;
  if (path.empty() || g_file.load() != nullptr) return;
  std::string name = path;
  const std::string pid = std::to_string(getpid());
  for (size_t at = name.find("%p"); at != std::string::npos; at = name.find("%p", at + pid.size())) {
    name.replace(at, 2, pid);
  }
  const int file = open_at_end(name.c_str());
  const int error = errno;
  if (file >= 0) remember_path(file, name.c_str());
  if (file < 0 || !put_in_place(file, nullptr)) {
    const char *const why = std::strerror(file < 0 ? error : ENOMEM);
    log_line(0, "LIBSGEMM_LOG_PATH=" + name + " cannot be opened (" + why + "): logging to stderr");
  }
}

bool log_wants(int level) { return level <= g_level.load(std::memory_order_relaxed); }

void log_line(int level, const std::string &text) {
  if (!log_wants(level)) return;
  const std::string line = "libsgemm: " + text + "\n";
  const int saved = errno;
  const int file = descriptor();
  if (file >= 0) write_quietly(file, line.data(), line.size());
  errno = saved;
}

}  // namespace libsgemm

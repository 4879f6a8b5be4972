// A write's signals go to the writing thread: blocking them there affects no other thread.
#include "quiet_write.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace libsgemm {
namespace {

// Removes a signal of a failed write at the end; one pending before stays pending.
class NoSignals {
 public:
  NoSignals() {
    sigset_t waiting;
    sigpending(&waiting);
    sigemptyset(&held_);
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
      if (sigismember(&waiting, signal) == 0) sigaddset(&held_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~NoSignals() {
    const int saved = errno;
    const timespec no_time = {};
    if (failed) {
      while (sigtimedwait(&held_, nullptr, &no_time) > 0 || errno == EINTR) continue;
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = saved;
  }
  NoSignals(const NoSignals &) = delete;
  NoSignals &operator=(const NoSignals &) = delete;

  bool failed = false;

 private:
  sigset_t held_, before_;
};

}  // namespace

ssize_t write_quietly(int file, const void *data, size_t bytes) {
  NoSignals guard;
  const ssize_t written = write(file, data, bytes);
  guard.failed = written < 0;
  return written;
}

int reserve_quietly(int file, size_t bytes) {
  NoSignals guard;
  int error = EINTR;
  while (error == EINTR) error = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  guard.failed = error != 0;
  return error;
}

}  // namespace libsgemm

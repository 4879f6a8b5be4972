// A process that hinders the library's writing, reading of numbers or setting of a variable, then calls it.
//
//   probe_rough --report FILE --mode MODE [--file FILE] [--locale NAME]
//
#include <libsgemm.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <locale>
#include <map>
#include <string>
#include <thread>
#include <vector>

extern "C" void cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha, const float *a,
                            int lda, const float *b, int ldb, float beta, float *c, int ldc);

namespace {

std::map<std::string, std::string> options;
std::FILE *report;
std::string backend;

void tell(const std::string &key, const std::string &value) {
  std::fprintf(report, "%s=%s\n", key.c_str(), value.c_str());
  std::fflush(report);
}

// Makes a 20 x 20 x 20 product, whose elements are 20, and a drop-in call with an illegal argument. Returns the fault
// or "".
std::string call() {
  constexpr int kSize = 20;
  static float a[kSize * kSize], b[kSize * kSize], c[kSize * kSize];
  for (int i = 0; i < kSize * kSize; ++i) a[i] = b[i] = 1, c[i] = -1;
  const libsgemm_status_t status = libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, kSize,
                                                  kSize, kSize, 1, a, kSize, b, kSize, 0, c, kSize);
  libsgemm_info_t info;
  libsgemm_last_info(&info);
  if (status != LIBSGEMM_SUCCESS) return info.message;
  backend = info.backend;
  for (const float value : c) {
    if (value != kSize) return "the result is wrong";
  }
  cblas_sgemm(102, 111, 111, -1, kSize, kSize, 1, a, kSize, b, kSize, 0, c, kSize);
  return c[0] == kSize ? "" : "a call with an illegal argument wrote";
}

// No write signal may be pending or blocked.
void tell_signals() {
  sigset_t pending, blocked;
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  int count = 0;
  for (const int signal : {SIGPIPE, SIGXFSZ}) count += sigismember(&pending, signal) + sigismember(&blocked, signal);
  tell("signals", std::to_string(count));
}

int file_limit_mode() {
  rlimit before, none;
  getrlimit(RLIMIT_FSIZE, &before);
  none = before;
  none.rlim_cur = 0;
  setrlimit(RLIMIT_FSIZE, &none);
  const std::string fault = call();
  setrlimit(RLIMIT_FSIZE, &before);
  tell("fault", fault);
  tell_signals();
  return 0;
}

int closed_pipe_mode() {
  int ends[2];
  if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) != STDERR_FILENO) return 2;
  close(ends[0]);
  close(ends[1]);
  tell("fault", call());
  tell_signals();
  return 0;
}

// Daemons close all descriptors. The library's then belong to another file.
int closed_descriptors_mode() {
  tell("first", call());
  const int kept = fileno(report);
  for (int descriptor = 3; descriptor < 256; ++descriptor) {
    if (descriptor != kept) close(descriptor);
  }
  std::vector<int> files;
  for (int i = 0; i < 32; ++i) files.push_back(open(options["file"].c_str(), O_WRONLY | O_CREAT, 0600));
  tell("fault", call());
  tell("again", call());
  struct stat status;
  int open_files = 0;
  for (const int file : files) open_files += fstat(file, &status) == 0 ? 1 : 0;
  tell("open", std::to_string(open_files));
  return 0;
}

int moved_mode() {
  tell("first", call());
  if (chdir("/") != 0) return 2;
  return closed_descriptors_mode();
}

int locale_mode() {
  const char *name = options["locale"].c_str();
  if (setlocale(LC_ALL, name) == nullptr) return 4;
  std::locale::global(std::locale(name));
  char text[8];
  std::snprintf(text, sizeof text, "%.1f", 0.5);
  tell("half", text);
  tell("fault", call());
  return 0;
}

// The variables exist already, so that the list of variables does not move.
int setenv_mode() {
  constexpr int kVariables = 200;
  const auto name = [](int i) { return "PROBE_VARIABLE_" + std::to_string(i); };
  for (int i = 0; i < kVariables; ++i) setenv(name(i).c_str(), "none", 1);
  std::atomic<bool> called{false};
  int last = 0;
  std::thread other([&] {
    for (int i = 0; !called; ++i) {
      setenv(name(i % kVariables).c_str(), std::to_string(i).c_str(), 1);
      last = i;
      usleep(100);
    }
  });
  const std::string fault = call();
  called = true;
  other.join();
  int lost = 0;
  for (int i = std::max(0, last - kVariables + 1); i <= last; ++i) {
    const char *value = getenv(name(i % kVariables).c_str());
    lost += value == nullptr || value != std::to_string(i) ? 1 : 0;
  }
  tell("fault", fault);
  tell("backend", backend);
  tell("set", std::to_string(last + 1));
  tell("lost", std::to_string(lost));
  const char *timeout = getenv("OPENBLAS_THREAD_TIMEOUT");
  tell("timeout", timeout != nullptr ? timeout : "none");
  return 0;
}

int run(const std::string &mode) {
  if (mode == "file-limit") return file_limit_mode();
  if (mode == "closed-pipe") return closed_pipe_mode();
  if (mode == "closed-descriptors") return closed_descriptors_mode();
  if (mode == "moved") return moved_mode();
  if (mode == "locale") return locale_mode();
  if (mode == "setenv") return setenv_mode();
  tell("fault", call());
  tell_signals();
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i] + std::strlen("--")] = argv[i + 1];
  report = std::fopen(options["report"].c_str(), "we");
  if (report == nullptr) return 2;
  return run(options["mode"]);
}

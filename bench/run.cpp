// `libsgemm run`: starts a program with libsgemm_blas.so preloaded, waits for it, and reports which calls of it and of
// the programs it started went where.
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "command.h"
#include "library.h"
#include "output_file.h"
#include "stats_report.h"

namespace command {
namespace {

// As the shell and env(1) have it.
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;
constexpr int kSignalled = 128;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char *parent = getenv("TMPDIR");
    path_ = std::string(parent != nullptr && parent[0] != '\0' ? parent : "/tmp") + "/libsgemm-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) {
      throw Error(fmt::format("{}: cannot be created: {}", path_, strerror(errno)));
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

std::string drop_in() {
  std::string path = folder_of(library_file()) + "/libsgemm_blas.so";
  if (access(path.c_str(), R_OK) != 0) throw Error(fmt::format("{}: {}", path, strerror(errno)));
  if (path.find_first_of(": ") != std::string::npos) {
    throw Error(path + ": LD_PRELOAD cannot hold a path with a space or a colon");
  }
  return path;
}

void prepare_environment(const RunOptions &options, const std::string &folder) {
  if (!options.backend.empty()) {
    Handle handle;
    require(libsgemm_set_backend(handle, options.backend.c_str()));
    setenv("LIBSGEMM_BACKEND", options.backend.c_str(), 1);
  }
  const char *preload = getenv("LD_PRELOAD");
  const std::string others = preload != nullptr && preload[0] != '\0' ? std::string(":") + preload : "";
  setenv("LD_PRELOAD", (drop_in() + others).c_str(), 1);
  setenv("LIBSGEMM_STATS_DIR", folder.c_str(), 1);
}

// Signals that ask a program to do something: the ones sent to this process are passed on.
sigset_t forwarded_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) sigaddset(&set, signal);
  return set;
}

// The child gets the signal mask that this process had. Throws Error, or returns the exit status for a program that
// cannot be started in *failure.
pid_t start(const std::vector<std::string> &program, const sigset_t &mask, int *failure) {
  std::vector<char *> arguments;
  arguments.reserve(program.size() + 1);
  for (const std::string &argument : program) arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = -1;
  const int error = posix_spawnp(&child, arguments[0], nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return child;
  fmt::print(stderr, "libsgemm run: {}: {}\n", program[0], strerror(error));
  *failure = error == ENOENT ? kNotFound : kNotExecutable;
  return -1;
}

// A signal that the terminal sends to the whole foreground group has reached the child already.
bool from_terminal(const siginfo_t &info) { return info.si_code == SI_KERNEL; }

int wait_for(pid_t child, const sigset_t &awaited) {
  for (;;) {
    siginfo_t info;
    const int signal = sigwaitinfo(&awaited, &info);
    if (signal > 0 && signal != SIGCHLD) {
      if (!from_terminal(info)) kill(child, signal);
      continue;
    }
    int status;
    if (waitpid(child, &status, WNOHANG) != child) continue;
    return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
  }
}

// The exit status of the program, as a shell has it.
int run_program(const std::vector<std::string> &program, bool *started) {
  signal(SIGCHLD, SIG_DFL);
  sigset_t awaited = forwarded_signals(), previous;
  sigaddset(&awaited, SIGCHLD);
  sigprocmask(SIG_BLOCK, &awaited, &previous);
  int status = 0;
  const pid_t child = start(program, previous, &status);
  *started = child > 0;
  return *started ? wait_for(child, awaited) : status;
}

constexpr char kNoCalls[] =
    "no call of single-precision level 3 arrived. Either the program made none (double precision, for one, stays with\n"
    "the BLAS it has), or its BLAS cannot be replaced by preloading: it is linked statically, is bound to its own "
    "copy\n"
    "under other names, or the program is set-user-id or clears LD_PRELOAD or LIBSGEMM_STATS_DIR.\n";

std::string make_report(const RunOptions &options, const std::string &folder, int status) {
  std::vector<std::string> problems;
  const std::vector<ProcessCalls> processes = read_statistics(folder, &problems);
  for (const std::string &problem : problems) fmt::print(stderr, "libsgemm run: {}\n", problem);
  if (options.json) return statistics_json(processes, options.program[0], status);
  if (processes.empty()) return fmt::format("libsgemm run: {}: {}", options.program[0], kNoCalls);
  return fmt::format("libsgemm run: calls of {} (time: inside the library, summed over threads)\n{}",
                     options.program[0], statistics_table(processes));
}

}  // namespace

int run(const RunOptions &options) {
  if (!options.output.empty()) check_output(options.output);
  const TemporaryFolder folder;
  prepare_environment(options, folder.path());
  bool started = false;
  const int status = run_program(options.program, &started);
  if (!started) return status;
  const std::string report = make_report(options, folder.path(), status);
  if (options.output.empty()) {
    fmt::print(stderr, "{}", report);
  } else {
    write_output(options.output, {{report.data(), report.size()}});
  }
  return status;
}

}  // namespace command

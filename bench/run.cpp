// `libsgemm run`: starts a program with libsgemm_blas.so preloaded, waits for it, and reports which calls of it and of
// the programs it started went where.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <filesystem>
#include <system_error>
#include <vector>

#include "command.h"
#include "library.h"
#include "output_file.h"
#include "quiet_write.h"
#include "stats.h"
#include "stats_report.h"

namespace command {
namespace {

// As the shell and env(1) have it.
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;
constexpr int kSignalled = 128;

// For the user, who may have closed stderr: that ends neither this process nor the program.
void say(const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = libsgemm::write_quietly(STDERR_FILENO, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    done += static_cast<size_t>(written);
  }
}

// Where the program's processes count their calls.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char *parent = getenv("TMPDIR");
    path_ = std::string(parent != nullptr && parent[0] != '\0' ? parent : "/tmp") + "/libsgemm-XXXXXX";
    exists_ = mkdtemp(path_.data()) != nullptr;
    const int error = exists_ ? try_file() : errno;
    if (error != 0) problem_ = fmt::format("calls are not counted: {} cannot be written: {}", path_, strerror(error));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (exists_) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::string &path() const { return path_; }
  const std::string &problem() const { return problem_; }  // empty if there is none

 private:
  // Whether there is room for the counts of a process. 0, or the number of the error.
  int try_file() const {
    const std::string name = path_ + "/room";
    const int file = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    const int error = libsgemm::reserve_quietly(file, sizeof(libsgemm::StatsFile));
    close(file);
    unlink(name.c_str());
    return error;
  }

  std::string path_, problem_;
  bool exists_ = false;
};

std::string drop_in() {
  std::string path = folder_of(library_file()) + "/libsgemm_blas.so";
  if (access(path.c_str(), R_OK) != 0) throw Error(fmt::format("{}: {}", path, strerror(errno)));
  if (path.find_first_of(": ") != std::string::npos) {
    throw Error(path + ": LD_PRELOAD cannot hold a path with a space or a colon");
  }
  return path;
}

void prepare_environment(const RunOptions &options, const TemporaryFolder &folder) {
  if (!options.backend.empty()) {
    Handle handle;
    require(libsgemm_set_backend(handle, options.backend.c_str()));
    setenv("LIBSGEMM_BACKEND", options.backend.c_str(), 1);
  }
  const char *preload = getenv("LD_PRELOAD");
  const std::string others = preload != nullptr && preload[0] != '\0' ? std::string(":") + preload : "";
  setenv("LD_PRELOAD", (drop_in() + others).c_str(), 1);
  if (folder.problem().empty()) {
    setenv("LIBSGEMM_STATS_DIR", folder.path().c_str(), 1);
  } else {
    unsetenv("LIBSGEMM_STATS_DIR");
    say("libsgemm run: " + folder.problem() + "\n");
  }
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
  say(fmt::format("libsgemm run: {}: {}\n", program[0], strerror(error)));
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

std::string make_report(const RunOptions &options, const TemporaryFolder &folder, int status) {
  std::vector<std::string> problems;
  std::vector<ProcessCalls> processes;
  if (folder.problem().empty()) {
    processes = read_statistics(folder.path(), &problems);
    for (const std::string &problem : problems) say(fmt::format("libsgemm run: {}\n", problem));
  } else {
    problems.push_back(folder.problem());  // told before the program began
  }
  if (options.json) return statistics_json(processes, options.program[0], status, problems);
  if (!processes.empty()) {
    return fmt::format("libsgemm run: calls of {} (time: inside the library, summed over threads)\n{}",
                       options.program[0], statistics_table(processes));
  }
  return problems.empty() ? fmt::format("libsgemm run: {}: {}", options.program[0], kNoCalls) : "";
}

// Whatever becomes of the report, the exit status is the program's.
void deliver_report(const RunOptions &options, const TemporaryFolder &folder, int status) {
  try {
    const std::string report = make_report(options, folder, status);
    if (options.output.empty()) {
      say(report);
    } else {
      write_output(options.output, {{report.data(), report.size()}});
    }
  } catch (const std::exception &error) {
    say(fmt::format("libsgemm run: {}\n", error.what()));
  }
}

}  // namespace

int run(const RunOptions &options) {
  if (!options.output.empty()) check_output(options.output);
  const TemporaryFolder folder;
  prepare_environment(options, folder);
  bool started = false;
  const int status = run_program(options.program, &started);
  if (started) deliver_report(options, folder, status);
  return status;
}

}  // namespace command

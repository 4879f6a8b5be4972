// `libsgemm run`: runs a program with the drop-ins preloaded, and reports where calls of it and its children were
// computed.
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <exception>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/command.h"
#include "base/library.h"
#include "base/output_file.h"
#include "base/stats_report.h"
#include "base/timing.h"
#include "model/recorded_calls.h"
#include "process/quiet_write.h"
#include "process/stats.h"

namespace command {
namespace {

constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;
constexpr int kSignalled = 128;

// A closed stderr ends neither this process nor the program.
void say(const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = libsgemm::write_quietly(STDERR_FILENO, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    done += static_cast<size_t>(written);
  }
}

// Returns a readable process with this variable in its initial environment, or 0.
pid_t find_process_with(const std::string &variable) {
  std::error_code end;
  for (std::filesystem::directory_iterator at("/proc", end), last; !end && at != last; at.increment(end)) {
    const pid_t pid = atoi(at->path().filename().c_str());
    if (pid <= 0 || pid == getpid()) continue;
    std::ifstream file(at->path() / "environ", std::ios::binary);
    for (std::string line; std::getline(file, line, '\0');) {
      if (line == variable) return pid;
    }
  }
  return 0;
}

// Folder of the call counts: LIBSGEMM_STATS_DIR, or a temporary one, removed unless a process still counts there.
class StatsFolder {
 public:
  StatsFolder() {
    const char *asked = getenv("LIBSGEMM_STATS_DIR");
    const bool kept = asked != nullptr && asked[0] != '\0';
    const int error = kept ? take(asked) : make();
    if (error != 0) problem_ = fmt::format("calls are not counted: {} cannot be written: {}", path_, strerror(error));
  }
  ~StatsFolder() {
    std::error_code ignored;
    std::filesystem::remove(mark(), ignored);
    if (!temporary_) return;
    const pid_t left = find_process_left();
    if (left == 0) {
      std::filesystem::remove_all(path_, ignored);
    } else {
      say(fmt::format("libsgemm run: process {} is still running; `libsgemm stats {}` has its calls\n", left, path_));
    }
  }
  StatsFolder(const StatsFolder &) = delete;
  StatsFolder &operator=(const StatsFolder &) = delete;
  const std::string &path() const { return path_; }
  uint64_t since() const { return since_; }
  // The drop-in removes the mark when a process loads it.
  bool drop_in_was_loaded() const { return access(mark().c_str(), F_OK) != 0; }
  const std::string &problem() const { return problem_; }

 private:
  std::string mark() const { return path_ + "/" + libsgemm::kNotPreloaded; }

  // Returns 0 if there is none. Waits up to 0.2 s for processes that end shortly after the program.
  pid_t find_process_left() const {
    constexpr timespec kMoment = {0, 10000000};
    const std::string variable = "LIBSGEMM_STATS_DIR=" + path_;
    for (int tries = 0; tries < 20; ++tries) {
      if (find_process_with(variable) == 0) return 0;
      nanosleep(&kMoment, nullptr);
    }
    return find_process_with(variable);
  }

  int make() {
    const char *parent = getenv("TMPDIR");
    path_ = std::string(parent != nullptr && parent[0] != '\0' ? parent : "/tmp") + "/libsgemm-XXXXXX";
    temporary_ = mkdtemp(path_.data()) != nullptr;
    return temporary_ ? try_file() : errno;
  }

  // Makes the path absolute: processes may change their folder.
  int take(const char *asked) {
    char whole[PATH_MAX];
    path_ = asked;
    if (realpath(asked, whole) == nullptr) return errno;
    path_ = whole;
    return try_file();
  }

  // Checks the room for a process's counts. Returns 0 or the errno.
  int try_file() const {
    const std::string name = mark();
    const int file = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    const int error = libsgemm::reserve_quietly(file, sizeof(libsgemm::StatsFile));
    const bool empty = ftruncate(file, 0) == 0;
    close(file);
    return error == 0 && !empty ? errno : error;
  }

  std::string path_, problem_;
  bool temporary_ = false;
  const uint64_t since_ = time_of_day();
};

// LD_PRELOAD: the BLAS drop-in, and those of cuBLAS and rocBLAS if installed.
std::string drop_ins() {
  const std::string folder = folder_of(library_file());
  std::string path = folder + "/libsgemm_blas.so";
  if (access(path.c_str(), R_OK) != 0) throw Error(fmt::format("{}: {}", path, strerror(errno)));
  if (path.find_first_of(": ") != std::string::npos) {
    throw Error(path + ": LD_PRELOAD cannot hold a path with a space or a colon");
  }
  for (const char *const name : {"/libsgemm_cublas.so", "/libsgemm_rocblas.so"}) {
    const std::string file = folder + name;
    if (access(file.c_str(), R_OK) == 0) path += ":" + file;
  }
  return path;
}

void prepare_environment(const RunOptions &options, const StatsFolder &folder) {
  if (!options.backend.empty()) {
    Handle handle;
    require(libsgemm_set_backend(handle, options.backend.c_str()));
    setenv("LIBSGEMM_BACKEND", options.backend.c_str(), 1);
  }
  const char *preload = getenv("LD_PRELOAD");
  const std::string others = preload != nullptr && preload[0] != '\0' ? std::string(":") + preload : "";
  setenv("LD_PRELOAD", (drop_ins() + others).c_str(), 1);
  if (folder.problem().empty()) {
    setenv("LIBSGEMM_STATS_DIR", folder.path().c_str(), 1);
    if (!options.record.empty()) setenv("LIBSGEMM_STATS_CALLS", "1", 1);
  } else {
    unsetenv("LIBSGEMM_STATS_DIR");
    say("libsgemm run: " + folder.problem() + "\n");
  }
}

sigset_t forwarded_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) sigaddset(&set, signal);
  return set;
}

// Starts the program with signal mask `mask`. Returns its pid, or -1 and the exit status in *failure. Throws Error.
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

// Tells whether a signal went to the whole process group, as from a terminal or timeout(1), and so has reached the
// program. For that, a forked process in the group keeps its signals pending.
class GroupWitness {
 public:
  // The caller must have blocked all forwarded signals.
  GroupWitness() {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets_) != 0) return;
    process_ = fork();
    if (process_ == 0) answer();
    close(sockets_[1]);
  }
  ~GroupWitness() {
    if (process_ < 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  GroupWitness(const GroupWitness &) = delete;
  GroupWitness &operator=(const GroupWitness &) = delete;

  // Call it for each signal. Without a fork, the kernel's signals, such as a terminal's, count as the group's.
  bool went_to_group(const siginfo_t &info) {
    // Members of a group get a signal one after the other. timeout(1) signals this process, then the group: both count
    // as one.
    constexpr timespec kDelivery = {0, 20000000};
    nanosleep(&kDelivery, nullptr);
    take_pending(info.si_signo);
    int answer = 0;
    const bool asked = process_ > 0 && kill(process_, SIGCONT) == 0 &&
                       send(sockets_[0], &info.si_signo, sizeof info.si_signo, MSG_NOSIGNAL) > 0 &&
                       recv(sockets_[0], &answer, sizeof answer, 0) == sizeof answer;
    return asked ? answer != 0 : info.si_code == SI_KERNEL;
  }

 private:
  static bool take_pending(int signal) {
    constexpr timespec kNow = {0, 0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    return sigtimedwait(&set, nullptr, &kNow) == signal;
  }

  [[noreturn]] void answer() {
    close(sockets_[0]);
    for (int signal = 0; recv(sockets_[1], &signal, sizeof signal, 0) == sizeof signal;) {
      const int got = take_pending(signal) ? 1 : 0;
      send(sockets_[1], &got, sizeof got, MSG_NOSIGNAL);
    }
    _exit(0);
  }

  int sockets_[2] = {-1, -1};
  pid_t process_ = -1;
};

int wait_for(pid_t child, const sigset_t &awaited, GroupWitness *witness) {
  for (;;) {
    siginfo_t info;
    const int signal = sigwaitinfo(&awaited, &info);
    if (signal > 0 && signal != SIGCHLD) {
      if (!witness->went_to_group(info)) kill(child, signal);
      continue;
    }
    int status;
    if (waitpid(child, &status, WNOHANG) != child) continue;
    return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
  }
}

// Returns the exit status as a shell reports it.
int run_program(const std::vector<std::string> &program, bool *started) {
  signal(SIGCHLD, SIG_DFL);
  sigset_t awaited = forwarded_signals(), previous;
  sigaddset(&awaited, SIGCHLD);
  sigprocmask(SIG_BLOCK, &awaited, &previous);
  int status = 0;
  GroupWitness witness;
  const pid_t child = start(program, previous, &status);
  *started = child > 0;
  return *started ? wait_for(child, awaited, &witness) : status;
}

const char *why_no_calls(const StatsFolder &folder) {
  return folder.drop_in_was_loaded()
             ? "no call of single-precision level 3 arrived, and no process that ended had a library with a "
               "BLAS:\nthe program makes no such calls, its BLAS is linked statically or hidden in another library, or "
               "LD_PRELOAD was "
               "cleared."
             : "no call of single-precision level 3 arrived: the drop-in was not loaded. The program is linked "
               "statically or\nset-user-id, or clears LD_PRELOAD or LIBSGEMM_STATS_DIR.";
}

std::string make_report(const RunOptions &options, const StatsFolder &folder, const RunResult &result) {
  std::vector<std::string> problems;
  std::vector<ProcessCalls> processes;
  if (folder.problem().empty()) {
    processes = read_statistics(folder.path(), folder.since(), &problems);
    for (const std::string &problem : problems) say(fmt::format("libsgemm run: {}\n", problem));
  } else {
    problems.push_back(folder.problem());
  }
  if (options.json) {
    if (processes.empty() && problems.empty()) problems.emplace_back(why_no_calls(folder));
    return statistics_json(processes, &result, problems);
  }
  if (has_calls(processes)) {
    return fmt::format(
        "libsgemm run: calls of {}, which ran for {} (time: inside the library, summed over threads; share: of the "
        "time of its process)\n{}",
        result.program, duration_text(result.seconds), statistics_table(processes));
  }
  if (!processes.empty()) return fmt::format("libsgemm run: {}", statistics_table(processes));
  return problems.empty() ? fmt::format("libsgemm run: {}: {}\n", result.program, why_no_calls(folder)) : "";
}

// Errors do not change the exit status, which is the program's.
void deliver_report(const RunOptions &options, const StatsFolder &folder, const RunResult &result) {
  try {
    const std::string report = make_report(options, folder, result);
    if (options.output.empty()) {
      say(report);
    } else {
      write_output(options.output, {{report.data(), report.size()}});
    }
  } catch (const std::exception &error) {
    say(fmt::format("libsgemm run: {}\n", error.what()));
  }
}

// Without statistics the file stays as it was.
void deliver_record(const std::string &path, const StatsFolder &folder) {
  try {
    std::vector<std::string> problems;
    if (!folder.problem().empty()) throw Error(fmt::format("{}: not written, since {}", path, folder.problem()));
    const std::string text = calls_to_text(collect_calls(folder.path(), folder.since(), &problems));
    for (const std::string &problem : problems) say(fmt::format("libsgemm run: {}\n", problem));
    write_output(path, {{text.data(), text.size()}});
  } catch (const std::exception &error) {
    say(fmt::format("libsgemm run: {}\n", error.what()));
  }
}

}  // namespace

int run(const RunOptions &options) {
  for (const std::string &file : {options.output, options.record}) {
    if (!file.empty()) check_output(file);
  }
  const StatsFolder folder;
  prepare_environment(options, folder);
  bool started = false;
  const double start = now();
  const int status = run_program(options.program, &started);
  if (started) deliver_report(options, folder, {options.program[0], status, now() - start});
  if (started && !options.record.empty()) deliver_record(options.record, folder);
  return status;
}

}  // namespace command

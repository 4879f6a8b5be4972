// Calls succeed under hindrances, and the library writes nothing where it must not.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "process/quiet_write.h"
#include "support/catch.h"
#include "support/process.h"

using namespace sgemm_test;

namespace {

Outcome probe(const std::string &mode, const Environment &environment, std::vector<std::string> arguments = {},
              std::vector<std::string> command = {}) {
  arguments.insert(arguments.end(), {"--mode", mode});
  command.push_back(PROBE);
  Outcome outcome = run_probe_by(command, arguments, environment);
  INFO(outcome.description());
  CHECK_FALSE(outcome.timed_out);
  CHECK(outcome.signal == 0);
  REQUIRE(outcome.exit_status == 0);
  CHECK(outcome.out == "");
  CHECK(outcome.report.at("fault") == "");
  return outcome;
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

void check_signals(const Outcome &outcome) {
  INFO(outcome.description());
  CHECK(outcome.report.at("signals") == "0");
}

}  // namespace

TEST_CASE("a full LIBSGEMM_STATS_DIR") {
  const TemporaryDirectory directory;
  const std::vector<std::string> full = with_full_disk(directory.path());
  if (full.empty()) {
    WARN("SKIPPED: no file system can be mounted here");
    return;
  }
  const Outcome outcome = probe("plain", {{"LIBSGEMM_STATS_DIR", directory.path()}}, {}, full);
  INFO(outcome.description());
  CHECK_THAT(outcome.err, Contains("LIBSGEMM_STATS_DIR: " + directory.path()) && Contains("No space left on device"));
  check_signals(outcome);
}

TEST_CASE("no file may grow") {
  const TemporaryDirectory directory;
  check_signals(probe("file-limit", {{"LIBSGEMM_STATS_DIR", directory.path()},
                                     {"LIBSGEMM_LOG_PATH", directory.path() + "/log"},
                                     {"LIBSGEMM_VERBOSE", "3"}}));
  CHECK(read_text(directory.path() + "/log") == "");
  check_signals(probe("file-limit", {{"LIBSGEMM_VERBOSE", "3"}}));
}

TEST_CASE("nobody reads stderr") {
  check_signals(probe("closed-pipe", {}));  // the drop-in reports an illegal argument
  check_signals(probe("closed-pipe", {{"LIBSGEMM_VERBOSE", "3"}}));
  check_signals(probe("closed-pipe", {{"LIBSGEMM_BACKEND_PATH", ""}, {"LIBSGEMM_BACKEND", "hip"}}));
}

TEST_CASE("a signal that waited before a write waits on, and one that a write raises is gone") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  sigset_t pipes, before, waiting;
  sigemptyset(&pipes);
  sigaddset(&pipes, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipes, &before);
  const auto waits = [&waiting] { return sigpending(&waiting) == 0 && sigismember(&waiting, SIGPIPE) == 1; };
  CHECK(libsgemm::write_quietly(ends[1], "x", 1) == -1);
  CHECK(errno == EPIPE);
  CHECK_FALSE(waits());
  raise(SIGPIPE);
  CHECK(libsgemm::write_quietly(ends[1], "x", 1) == -1);
  CHECK(waits());
  const timespec no_time = {};
  CHECK(sigtimedwait(&pipes, nullptr, &no_time) == SIGPIPE);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(ends[1]);
}

TEST_CASE("LIBSGEMM_LOG_PATH is a FIFO that nobody reads") {
  const TemporaryDirectory directory;
  const std::string fifo = directory.path() + "/fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  const Environment environment = {{"LIBSGEMM_LOG_PATH", fifo}, {"LIBSGEMM_VERBOSE", "2"}};
  const Outcome outcome = probe("plain", environment);
  INFO(outcome.description());
  CHECK_THAT(outcome.err, Contains("LIBSGEMM_LOG_PATH=" + fifo + " cannot be opened") && Contains("libsgemm_sgemm: "));
  check_signals(outcome);

  // A full FIFO; once it is read, the lines arrive.
  const int end = open(fifo.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(end >= 0);
  const std::string text(4096, 'x');
  while (write(end, text.data(), text.size()) > 0) continue;
  check_signals(probe("plain", environment));
  std::string taken(1 << 20, '\0');
  ssize_t got = read(end, taken.data(), taken.size());
  REQUIRE(got > 0);
  CHECK(taken.find("libsgemm") == std::string::npos);
  probe("plain", environment);
  got = read(end, taken.data(), taken.size());
  REQUIRE(got > 0);
  CHECK(taken.substr(0, static_cast<size_t>(got)).find("libsgemm_sgemm: ") != std::string::npos);
  close(end);
}

TEST_CASE("a program that closes all descriptors finds no log in its own file, and the log goes on") {
  const TemporaryDirectory directory;
  const std::string log = directory.path() + "/log", data = directory.path() + "/data";
  const Environment environment = {{"LIBSGEMM_LOG_PATH", log}, {"LIBSGEMM_VERBOSE", "2"}};
  Outcome outcome = probe("closed-descriptors", environment, {"--file", data});
  INFO(outcome.description());
  CHECK(outcome.report["open"] == "32");
  CHECK(read_text(data) == "");
  CHECK(count(read_text(log), "libsgemm_sgemm: ") == 3);

  // The log's name is relative to a folder that the program leaves.
  outcome = probe("moved", {{"LIBSGEMM_LOG_PATH", "moved-log"}, {"LIBSGEMM_VERBOSE", "2"}}, {"--file", data},
                  {"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", directory.path()});
  INFO(outcome.description());
  CHECK(read_text(data) == "");
  CHECK(count(read_text(directory.path() + "/moved-log"), "libsgemm_sgemm: ") == 4);
  CHECK_FALSE(std::filesystem::exists("/moved-log"));

  outcome = probe("closed-descriptors", {{"LIBSGEMM_LOG_PATH", "/dev/fd/9"}, {"LIBSGEMM_VERBOSE", "2"}},
                  {"--file", data}, {"/bin/sh", "-c", "exec \"$@\" 9>\"$0\"", directory.path() + "/log-9"});
  INFO(outcome.description());
  CHECK(read_text(data) == "");
  CHECK(count(read_text(directory.path() + "/log-9"), "libsgemm_sgemm: ") == 3);
}

TEST_CASE("numbers are read alike where the locale has a decimal comma") {
  const TemporaryDirectory directory;
  const std::string name = "de_DE.UTF-8";
  run_program({"/usr/bin/localedef", "-i", "de_DE", "-f", "UTF-8", directory.path() + "/" + name}, {});
  if (!std::filesystem::exists(directory.path() + "/" + name + "/LC_NUMERIC")) {
    WARN("SKIPPED: localedef cannot make the locale " << name << " here");
    return;
  }
  Outcome outcome = probe("locale",
                          {{"LOCPATH", directory.path()},
                           {"ASAN_OPTIONS", "detect_leaks=0"},  // glibc never frees what it reads from LOCPATH
                           {"LIBSGEMM_TIMEOUT", "0.5"},
                           {"LIBSGEMM_OFFLOAD_THRESHOLD", "1.25e3"}},
                          {"--locale", name});
  CHECK(outcome.report["half"] == "0,5");
}

#ifdef SLOW_BLAS
TEST_CASE("variables that another thread sets while OpenBLAS is loaded are kept") {
  Outcome outcome = probe("setenv", {{"LIBSGEMM_BACKEND", "openblas"}, {"LIBSGEMM_CPU_BLAS", SLOW_BLAS}});
  INFO(outcome.description());
  CHECK(std::stoi(outcome.report["set"]) >= 200);
  CHECK(outcome.report["backend"] == "openblas");
  CHECK(outcome.report["lost"] == "0");
  CHECK(outcome.report["timeout"] == "none");
}
#endif

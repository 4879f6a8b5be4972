// Output goes to files: a full pipe cannot block the program.
#include "process.h"

#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

extern char **environ;

namespace sgemm_test {
namespace {

bool is_location(const std::string &name) { return name == "LIBSGEMM_CPU_BLAS" || name == "LIBSGEMM_BACKEND_PATH"; }

std::vector<std::string> environment_with(const Environment &added) {
  std::vector<std::string> entries;
  for (char **entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    const bool keep = name.rfind("LIBSGEMM_", 0) != 0 || is_location(name);
    if (keep && added.count(name) == 0) entries.push_back(text);
  }
  for (const auto &variable : added) entries.push_back(variable.first + "=" + variable.second);
  return entries;
}

std::vector<char *> pointers_to(std::vector<std::string> *texts) {
  std::vector<char *> pointers;
  for (std::string &text : *texts) pointers.push_back(&text[0]);
  pointers.push_back(nullptr);
  return pointers;
}

// The child makes only calls that are safe between fork and exec.
[[noreturn]] void execute(char *const *arguments, char *const *environment, const char *out, const char *err) {
  const int null = open("/dev/null", O_RDONLY);
  const int to_out = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int to_err = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (dup2(null, 0) == 0 && dup2(to_out, 1) == 1 && dup2(to_err, 2) == 2) execve(arguments[0], arguments, environment);
  _exit(127);
}

void wait_for(pid_t pid, int seconds, Outcome *outcome) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      outcome->timed_out = true;
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (WIFEXITED(status)) outcome->exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome->signal = WTERMSIG(status);
}

}  // namespace

std::string Outcome::description() const {
  std::ostringstream text;
  text << (timed_out ? "timed out, " : "") << "exit status " << exit_status << ", signal " << signal
       << "\nstdout: " << out << "\nstderr: " << err;
  for (const auto &line : report) text << "\n  " << line.first << "=" << line.second;
  return text.str();
}

Outcome run_program(const std::vector<std::string> &command, const Environment &environment, int seconds) {
  const TemporaryDirectory directory;
  const std::string out = directory.path() + "/out";
  const std::string err = directory.path() + "/err";
  std::vector<std::string> arguments = command;
  std::vector<std::string> entries = environment_with(environment);
  const std::vector<char *> argument_pointers = pointers_to(&arguments);
  const std::vector<char *> entry_pointers = pointers_to(&entries);
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("fork failed");
  if (pid == 0) execute(argument_pointers.data(), entry_pointers.data(), out.c_str(), err.c_str());
  Outcome outcome;
  wait_for(pid, seconds, &outcome);
  outcome.out = read_text(out);
  outcome.err = read_text(err);
  return outcome;
}

Outcome run_probe(const std::string &probe, const std::vector<std::string> &arguments, const Environment &environment) {
  return run_probe_by({probe}, arguments, environment);
}

Outcome run_probe_by(std::vector<std::string> command, const std::vector<std::string> &arguments,
                     const Environment &environment) {
  const TemporaryDirectory directory;
  command.insert(command.end(), {"--report", directory.path() + "/report"});
  command.insert(command.end(), arguments.begin(), arguments.end());
  Outcome outcome = run_program(command, environment);
  std::istringstream lines(read_text(directory.path() + "/report"));
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos) outcome.report[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return outcome;
}

std::vector<std::string> with_full_disk(const std::string &directory) {
  const std::string script =
      "mount -t tmpfs -o size=4k tmpfs \"$0\" && head -c 4096 /dev/zero >\"$0/full\" && exec \"$@\"";
  std::vector<std::string> command = {"/usr/bin/unshare", "-rm", "/bin/sh", "-c", script, directory};
  std::vector<std::string> trial = command;
  trial.emplace_back("/bin/true");
  if (run_program(trial, {}).exit_status != 0) command.clear();
  return command;
}

TemporaryDirectory::TemporaryDirectory() : path_(std::filesystem::temp_directory_path() / "libsgemm-test-XXXXXX") {
  if (mkdtemp(&path_[0]) == nullptr) throw std::runtime_error("cannot make a directory " + path_);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_text(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

size_t loaded_bytes(const std::string &object) {
  ElfW(Ehdr) header;
  ElfW(Phdr) segment;
  std::memcpy(&header, object.data(), sizeof header);
  size_t end = 0;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    std::memcpy(&segment, object.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_LOAD) end = std::max<size_t>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

}  // namespace sgemm_test

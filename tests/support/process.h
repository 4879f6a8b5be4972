// Runs a program in a clean environment and takes what it printed.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace sgemm_test {

// Variables that are added to the environment, NAME -> value. All other LIBSGEMM_ variables are removed, except the
// locations of OpenBLAS and the plugins.
using Environment = std::map<std::string, std::string>;

struct Outcome {
  bool timed_out = false;
  int exit_status = -1;  // -1: ended by `signal`
  int signal = 0;
  std::string out, err;
  // The KEY=VALUE lines of the report, for probe.
  std::map<std::string, std::string> report;

  std::string description() const;
};

// Runs `command`, at most `seconds`.
Outcome run_program(const std::vector<std::string> &command, const Environment &environment, int seconds = 60);

// Runs a probe (probe.cpp) with `arguments` and reads its report.
Outcome run_probe(const std::string &probe, const std::vector<std::string> &arguments, const Environment &environment);
// Runs `command`, which ends with the probe, with `arguments` added. It is a program that starts the probe.
Outcome run_probe_by(std::vector<std::string> command, const std::vector<std::string> &arguments,
                     const Environment &environment);

// Returns the beginning of a command that runs with a full file system at `directory`: files can be created there, but
// not written. Empty if none can be mounted here.
std::vector<std::string> with_full_disk(const std::string &directory);

// A new directory, removed with what is in it at the end of the scope.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

std::string read_text(const std::string &file);

// Returns how many bytes of a shared object dlopen() maps; those after them are for debuggers and linkers.
size_t loaded_bytes(const std::string &object);

}  // namespace sgemm_test

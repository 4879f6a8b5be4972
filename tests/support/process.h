// Runs programs, with chosen environment variables.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace sgemm_test {

// NAME -> value. All other LIBSGEMM_ variables are removed, except the locations of OpenBLAS and plugins.
using Environment = std::map<std::string, std::string>;

struct Outcome {
  bool timed_out = false;
  int exit_status = -1;  // -1: ended by `signal`
  int signal = 0;
  std::string out, err;
  std::map<std::string, std::string> report;

  std::string description() const;
};

Outcome run_program(const std::vector<std::string> &command, const Environment &environment, int seconds = 60);

Outcome run_probe(const std::string &probe, const std::vector<std::string> &arguments, const Environment &environment);
// `command` ends with the probe, which gets `arguments`, too.
Outcome run_probe_by(std::vector<std::string> command, const std::vector<std::string> &arguments,
                     const Environment &environment);

// Returns the start of a command with a full file system at `directory`: files can be created, but not written. Empty
// if none can be mounted.
std::vector<std::string> with_full_disk(const std::string &directory);

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

// Bytes that dlopen() maps; later ones are for debuggers and linkers.
size_t loaded_bytes(const std::string &object);

}  // namespace sgemm_test

// The call statistics that processes leave in a folder (common/process/stats.h): reading and reporting them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "process/stats.h"

namespace command {

struct CallCount {
  std::string entry, backend, kernel;  // a failed call: backend "error", kernel: the reason
  uint64_t calls = 0, nanoseconds = 0, flops = 0;
  uint64_t verified = 0, wrong = 0;  // results compared with FP64, and those beyond the bound
  double worst = 0;                  // largest error / bound among the verified results that were accepted
};

// A BLAS that a process has loaded.
struct LoadedBlas {
  std::string version, file;  // file: may be empty
  bool own = false;           // calls of the program came through its names
  bool computes = false;      // the CPU backend calls it
  bool has_lapack = false;    // the same library has a LAPACK
};

struct ProcessCalls {
  uint32_t pid = 0, parent = 0;
  std::string program;
  uint64_t lost = 0;                // calls that found no free record
  double seconds = 0, startup = 0;  // since the process began; spent in loading and starting backends
  std::vector<CallCount> counts;    // sorted by time, longest first
  std::vector<LoadedBlas> blas;
};

// Nanoseconds of CLOCK_REALTIME.
uint64_t time_of_day();

// A process's statistics file, without the call shapes that follow the StatsFile.
struct StatisticsFile {
  std::string path;
  std::unique_ptr<libsgemm::StatsFile> stats;
};
// Returns the files of processes that began at `since` or later. Names in `problems` those that cannot be read.
std::vector<StatisticsFile> statistics_files(const std::string &folder, uint64_t since,
                                             std::vector<std::string> *problems);

// Returns the processes that made calls or have a BLAS, by pid, if they began at `since` (time_of_day()) or later.
// Names in `problems` the files that cannot be read.
std::vector<ProcessCalls> read_statistics(const std::string &folder, uint64_t since,
                                          std::vector<std::string> *problems);

// True if a call of any of the processes arrived.
bool has_calls(const std::vector<ProcessCalls> &processes);

// Returns a table with a line for each entry point, backend and kernel of each process, and their sum; then the
// processes whose calls did not arrive, with the reason.
std::string statistics_table(const std::vector<ProcessCalls> &processes);

// Further results of `run`.
struct RunResult {
  std::string program;
  int exit_status = 0;
  double seconds = 0;
};
// `run`: NULL for statistics that were not collected by `run`.
std::string statistics_json(const std::vector<ProcessCalls> &processes, const RunResult *run,
                            const std::vector<std::string> &problems);

}  // namespace command

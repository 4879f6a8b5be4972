// Reads and reports the call statistics of processes in a folder (common/process/stats.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "process/stats.h"

namespace command {

struct CallCount {
  std::string entry, backend, kernel;  // failed call: backend "error", kernel: the reason
  uint64_t calls = 0, nanoseconds = 0, flops = 0;
  uint64_t verified = 0, wrong = 0;  // calls compared with FP64; those beyond the bound
  double worst = 0;                  // largest error / bound of the accepted results
};

struct LoadedBlas {
  std::string version, file;  // file may be empty
  bool own = false;           // the program calls its functions
  bool computes = false;      // the CPU backend calls it
  bool has_lapack = false;    // the same library has LAPACK
};

struct ProcessCalls {
  uint32_t pid = 0, parent = 0;
  std::string program;
  uint64_t lost = 0;                // calls that found no free record
  double seconds = 0, startup = 0;  // age of the process; its part for loading and starting backends
  std::vector<CallCount> counts;    // longest time first
  std::vector<LoadedBlas> blas;
};

// Nanoseconds of CLOCK_REALTIME.
uint64_t time_of_day();

// A statistics file without the call shapes that follow StatsFile.
struct StatisticsFile {
  std::string path;
  std::unique_ptr<libsgemm::StatsFile> stats;
};
// Both functions take processes that began at `since` (time_of_day()) or later, and add unreadable files to `problems`.
std::vector<StatisticsFile> statistics_files(const std::string &folder, uint64_t since,
                                             std::vector<std::string> *problems);

// Returns the processes, by pid, that made calls or have a BLAS.
std::vector<ProcessCalls> read_statistics(const std::string &folder, uint64_t since,
                                          std::vector<std::string> *problems);

bool has_calls(const std::vector<ProcessCalls> &processes);

std::string statistics_table(const std::vector<ProcessCalls> &processes);

struct RunResult {
  std::string program;
  int exit_status = 0;
  double seconds = 0;
};
// `run`: NULL if `libsgemm run` did not collect the statistics.
std::string statistics_json(const std::vector<ProcessCalls> &processes, const RunResult *run,
                            const std::vector<std::string> &problems);

}  // namespace command

// The call statistics that processes leave in a folder (common/process/stats.h), read and written out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "process/stats.h"

namespace command {

struct CallCount {
  std::string entry, backend, kernel;  // of calls that failed: backend "error", and why in place of the kernel
  uint64_t calls = 0, nanoseconds = 0, flops = 0;
  uint64_t verified = 0, wrong = 0;  // results
  double worst = 0;                  // error / bound among those that were verified and stood
};

// A BLAS that a process has loaded.
struct LoadedBlas {
  std::string version, file;  // file: may be empty
  bool own = false;           // calls came by its names
  bool computes = false;      // what stays on the CPU is computed by it
  bool has_lapack = false;    // one library is both
};

struct ProcessCalls {
  uint32_t pid = 0, parent = 0;
  std::string program;
  uint64_t lost = 0;                // calls that found no row
  double seconds = 0, startup = 0;  // since it began; that went into loading and starting backends
  std::vector<CallCount> counts;    // the longest first
  std::vector<LoadedBlas> blas;
};

// Nanoseconds of CLOCK_REALTIME.
uint64_t time_of_day();

// A process's file as it lies in the folder, but for what is behind the StatsFile.
struct StatisticsFile {
  std::string path;
  std::unique_ptr<libsgemm::StatsFile> stats;
};
// Those of processes that began at `since` or later. What cannot be read is named in `problems`.
std::vector<StatisticsFile> statistics_files(const std::string &folder, uint64_t since,
                                             std::vector<std::string> *problems);

// Processes that made calls or have a BLAS, by pid: those that began at `since` (time_of_day()) or later. What cannot
// be read is named in `problems`.
std::vector<ProcessCalls> read_statistics(const std::string &folder, uint64_t since,
                                          std::vector<std::string> *problems);

// Whether a call of any of them arrived.
bool has_calls(const std::vector<ProcessCalls> &processes);

// A line for each row of each process, their sum, and whose calls did not arrive, with the reason.
std::string statistics_table(const std::vector<ProcessCalls> &processes);

// What `run` says beside: the program, its exit status, and why calls are missing.
struct RunResult {
  std::string program;
  int exit_status = 0;
  double seconds = 0;
};
// `run`: NULL for statistics that were collected otherwise.
std::string statistics_json(const std::vector<ProcessCalls> &processes, const RunResult *run,
                            const std::vector<std::string> &problems);

}  // namespace command

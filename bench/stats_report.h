// The call statistics that processes leave in a folder (common/stats.h), read and written out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace command {

struct CallCount {
  std::string entry, backend, kernel;
  uint64_t calls = 0, nanoseconds = 0, flops = 0;
};

struct ProcessCalls {
  uint32_t pid = 0;
  std::string program;
  uint64_t lost = 0;  // calls that found no row
  std::vector<CallCount> counts;
};

// Processes that made calls, by pid. What cannot be read is named in `problems`.
std::vector<ProcessCalls> read_statistics(const std::string &folder, std::vector<std::string> *problems);

std::string statistics_table(const std::vector<ProcessCalls> &processes);
// `problems`: why calls are missing.
std::string statistics_json(const std::vector<ProcessCalls> &processes, const std::string &program, int exit_status,
                            const std::vector<std::string> &problems);

}  // namespace command

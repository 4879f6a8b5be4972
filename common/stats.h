// Call statistics in a file mapped by the process that makes the calls and read by `libsgemm run`.
//
// With LIBSGEMM_STATS_DIR=DIR every process that calls the library creates DIR/<pid>.stats, one StatsFile, and counts
// in it with atomic additions. The file is shared memory, so the counts survive exec, _exit and a crash, and a forked
// child that never calls exec counts into its parent's file.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace libsgemm {

constexpr char kStatsMagic[8] = {'l', 's', 'g', 'e', 'm', 'm', 'S', '1'};
constexpr uint32_t kStatsRecords = 512;

// One row: calls of one entry point that ended in one backend and kernel.
struct StatsRecord {
  enum State : uint32_t { kFree = 0, kClaimed = 1, kReady = 2 };
  std::atomic<uint32_t> state;  // a reader takes kReady rows only
  uint32_t unused;
  char entry[40];  // "cblas_sgemm64_"
  char backend[24];
  char kernel[72];  // empty for a call that failed; backend is then "error"
  std::atomic<uint64_t> calls;
  std::atomic<uint64_t> nanoseconds;  // wall time inside the library, summed over threads
  std::atomic<uint64_t> flops;
};

struct StatsFile {
  char magic[8];
  uint32_t record_count;  // kStatsRecords
  uint32_t pid;
  char program[112];           // /proc/self/comm
  std::atomic<uint64_t> lost;  // calls that found no free row
  StatsRecord records[kStatsRecords];
};

// The writer's side. Does nothing if `directory` is empty; a directory that cannot be written is logged.
void stats_open(const std::string &directory);
bool stats_wanted();
void stats_count(const char *entry, const char *backend, const char *kernel, uint64_t nanoseconds, double flops);

}  // namespace libsgemm

// Call statistics, which `libsgemm run` and `libsgemm stats` read. With LIBSGEMM_STATS_DIR=DIR every calling process
// maps DIR/<pid>-<start>.stats, one StatsFile, and counts with atomic additions: counts survive exec, _exit and a
// crash. A forked child gets its own file at its first call.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "contract/call_class.h"

namespace libsgemm {

constexpr char kStatsMagic[8] = {'l', 's', 'g', 'e', 'm', 'm', 'S', '3'};
// `libsgemm run` leaves the file; a process with the drop-in deletes it.
constexpr const char *kNotPreloaded = "not-preloaded.tmp";
constexpr uint32_t kStatsRecords = 512;
constexpr int kStatsBlas = 8;

struct StatsRecord {
  enum State : uint32_t { kFree = 0, kClaimed = 1, kReady = 2 };
  std::atomic<uint32_t> state;  // readers use kReady only
  uint32_t unused;
  char entry[40];  // "cblas_sgemm64_"
  char backend[24];
  char kernel[72];  // with backend "error": the reason, "illegal argument"
  std::atomic<uint64_t> calls;
  std::atomic<uint64_t> nanoseconds;  // inside the library without startup, summed over threads
  std::atomic<uint64_t> flops;
  std::atomic<uint64_t> verified;  // calls compared with FP64
  std::atomic<uint64_t> wrong;     // errors above the bound, refused or not
  std::atomic<uint64_t> worst;  // largest error / bound of accepted results; bits of a double, which order as it does
};

// LIBSGEMM_STATS_CALLS=1: calls that multiplied, by class, in parts after the StatsFile, each twice as large as the one
// before. A class may have several entries.
struct StatsShape {
  std::atomic<uint32_t> state;
  uint32_t unused;
  std::atomic<uint64_t> calls;
  CallClass call;
};

struct StatsBlas {
  enum Flags : uint32_t {
    kReady = 1,
    kOwn = 2,        // the program called one of its names
    kComputes = 4,   // the CPU backend calls it
    kHasLapack = 8,  // has LAPACK, whose products do not leave it
  };
  std::atomic<uint32_t> flags;  // readers use kReady only
  char version[68];
  char file[440];  // empty: unknown
};

struct StatsFile {
  char magic[8];
  uint32_t record_count;
  uint32_t pid;
  uint32_t parent;
  std::atomic<uint32_t> blas_count;   // claimed entries; more than kStatsBlas: some are left out
  char program[112];                  // /proc/self/comm
  std::atomic<uint64_t> lost;         // calls without a free record
  uint64_t begin;                     // start of the process; nanoseconds of CLOCK_REALTIME
  std::atomic<uint64_t> latest;       // end of the latest call, or of the process
  std::atomic<uint64_t> startup;      // nanoseconds of starting backends
  std::atomic<uint64_t> lost_shapes;  // calls not counted by class
  StatsBlas blas[kStatsBlas];
  StatsRecord records[kStatsRecords];
};

// StatsShapes begin at multiples of kStatsPage, as a mapping requires.
constexpr int kStatsParts = 14;
constexpr size_t kStatsPage = 65536;
constexpr size_t stats_part_bytes(int part) { return kStatsPage << part; }
constexpr size_t stats_part_place(int part) {
  return (sizeof(StatsFile) + kStatsPage - 1) / kStatsPage * kStatsPage + stats_part_bytes(part) - kStatsPage;
}
constexpr size_t stats_part_count(int part) { return stats_part_bytes(part) / sizeof(StatsShape); }

struct StatsCall {
  const char *entry, *backend, *kernel;
  uint64_t nanoseconds;
  double flops;
  double ratio;  // negative: not verified
  int refused;   // earlier backends in the same call
};

// Logs if `directory` cannot be written; empty: nothing.
void stats_open(const std::string &directory);
bool stats_wanted();
void stats_count(const StatsCall &call);
// Adds time to a call counted before.
void stats_add_time(const char *entry, const char *backend, const char *kernel, uint64_t nanoseconds);
void stats_count_shapes(bool wanted);
void stats_count_shape(const GemmDesc &desc);
void stats_add_startup(uint64_t nanoseconds);
// `flags` are added to an entry of the same file, or, without a file, of the same version.
void stats_note_blas(const char *version, const char *name, uint32_t flags);
// A forked child leaves the parent's file alone.
void stats_after_fork();

}  // namespace libsgemm

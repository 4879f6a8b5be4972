// Call statistics in a file mapped by the process that makes the calls and read by `libsgemm run` and `libsgemm stats`.
//
// With LIBSGEMM_STATS_DIR=DIR every process that calls the library creates DIR/<pid>-<start>.stats, one StatsFile, and
// counts in it with atomic additions. The file is shared memory, so the counts survive exec, _exit and a crash. A
// forked child has a file of its own from its first call on.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "contract/call_class.h"

namespace libsgemm {

constexpr char kStatsMagic[8] = {'l', 's', 'g', 'e', 'm', 'm', 'S', '3'};
// A file that `libsgemm run` leaves in the directory; a process with the drop-in takes it away.
constexpr const char *kNotPreloaded = "not-preloaded.tmp";
constexpr uint32_t kStatsRecords = 512;
constexpr int kStatsBlas = 8;

// One row: calls of one entry point that ended in one backend and kernel.
struct StatsRecord {
  enum State : uint32_t { kFree = 0, kClaimed = 1, kReady = 2 };
  std::atomic<uint32_t> state;  // a reader takes kReady rows only
  uint32_t unused;
  char entry[40];  // "cblas_sgemm64_"
  char backend[24];
  char kernel[72];  // for a call that failed the reason, such as "illegal argument"; backend is then "error"
  std::atomic<uint64_t> calls;
  std::atomic<uint64_t> nanoseconds;  // wall time inside the library but for starting it, summed over threads
  std::atomic<uint64_t> flops;
  std::atomic<uint64_t> verified;  // calls whose result was compared with FP64
  std::atomic<uint64_t> wrong;     // results that had an error beyond its bound, refused or not
  std::atomic<uint64_t> worst;  // error / bound of results that stood, as the bits of a double, which order as it does
};

// With LIBSGEMM_STATS_CALLS=1 the calls that multiplied are counted by their class as well, behind the StatsFile in
// parts that are added as they are needed, each as large as all before it. A class may be there more than once.
struct StatsShape {
  std::atomic<uint32_t> state;  // as of StatsRecord
  uint32_t unused;
  std::atomic<uint64_t> calls;
  CallClass call;
};

// A BLAS in the process.
struct StatsBlas {
  enum Flags : uint32_t {
    kReady = 1,
    kOwn = 2,        // the program's, behind a name that a call of the drop-in came by
    kComputes = 4,   // the CPU backend calls it
    kHasLapack = 8,  // one library is both: what its LAPACK multiplies does not leave it
  };
  std::atomic<uint32_t> flags;  // a reader takes kReady ones only
  char version[68];             // "OpenBLAS 0.3.21 Haswell"
  char file[440];               // empty: not known
};

struct StatsFile {
  char magic[8];
  uint32_t record_count;  // kStatsRecords
  uint32_t pid;
  uint32_t parent;
  std::atomic<uint32_t> blas_count;   // claimed of `blas`; more than kStatsBlas: some are left out
  char program[112];                  // /proc/self/comm
  std::atomic<uint64_t> lost;         // calls that found no free row
  uint64_t begin;                     // of the process; nanoseconds of CLOCK_REALTIME
  std::atomic<uint64_t> latest;       // likewise: the end of its latest call, or its own
  std::atomic<uint64_t> startup;      // nanoseconds for finding, loading and initialising backends
  std::atomic<uint64_t> lost_shapes;  // calls that are not counted by their class
  StatsBlas blas[kStatsBlas];
  StatsRecord records[kStatsRecords];
};

// The parts with StatsShape, whose places suit a mapping.
constexpr int kStatsParts = 14;
constexpr size_t kStatsPage = 65536;
constexpr size_t stats_part_bytes(int part) { return kStatsPage << part; }
constexpr size_t stats_part_place(int part) {
  return (sizeof(StatsFile) + kStatsPage - 1) / kStatsPage * kStatsPage + stats_part_bytes(part) - kStatsPage;
}
constexpr size_t stats_part_count(int part) { return stats_part_bytes(part) / sizeof(StatsShape); }

// What a call has done, for its row.
struct StatsCall {
  const char *entry, *backend, *kernel;
  uint64_t nanoseconds;
  double flops;
  double ratio;  // of verification: error / bound; negative: none
  int refused;   // wrong results of backends before this one
};

// The writer's side. Does nothing if `directory` is empty; a directory that cannot be written is logged.
void stats_open(const std::string &directory);
bool stats_wanted();
void stats_count(const StatsCall &call);
// To the row of a call that was counted before.
void stats_add_time(const char *entry, const char *backend, const char *kernel, uint64_t nanoseconds);
// Whether stats_count_shape() does anything.
void stats_count_shapes(bool wanted);
void stats_count_shape(const GemmDesc &desc);
void stats_add_startup(uint64_t nanoseconds);
// `flags` are added to those of the same file and version.
void stats_note_blas(const char *version, const char *name, uint32_t flags);
// In the child: the parent's file is left to the parent.
void stats_after_fork();

}  // namespace libsgemm

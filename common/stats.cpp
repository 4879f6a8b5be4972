// Counting calls in a mapped file.
#include "stats.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "log.h"
#include "quiet_write.h"

namespace libsgemm {
namespace {

std::atomic<StatsFile *> g_file{nullptr};

void read_program_name(char *name, size_t size) {
  const int file = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t length = read(file, name, size - 1);
  close(file);
  if (length > 0 && name[length - 1] == '\n') name[length - 1] = '\0';
}

bool is(const StatsRecord &r, const char *entry, const char *backend, const char *kernel) {
  return std::strcmp(r.entry, entry) == 0 && std::strcmp(r.backend, backend) == 0 && std::strcmp(r.kernel, kernel) == 0;
}

// The row of these names; a new one if there is none yet. NULL if the file is full.
StatsRecord *row(StatsFile *file, const char *entry, const char *backend, const char *kernel) {
  for (StatsRecord &r : file->records) {
    uint32_t state = r.state.load(std::memory_order_acquire);
    if (state == StatsRecord::kFree && r.state.compare_exchange_strong(state, StatsRecord::kClaimed)) {
      std::snprintf(r.entry, sizeof r.entry, "%s", entry);
      std::snprintf(r.backend, sizeof r.backend, "%s", backend);
      std::snprintf(r.kernel, sizeof r.kernel, "%s", kernel);
      r.state.store(StatsRecord::kReady, std::memory_order_release);
      return &r;
    }
    // Another thread writes the names: a few copies, so this ends soon; if its process was killed meanwhile, never.
    for (int spin = 0; state == StatsRecord::kClaimed && spin < 10000; ++spin) state = r.state.load();
    if (state == StatsRecord::kReady && is(r, entry, backend, kernel)) return &r;
  }
  return nullptr;
}

}  // namespace

void stats_open(const std::string &directory) {
  if (directory.empty() || g_file.load() != nullptr) return;
  const std::string path = directory + "/" + std::to_string(getpid()) + ".stats";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  void *memory = MAP_FAILED;
  int error = file >= 0 ? reserve_quietly(file, sizeof(StatsFile)) : errno;
  if (error == 0) {
    memory = mmap(nullptr, sizeof(StatsFile), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) error = errno;
  }
  if (file >= 0) close(file);
  if (memory == MAP_FAILED) {
    log_line(0, "LIBSGEMM_STATS_DIR: " + path + " cannot be written: " + std::strerror(error));
    return;
  }
  // The file is zeros, or, after an exec, the counts of the same process so far: both are valid records.
  StatsFile *stats = static_cast<StatsFile *>(memory);
  stats->pid = static_cast<uint32_t>(getpid());
  stats->record_count = kStatsRecords;
  read_program_name(stats->program, sizeof stats->program);
  std::memcpy(stats->magic, kStatsMagic, sizeof kStatsMagic);
  g_file.store(stats, std::memory_order_release);
}

bool stats_wanted() { return g_file.load(std::memory_order_relaxed) != nullptr; }

void stats_count(const char *entry, const char *backend, const char *kernel, uint64_t nanoseconds, double flops) {
  StatsFile *file = g_file.load(std::memory_order_acquire);
  if (file == nullptr) return;
  StatsRecord *r = row(file, entry, backend, kernel);
  if (r == nullptr) {
    ++file->lost;
    return;
  }
  r->calls += 1;
  r->nanoseconds += nanoseconds;
  r->flops += static_cast<uint64_t>(flops);
}

}  // namespace libsgemm

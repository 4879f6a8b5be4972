#include "stats.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "immortal.h"
#include "log.h"
#include "quiet_write.h"

namespace libsgemm {
namespace {

std::atomic<StatsFile *> g_file{nullptr};
std::atomic<StatsFile *> g_parent{nullptr};  // set in a forked child until it opens its own
std::atomic<uint64_t> g_startup{0};          // nanoseconds before there is a file
struct Names {
  std::string directory, file;  // file: the process's own, written before g_file
};
Names &names() { return immortal<Names>(); }
std::atomic<bool> g_shapes_wanted{false};
std::atomic<StatsShape *> g_parts[kStatsParts];  // mapped at first use; kNoPart: cannot be mapped
StatsShape *const kNoPart = reinterpret_cast<StatsShape *>(MAP_FAILED);

uint64_t now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

template <size_t N>
void read_text(const char *path, char (&text)[N]) {
  text[0] = '\0';
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t length = read(file, text, N - 1);
  close(file);
  text[std::max<ssize_t>(length, 0)] = '\0';
}

void read_program_name(char *name, size_t size) {
  char text[64];
  read_text("/proc/self/comm", text);
  text[std::strcspn(text, "\n")] = '\0';
  if (text[0] != '\0') std::snprintf(name, size, "%s", text);
}

// The process's start in ticks since boot: field 22 of /proc/self/stat, the 20th after the program's name, which may
// hold anything. It survives exec, and differs for a later process with the same pid.
uint64_t start_ticks() {
  char text[1024];
  read_text("/proc/self/stat", text);
  const char *at = std::strrchr(text, ')');
  for (int field = 0; at != nullptr && field < 20; ++field) at = std::strchr(at + 1, ' ');
  return at != nullptr ? std::strtoull(at, nullptr, 10) : 0;
}

uint64_t begin_of(uint64_t ticks) {
  const uint64_t hertz = static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  const uint64_t age = now(CLOCK_BOOTTIME) - ticks * (1000000000 / hertz);
  return now(CLOCK_REALTIME) - (ticks != 0 ? age : 0);
}

bool is(const StatsRecord &r, const StatsCall &call) {
  return std::strcmp(r.entry, call.entry) == 0 && std::strcmp(r.backend, call.backend) == 0 &&
         std::strcmp(r.kernel, call.kernel) == 0;
}

// NULL: no record is free.
StatsRecord *row(StatsFile *file, const StatsCall &call) {
  for (StatsRecord &r : file->records) {
    uint32_t state = r.state.load(std::memory_order_acquire);
    if (state == StatsRecord::kFree && r.state.compare_exchange_strong(state, StatsRecord::kClaimed)) {
      std::snprintf(r.entry, sizeof r.entry, "%s", call.entry);
      std::snprintf(r.backend, sizeof r.backend, "%s", call.backend);
      std::snprintf(r.kernel, sizeof r.kernel, "%s", call.kernel);
      r.state.store(StatsRecord::kReady, std::memory_order_release);
      return &r;
    }
    // Another thread writes the names. The wait is limited, since an exec may have ended that thread.
    for (int spin = 0; state == StatsRecord::kClaimed && spin < 10000; ++spin) state = r.state.load();
    if (state == StatsRecord::kReady && is(r, call)) return &r;
  }
  return nullptr;
}

void open_file(const std::string &directory) {
  const uint64_t ticks = start_ticks();
  const std::string path = directory + "/" + std::to_string(getpid()) + "-" + std::to_string(ticks) + ".stats";
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
  // The file has zeros or, after an exec, the process's counts so far.
  StatsFile *stats = static_cast<StatsFile *>(memory);
  stats->pid = static_cast<uint32_t>(getpid());
  stats->parent = static_cast<uint32_t>(getppid());
  stats->record_count = kStatsRecords;
  if (stats->begin == 0) stats->begin = begin_of(ticks);
  stats->latest = now(CLOCK_REALTIME);
  stats->startup += g_startup.exchange(0);
  read_program_name(stats->program, sizeof stats->program);
  std::memcpy(stats->magic, kStatsMagic, sizeof kStatsMagic);
  names().file = path;
  g_file.store(stats, std::memory_order_release);
}

// Extends the file if necessary. kNoPart: no room.
StatsShape *part_of_file(int part) {
  StatsShape *known = g_parts[part].load(std::memory_order_acquire);
  if (known != nullptr) return known;
  const int file = open(names().file.c_str(), O_RDWR | O_CLOEXEC);
  void *memory = MAP_FAILED;
  const size_t bytes = stats_part_bytes(part);
  if (file >= 0 && reserve_quietly(file, stats_part_place(part) + bytes) == 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(stats_part_place(part)));
  }
  if (file >= 0) close(file);
  auto *const made = static_cast<StatsShape *>(memory);
  if (g_parts[part].compare_exchange_strong(known, made)) return made;
  if (made != kNoPart) munmap(memory, bytes);  // another thread mapped it first
  return known;
}

// NULL: its few possible places hold other classes. An entry being written is skipped: a class may get a second one.
StatsShape *place_in(StatsShape *shapes, size_t count, const CallClass &call, uint64_t hash) {
  constexpr size_t kTries = 8;
  for (size_t i = 0; i < kTries; ++i) {
    StatsShape &s = shapes[(hash + i) % count];
    uint32_t state = s.state.load(std::memory_order_acquire);
    if (state == StatsRecord::kFree && s.state.compare_exchange_strong(state, StatsRecord::kClaimed)) {
      s.call = call;
      s.state.store(StatsRecord::kReady, std::memory_order_release);
      return &s;
    }
    if (state == StatsRecord::kReady && s.call == call) return &s;
  }
  return nullptr;
}

StatsFile *file_of_process() {
  StatsFile *const file = g_file.load(std::memory_order_acquire);
  if (file != nullptr || g_parent.load(std::memory_order_relaxed) == nullptr) return file;
  // One thread of a forked child opens the file; others' calls meanwhile are not counted.
  const StatsFile *const parent = g_parent.exchange(nullptr);
  if (parent == nullptr) return nullptr;
  open_file(names().directory);
  const uint32_t known = std::min<uint32_t>(parent->blas_count, kStatsBlas);
  for (const StatsBlas *b = parent->blas; b != parent->blas + known; ++b)
    stats_note_blas(b->version, b->file, b->flags);
  return g_file.load(std::memory_order_acquire);
}

void mark_end() {
  StatsFile *const file = g_file.load(std::memory_order_acquire);
  if (file != nullptr) file->latest = now(CLOCK_REALTIME);
}

}  // namespace

void stats_open(const std::string &directory) {
  if (directory.empty() || stats_wanted()) return;
  names().directory = directory;
  open_file(directory);
  if (g_file.load() != nullptr) std::atexit(mark_end);
}

bool stats_wanted() { return g_file.load(std::memory_order_relaxed) != nullptr || g_parent.load() != nullptr; }

void stats_count(const StatsCall &call) {
  StatsFile *const file = file_of_process();
  if (file == nullptr) return;
  file->latest.store(now(CLOCK_REALTIME), std::memory_order_relaxed);
  StatsRecord *const r = row(file, call);
  if (r == nullptr) {
    ++file->lost;
    return;
  }
  r->calls += 1;
  r->nanoseconds += call.nanoseconds;
  r->flops += static_cast<uint64_t>(call.flops);
  r->wrong += static_cast<uint64_t>(call.refused) + (call.ratio > 1 ? 1 : 0);
  if (call.ratio < 0) return;
  r->verified += 1;
  uint64_t bits = 0, worst = r->worst.load(std::memory_order_relaxed);
  std::memcpy(&bits, &call.ratio, sizeof bits);
  while (bits > worst && !r->worst.compare_exchange_weak(worst, bits)) {
  }
}

void stats_add_time(const char *entry, const char *backend, const char *kernel, uint64_t nanoseconds) {
  StatsFile *const file = file_of_process();
  StatsRecord *const r = file != nullptr ? row(file, {entry, backend, kernel, 0, 0, -1, 0}) : nullptr;
  if (r != nullptr) r->nanoseconds += nanoseconds;
}

void stats_count_shapes(bool wanted) { g_shapes_wanted = wanted; }

void stats_count_shape(const GemmDesc &desc) {
  if (!g_shapes_wanted.load(std::memory_order_relaxed)) return;
  StatsFile *const file = file_of_process();
  if (file == nullptr) return;
  const CallClass call = class_of(desc);
  const uint64_t hash = hash_of(call);
  for (int part = 0; part < kStatsParts; ++part) {
    StatsShape *const shapes = part_of_file(part);
    if (shapes == kNoPart) break;
    if (StatsShape *const place = place_in(shapes, stats_part_count(part), call, hash)) {
      place->calls += 1;
      return;
    }
  }
  ++file->lost_shapes;
}

void stats_add_startup(uint64_t nanoseconds) {
  StatsFile *const file = file_of_process();
  (file != nullptr ? file->startup : g_startup) += nanoseconds;
}

void stats_note_blas(const char *version, const char *name, uint32_t flags) {
  StatsFile *const file = file_of_process();
  if (file == nullptr) return;
  const uint32_t known = std::min<uint32_t>(file->blas_count, kStatsBlas);
  for (StatsBlas *b = file->blas; b != file->blas + known; ++b) {
    const bool same = (b->flags.load(std::memory_order_acquire) & StatsBlas::kReady) != 0 &&
                      std::strcmp(b->file, name) == 0 && (name[0] != '\0' || std::strcmp(b->version, version) == 0);
    if (!same) continue;
    b->flags |= flags;
    return;
  }
  const uint32_t place = file->blas_count.fetch_add(1);
  if (place >= kStatsBlas) return;
  StatsBlas &b = file->blas[place];
  std::snprintf(b.version, sizeof b.version, "%s", version);
  std::snprintf(b.file, sizeof b.file, "%s", name);
  b.flags.store(flags | StatsBlas::kReady, std::memory_order_release);
}

void stats_after_fork() {
  StatsFile *const file = g_file.exchange(nullptr);
  if (file != nullptr) g_parent = file;
  for (auto &part : g_parts) part = nullptr;
}

}  // namespace libsgemm

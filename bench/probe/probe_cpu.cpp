// Multiply-adds by vector width, and bandwidth of caches and memory.
#include <fmt/core.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <thread>

#include "base/timing.h"
#include "probe.h"
#include "probe_cpu_loops.h"

namespace command {
namespace {

constexpr int64_t kIterations = 20000;       // loop iterations of a chunk: about 0.1 ms
constexpr double kChunkBytes = 4 << 20;      // least size of a chunk of reads or copies
constexpr int64_t kLeastMemory = 256 << 20;  // least size of level "memory"; a quarter is used
constexpr size_t kHugePage = 2 << 20;
constexpr int64_t kClockAdds = 300000;  // about 0.1 ms
constexpr int kClockSamples = 7;

// Computes a chunk. Returns the amount of work.
using Chunk = std::function<double()>;

// Returns work a second: the median, since other programs may take the processor for a while.
double rate_of(const Chunk &chunk, double seconds) {
  chunk();
  std::vector<double> rates;
  const double start = now();
  double before = start;
  do {
    const double work = chunk(), after = now();
    rates.push_back(work / (after - before));
    before = after;
  } while (before - start < seconds);
  return median(rates);
}

// Measures the clock of the busy processor: Linux reports a constant, or the clock of a moment.
double clock_mhz() {
  double most = 0;  // other programs may take the processor for a while
  for (int i = 0; i < kClockSamples; ++i) {
    const double start = now();
    cpu_add_chain(kClockAdds);
    most = std::max(most, 1e-6 * static_cast<double>(kClockAdds) / (now() - start));
  }
  return most;
}

// Sets the figure to the sum over `threads` concurrent threads.
void measure(int threads, double seconds, double scale, const std::function<Chunk()> &make_chunk, Figure *figure) {
  std::vector<double> rates(static_cast<size_t>(threads));
  const auto run = [&](double *rate) { *rate = rate_of(make_chunk(), seconds); };
  std::vector<std::thread> others;
  for (size_t i = 1; i < rates.size(); ++i) others.emplace_back(run, &rates[i]);
  run(&rates[0]);
  figure->mhz = clock_mhz();
  for (std::thread &other : others) other.join();
  figure->value = std::accumulate(rates.begin(), rates.end(), 0.0) / scale;
}

std::string threads_text(int threads) { return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s"); }

void add_fma(const CpuLoops &loops, int threads, double seconds, std::vector<Probe> *probes) {
  const std::string width = loops.bits == 32 ? "scalar" : fmt::format("{} bits", loops.bits);
  const auto chunk = [loops] {
    loops.fma(kIterations);
    return static_cast<double>(kIterations) * kCpuFlopsPerLane * loops.bits / 32;
  };
  probes->push_back({"fma", fmt::format("FMA, {}, {}", width, threads_text(threads)), "GFLOP/s", [=](Figure *figure) {
                       measure(
                           threads, seconds, 1e9, [&] { return chunk; }, figure);
                     }});
}

class Part {
 public:
  // Large pages, if available, keep TLB misses out of the time.
  Part(const CpuLoops &loops, size_t bytes, bool copies) : loops_(loops), bytes_(bytes), copies_(copies) {
    const size_t pages = ((copies ? 2 : 1) * bytes + kHugePage - 1) / kHugePage;
    from_.reset(static_cast<char *>(std::aligned_alloc(kHugePage, pages * kHugePage)));
    if (from_ == nullptr) throw std::bad_alloc();
    madvise(from_.get(), pages * kHugePage, MADV_HUGEPAGE);
    memset(from_.get(), 1, pages * kHugePage);
  }
  double operator()() {
    const double once = copies_ ? 2.0 * static_cast<double>(bytes_) : static_cast<double>(bytes_);
    double done = 0;
    for (; done < kChunkBytes; done += once) {
      if (copies_) {
        loops_.copy(from_.get() + bytes_, from_.get(), bytes_);
      } else {
        loops_.read(from_.get(), bytes_);
      }
    }
    return done;
  }

 private:
  CpuLoops loops_;
  size_t bytes_;
  bool copies_;
  struct Free {
    void operator()(char *memory) const { free(memory); }
  };
  std::unique_ptr<char, Free> from_;
};

struct Level {
  const char *name;
  int64_t bytes;   // 0: none or unknown
  bool is_shared;  // by all threads
};

std::vector<Level> levels() {
  const int64_t last = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return {{"L1 cache", sysconf(_SC_LEVEL1_DCACHE_SIZE), false},
          {"L2 cache", sysconf(_SC_LEVEL2_CACHE_SIZE), false},
          {"L3 cache", last, true},
          {"memory", std::max(kLeastMemory, 16 * last), true}};
}

// Reads use half of a core's own cache, or together a quarter of a shared one. So do copies, both sides counted.
void add_level(const CpuLoops &loops, const Level &level, int threads, double seconds, std::vector<Probe> *probes) {
  for (const bool copies : {false, true}) {
    const int64_t bytes = level.bytes / (level.is_shared ? 2 * threads : 1) / (copies ? 4 : 2);
    const auto lines = static_cast<size_t>(bytes) / kCpuLine * kCpuLine;
    if (lines == 0) continue;
    const auto make = [=] {
      const auto part = std::make_shared<Part>(loops, lines, copies);
      return [part] { return (*part)(); };
    };
    probes->push_back({"memory", fmt::format("{}, {}, {}", level.name, copies ? "copy" : "read", threads_text(threads)),
                       "GB/s", [=](Figure *figure) { measure(threads, seconds, 1e9, make, figure); }});
  }
}

}  // namespace

std::vector<Probe> cpu_probes(double seconds) {
  std::vector<Probe> probes;
  const std::vector<CpuLoops> loops = cpu_loops();
  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (const int threads : {1, processors}) {
    if (threads == 1 && !probes.empty()) break;  // one processor
    for (const CpuLoops &width : loops) add_fma(width, threads, seconds, &probes);
  }
  for (const int threads : {1, processors}) {
    if (loops.empty() || (threads == 1 && probes.back().group == "memory")) break;
    for (const Level &level : levels()) add_level(loops.back(), level, threads, seconds, &probes);
  }
  return probes;
}

}  // namespace command

// `libsgemm bench --overhead`: CPU time of a call compared with OpenBLAS itself, on one thread, interleaved, with the
// same operands. Exit status 1 if a bar is missed.
#include <dlfcn.h>
#include <fmt/core.h>
#include <libsgemm.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/command.h"
#include "base/library.h"
#include "base/timing.h"
#include "peers/peers.h"

namespace command {
namespace {

constexpr double kDefaultBar = 150;  // ns
constexpr int kSmallSize = 8;
constexpr int kSmallCalls = 2000;      // in a sample
constexpr size_t kSmallSamples = 501;  // pairs
constexpr double kPairSeconds = 3;     // pairs of a larger size; up to kMostSeconds if ratios scatter
constexpr double kMostSeconds = 15;
constexpr double kPrecision = 0.002;  // sufficient standard error of the median ratio
constexpr size_t kLeastPairs = 15;

using CblasSgemm = void (*)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                            int);

struct Operands {
  explicit Operands(int n) : size(n), a(count()), b(count()), ours(count()), theirs(count()) {
    srand48(1);
    for (float &x : a) x = static_cast<float>(2 * drand48() - 1);
    for (float &x : b) x = static_cast<float>(2 * drand48() - 1);
  }
  size_t count() const { return static_cast<size_t>(size) * static_cast<size_t>(size); }

  int size;
  std::vector<float> a, b, ours, theirs;
};

// CPU time: other load on the machine does not count.
double cpu_now() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double time_library(Operands *x, int calls) {
  const int n = x->size;
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  const double start = cpu_now();
  for (int i = 0; i < calls && status == LIBSGEMM_SUCCESS; ++i) {
    status = libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, n, n, n, 1, x->a.data(), n,
                            x->b.data(), n, 0, x->ours.data(), n);
  }
  const double seconds = (cpu_now() - start) / calls;
  require(status);
  return seconds;
}

double time_openblas(CblasSgemm sgemm, Operands *x, int calls) {
  const int n = x->size;
  const double start = cpu_now();
  for (int i = 0; i < calls; ++i) {
    sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, n, n, n, 1, x->a.data(), n, x->b.data(), n, 0,
          x->theirs.data(), n);
  }
  return (cpu_now() - start) / calls;
}

struct Pair {
  double ours, theirs;
};

// Alternates the order, so that neither always finds the other's data in the caches.
Pair time_pair(CblasSgemm sgemm, Operands *x, int calls, bool ours_first) {
  Pair pair{0, 0};
  if (ours_first) pair.ours = time_library(x, calls);
  pair.theirs = time_openblas(sgemm, x, calls);
  if (!ours_first) pair.ours = time_library(x, calls);
  return pair;
}

// Results of the same code are equal to the bit.
void check(const Operands &x) {
  const libsgemm_info_t info = last_info();
  if (strcmp(info.backend, "openblas") != 0) {
    throw Error(fmt::format("the call ran on {}, not openblas: {}", info.backend, info.reason));
  }
  if (memcmp(x.ours.data(), x.theirs.data(), x.count() * sizeof(float)) != 0) {
    throw Error(fmt::format("size {}: the results differ", x.size));
  }
}

std::vector<Pair> time_small(CblasSgemm sgemm, Operands *x) {
  std::vector<Pair> pairs;
  while (pairs.size() < kSmallSamples) pairs.push_back(time_pair(sgemm, x, kSmallCalls, pairs.size() % 2 == 0));
  return pairs;
}

double ratio_of(const Pair &pair) { return pair.theirs / pair.ours; }

template <class Function>
std::vector<double> values_of(const std::vector<Pair> &pairs, Function value) {
  std::vector<double> values(pairs.size());
  std::transform(pairs.begin(), pairs.end(), values.begin(), value);
  return values;
}

template <class Function>
double median_of(const std::vector<Pair> &pairs, Function value) {
  return median(values_of(pairs, value));
}

// Estimates from the quartiles, as for a normal distribution.
double standard_error_of_median(const std::vector<Pair> &pairs) {
  const Summary summary = summarise(values_of(pairs, ratio_of));
  return 0.93 * (summary.upper_quartile - summary.lower_quartile) / std::sqrt(static_cast<double>(pairs.size()));
}

std::vector<Pair> time_large(CblasSgemm sgemm, Operands *x) {
  std::vector<Pair> pairs;
  const double start = now();
  for (;;) {
    pairs.push_back(time_pair(sgemm, x, 1, pairs.size() % 2 == 0));
    const double spent = now() - start;
    if (pairs.size() < kLeastPairs || spent < kPairSeconds) continue;
    if (spent > kMostSeconds || standard_error_of_median(pairs) < kPrecision) return pairs;
  }
}

template <class Measure>
std::vector<Pair> checked(Measure measure, CblasSgemm sgemm, Operands *x) {
  time_pair(sgemm, x, 1, true);
  check(*x);
  std::vector<Pair> pairs = measure(sgemm, x);
  check(*x);
  return pairs;
}

double ours(const Pair &pair) { return pair.ours; }
double theirs(const Pair &pair) { return pair.theirs; }

bool measure_small(CblasSgemm sgemm, double bar) {
  Operands x(kSmallSize);
  const std::vector<Pair> pairs = checked(time_small, sgemm, &x);
  const double difference = 1e9 * median_of(pairs, [](const Pair &pair) { return pair.ours - pair.theirs; });
  const bool pass = difference <= bar;
  fmt::print(
      "{0:>4} x {0} x {0}: libsgemm {1:.1f} ns, OpenBLAS {2:.1f} ns a call; difference {3:.1f} ns "
      "(median of {4} pairs of {5} calls); at most {6:g} ns: {7}\n",
      kSmallSize, 1e9 * median_of(pairs, ours), 1e9 * median_of(pairs, theirs), difference, pairs.size(), kSmallCalls,
      bar, pass ? "PASS" : "FAIL");
  fflush(stdout);
  return pass;
}

bool measure_large(CblasSgemm sgemm, int size, double bar) {
  Operands x(size);
  const std::vector<Pair> pairs = checked(time_large, sgemm, &x);
  const double ratio = median_of(pairs, ratio_of);
  const double gflop = 2e-9 * size * size * size;
  const bool pass = ratio >= bar;
  fmt::print(
      "{0:>4} x {0} x {0}: libsgemm {1:.2f} GFLOP/s, OpenBLAS {2:.2f} GFLOP/s; ratio {3:.4f} "
      "(median of {4} pairs); at least {5:g}: {6}\n",
      size, gflop / median_of(pairs, ours), gflop / median_of(pairs, theirs), ratio, pairs.size(), bar,
      pass ? "PASS" : "FAIL");
  fflush(stdout);
  return pass;
}

}  // namespace

int overhead(const OverheadOptions &options, const BenchOptions &bench) {
  if (!bench.peer.empty() && bench.peer != "openblas") return device_overhead(options, bench);
  // Before OpenBLAS is loaded and the library reads its environment.
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("LIBSGEMM_BACKEND", "openblas", 1);
  for (const char *name : {"LIBSGEMM_VERIFY", "LIBSGEMM_VERBOSE", "LIBSGEMM_KERNEL", "LIBSGEMM_STATS_DIR"})
    unsetenv(name);

  void *library = load_cpu_blas();
  const auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
  const auto sgemm = reinterpret_cast<CblasSgemm>(dlsym(library, "cblas_sgemm"));
  if (sgemm == nullptr || set_threads == nullptr) throw Error("OpenBLAS: cblas_sgemm is missing");
  set_threads(1);
  fmt::print("{}, 1 thread, CPU time\n", describe_cpu_blas(library));

  bool pass = measure_small(sgemm, options.overhead_bar.value_or(kDefaultBar));
  for (const int size : {512, 1024, 2048}) {
    const bool wanted = bench.max_flops == 0 || 2.0 * size * size * size <= bench.max_flops;
    if (wanted) pass = measure_large(sgemm, size, options.ratio_bar) && pass;
  }
  return pass ? 0 : 1;
}

}  // namespace command

// `libsgemm bench --overhead --peer cublas` (or another GPU peer): host time of a call on device pointers, interleaved
// with the peer's. The stream stays busy, so that only the enqueueing is timed. Exit status 1 if the bar is missed.
#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

#include "base/command.h"
#include "base/library.h"
#include "base/timing.h"
#include "inputs/workload.h"
#include "peers/gpu_memory.h"

namespace command {
namespace {

constexpr double kDefaultBar = 0;  // ns
constexpr int kSize = 8;
constexpr int kCalls = 100;  // on each side of a pair; a stream's queue holds about a thousand
constexpr size_t kPairs = 301;
constexpr double kHold = 2e-3, kMostHold = 0.2;  // busy seconds of the stream

struct Pair {
  double ours, theirs;
};

double time_calls(const std::function<void()> &call) {
  const double start = now();
  for (int i = 0; i < kCalls; ++i) call();
  return (now() - start) / kCalls;
}

// Returns false if the device began before the last call was enqueued.
bool time_pair(GpuMemory *memory, double hold, const std::function<void()> &ours, const std::function<void()> &theirs,
               bool ours_first, Pair *pair) {
  memory->finish();
  memory->hold(hold);
  memory->mark();
  if (ours_first) pair->ours = time_calls(ours);
  pair->theirs = time_calls(theirs);
  if (!ours_first) pair->ours = time_calls(ours);
  return !memory->mark_passed();
}

std::vector<Pair> time_pairs(GpuMemory *memory, const std::function<void()> &ours,
                             const std::function<void()> &theirs) {
  std::vector<Pair> pairs;
  double hold = kHold;
  while (pairs.size() < kPairs) {
    Pair pair{0, 0};
    if (time_pair(memory, hold, ours, theirs, pairs.size() % 2 == 0, &pair)) {
      pairs.push_back(pair);
    } else if ((hold *= 2) > kMostHold) {
      throw Error(fmt::format("the stream could not be kept busy for {} calls", 2 * kCalls));
    }
  }
  memory->finish();
  return pairs;
}

double median_of(const std::vector<Pair> &pairs, const std::function<double(const Pair &)> &value) {
  std::vector<double> values(pairs.size());
  std::transform(pairs.begin(), pairs.end(), values.begin(), value);
  return median(values);
}

void check(Workload *work, const char *who, const std::function<void()> &call) {
  work->prepare();
  call();
  const double error = work->check_sample({});
  if (!(error <= 1)) throw Error(fmt::format("the result of {} is off by {:.3g} bounds", who, error));
}

}  // namespace

int device_overhead(const OverheadOptions &options, const BenchOptions &bench) {
  // The library has not read its environment yet.
  for (const char *name : {"LIBSGEMM_VERIFY", "LIBSGEMM_VERBOSE", "LIBSGEMM_KERNEL", "LIBSGEMM_STATS_DIR"})
    unsetenv(name);
  select_gpu(bench.device);
  const std::unique_ptr<Peer> peer = open_peer(bench.peer);
  auto *const gpu = dynamic_cast<GpuMemory *>(&peer->memory());
  if (gpu == nullptr) {
    throw Error(fmt::format("--peer {}: the overhead is measured against openblas or a peer on a GPU", peer->name()));
  }
  GpuMemory &memory = *gpu;
  if (!memory.kernels_problem().empty()) throw Error(memory.kernels_problem());
  const Shape shape{kSize, kSize, kSize, 0, ""};
  Workload work(Routine::kSgemm, shape, {}, &memory);
  peer->prepare(work.calls());
  Handle handle;
  require(libsgemm_set_stream(handle, memory.stream()));
  require(libsgemm_set_backend(handle, memory.backend()));
  const Call &call = work.call();
  const auto ours = [&] { require(call_library(handle, call)); };
  const auto theirs = [&] { peer->run(call); };
  check(&work, "libsgemm", ours);
  const libsgemm_info_t info = last_info();
  if (std::string(info.backend) != memory.backend())
    throw Error(fmt::format("the call ran on {}: {}", info.backend, info.reason));
  check(&work, peer->name().c_str(), theirs);

  fmt::print("{} ({}), driver {}\n{}\n", memory.description().name, memory.description().arch,
             memory.description().driver, peer->version());
  const std::vector<Pair> pairs = time_pairs(&memory, ours, theirs);
  const double difference = 1e9 * median_of(pairs, [](const Pair &pair) { return pair.ours - pair.theirs; });
  const double bar = options.overhead_bar.value_or(kDefaultBar);
  const bool pass = difference <= bar;
  fmt::print(
      "{0} x {0} x {0} on device pointers, stream busy: libsgemm ({1}) {2:.1f} ns, {3} {4:.1f} ns a call; difference "
      "{5:.1f} ns (median of {6} pairs of {7} calls); at most {8:g} ns: {9}\n",
      kSize, info.kernel, 1e9 * median_of(pairs, [](const Pair &pair) { return pair.ours; }), peer->name(),
      1e9 * median_of(pairs, [](const Pair &pair) { return pair.theirs; }), difference, pairs.size(), kCalls, bar,
      pass ? "PASS" : "FAIL");
  return pass ? 0 : 1;
}

}  // namespace command

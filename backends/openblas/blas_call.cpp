// Most threads own a place for life, so a call costs them no atomic operation. Other threads share places.
//
// OpenBLAS runs threaded products one at a time, and waiting callers spin. In 0.3.29 they do not yield: with 100
// callers on two cores a product takes seconds. So at most one caller per CPU enters; the others sleep here.
#include "blas_call.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "process/immortal.h"
#include "process/parallel.h"

namespace libsgemm {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kBuffer = 128 * kMiB;  // OpenBLAS's on x86-64 and AArch64; wheels have smaller ones
constexpr size_t kShared = 8 * kMiB;    // memory of threads that share a product
constexpr size_t kLibrary = 64 * kMiB;
constexpr size_t kHeap = 128 * kMiB;  // address space that glibc takes at a thread's first allocation
constexpr int kMostThreads = 128;     // usual build-time limit of an OpenBLAS

constexpr char kNoBuffer[] = "out of memory (ulimit -v) for a buffer of the BLAS";
constexpr char kNoThreads[] =
    "out of memory or of processes for the threads of the BLAS (ulimit -v, -u; OPENBLAS_NUM_THREADS sets their number)";

std::mutex g_mutex;            // guards what follows; an ending thread decrements g_owners without it
std::atomic<int> g_owners{0};  // threads that own a place
bool g_has_buffer = false;     // the BLAS has mapped one, enough for a single call

struct SharedPlaces {
  int inside = 0;
  int most = 0;  // largest `inside` so far; all had buffers
  std::condition_variable ended;
};
SharedPlaces &g_shared = immortal<SharedPlaces>();

// most_calls of the BLAS in which this thread owns a place; also valid for a larger most_calls.
constexpr int kNone = INT_MAX, kEnded = INT_MAX - 1;
thread_local int t_place = kNone;

struct ThreadedCalls {
  int inside = 0;  // guarded by g_mutex
  std::condition_variable ended;
};
ThreadedCalls &g_threaded = immortal<ThreadedCalls>();
thread_local bool t_threaded = false;  // this thread is inside such a call

// Takes no lock: a process may fork while a thread ends.
struct Owner {
  ~Owner() {
    t_place = kEnded;
    --g_owners;
  }
};

// Maps memory for a moment, to see if that is possible.
class Mapped {
 public:
  Mapped() = default;
  ~Mapped() {
    for (const Piece &piece : pieces_) munmap(piece.memory, piece.bytes);
  }
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;

  // A system may refuse as a whole what it grants in parts.
  bool add(int count, size_t bytes) {
    pieces_.reserve(pieces_.size() + static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) return false;
      pieces_.push_back({memory, bytes});
    }
    return true;
  }

 private:
  struct Piece {
    void *memory;
    size_t bytes;
  };
  std::vector<Piece> pieces_;
};

bool could_map(int count, size_t bytes) {
  try {
    return Mapped().add(count, bytes);
  } catch (const std::bad_alloc &) {
    return false;
  }
}

bool address_space_is_limited() {
  rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

bool could_start(int count, size_t more) {
  std::mutex hold;
  std::vector<std::thread> threads;
  bool could = true;
  {
    const std::lock_guard<std::mutex> held(hold);
    try {
      threads.reserve(static_cast<size_t>(count));
      for (int i = 0; i < count; ++i) threads.emplace_back([&hold] { const std::lock_guard<std::mutex> waits(hold); });
      Mapped mapped;
      could = mapped.add(count, kBuffer) && mapped.add(1, more) &&
              (!address_space_is_limited() || mapped.add(count, kHeap));
    } catch (const std::exception &) {
      could = false;
    }
  }
  for (std::thread &thread : threads) thread.join();
  return could;
}

// True if there is a buffer in addition to `others`, which may not be mapped yet and count against a memory limit.
bool has_buffer(const CpuBlas &blas, int others) {
  const int missing = others + (g_has_buffer ? 0 : 1);
  if (!could_map(address_space_is_limited() ? missing : std::min(missing, 1), kBuffer)) return false;
  if (!g_has_buffer && blas.take_buffer != nullptr && blas.return_buffer != nullptr) {
    blas.return_buffer(blas.take_buffer(0));
    g_has_buffer = true;
  }
  return true;
}

// For a thread without its own place. *shared: the place is for this call only. Returns NULL, or why there is none.
const char *take_place(const CpuBlas &blas, bool *shared) {
  const int half = std::max(1, blas.most_calls / 2);
  std::unique_lock<std::mutex> lock(g_mutex);
  // Each call that leaves wakes one waiting thread; a woken thread that takes no place wakes the next.
  g_shared.ended.wait(lock, [half] { return g_shared.inside < half || (t_place == kNone && g_owners < half); });
  const bool owns = t_place == kNone && g_owners < half;
  const bool known = !owns && g_shared.inside < g_shared.most;
  if (!known && !has_buffer(blas, g_owners + (owns ? g_shared.most : g_shared.inside))) {
    g_shared.ended.notify_one();
    return kNoBuffer;
  }
  if (!owns) {
    g_shared.most = std::max(g_shared.most, ++g_shared.inside);
    *shared = true;
    return nullptr;
  }
  static thread_local const Owner owner;
  static_cast<void>(owner);
  t_place = blas.most_calls;
  ++g_owners;
  g_shared.ended.notify_one();
  return nullptr;
}

// Threads may be missing after a fork. Returns NULL, or what is missing.
const char *lacks_for_threads(const CpuBlas &blas, int threads) {
  if (blas.threads_run != nullptr && *blas.threads_run == 0) {
    const std::lock_guard<std::mutex> lock(g_mutex);
    if (*blas.threads_run == 0 && !could_start(threads - 1, kShared)) return kNoThreads;
  }
  return address_space_is_limited() && !could_map(1, kShared) ? kNoThreads : nullptr;
}

}  // namespace

BlasCall::BlasCall(const CpuBlas &blas, bool threaded) {
  if (blas.most_calls == INT_MAX) return;
  if (t_place > blas.most_calls) problem_ = take_place(blas, &shares_);
  if (!threaded || problem_ != nullptr) return;
  const int threads = blas.threads();
  if (threads == 1) return;
  problem_ = lacks_for_threads(blas, threads);
  if (problem_ != nullptr || t_threaded) return;
  static const int most = std::max(2, processors());  // 1 would deadlock a fork in a signal handler
  std::unique_lock<std::mutex> lock(g_mutex);
  g_threaded.ended.wait(lock, [] { return g_threaded.inside < most; });
  ++g_threaded.inside;
  threaded_ = t_threaded = true;
}

void BlasCall::leave() {
  {
    const std::lock_guard<std::mutex> lock(g_mutex);
    if (shares_) --g_shared.inside;
    if (threaded_) --g_threaded.inside;
  }
  if (shares_) g_shared.ended.notify_one();
  if (!threaded_) return;
  t_threaded = false;
  g_threaded.ended.notify_one();
}

const char *lacks_for_loading() {
  return could_start(std::min(threads_of_environment(), kMostThreads) - 1, kLibrary + kBuffer) ? nullptr : kNoThreads;
}

// Solves a small system with columns of B for each thread, so that each takes a buffer. A is the identity.
const char *wait_for_threads(const CpuBlas &blas) {
  const int64_t rows = 64, columns = std::max<int64_t>(rows, blas.threads());
  if (blas.most_calls == INT_MAX || blas.threads() == 1) return nullptr;
  if (!could_map(1, kBuffer)) return kNoBuffer;
  const float one = 1;
  std::vector<float> a(static_cast<size_t>(rows * rows)), b(static_cast<size_t>(rows * columns));
  blas.trsm("L", "U", "N", "U", &rows, &columns, &one, a.data(), &rows, b.data(), &rows, 1, 1, 1, 1);
  return nullptr;
}

}  // namespace libsgemm

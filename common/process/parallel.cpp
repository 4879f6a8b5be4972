#include "parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "contract/cpu_blas.h"

namespace libsgemm {
namespace {

// A few milliseconds of work, against tens of microseconds to start a thread.
constexpr double kLeastOperations = 4e6;

thread_local const CpuBlas *t_followed = nullptr;

class Helpers {
 public:
  Helpers(int wanted, int threads) {
    if (wanted == 0) return;
    const int most = std::min(processors(), threads) - 1;
    int used = in_use().load();
    do {
      count_ = std::max(0, std::min(wanted, most - used));
    } while (!in_use().compare_exchange_weak(used, used + count_));
  }
  ~Helpers() { in_use() -= count_; }
  Helpers(const Helpers &) = delete;
  Helpers &operator=(const Helpers &) = delete;
  int count() const { return count_; }

 private:
  static std::atomic<int> &in_use() {
    static std::atomic<int> all{0};
    return all;
  }
  int count_ = 0;
};

}  // namespace

void follow_threads_of(const CpuBlas *blas) { t_followed = blas; }

int most_threads() { return t_followed != nullptr ? t_followed->threads() : INT_MAX; }

int processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

int threads_of_environment() {
  for (const char *const name : {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"}) {
    const char *const value = getenv(name);
    const int count = value != nullptr ? std::atoi(value) : 0;
    if (count > 0) return count;
  }
  return processors();
}

int threads_for(double operations, int most) {
  most = std::min(most, kMostInParallel);
  return std::max(1, static_cast<int>(std::min(operations / kLeastOperations, static_cast<double>(most))));
}

void in_parallel(int64_t count, double operations, const std::function<void(int64_t, int64_t)> &work, int most) {
  const int64_t wanted = std::min<int64_t>(count, threads_for(operations, most));
  const Helpers helpers(std::max(0, static_cast<int>(wanted) - 1), std::min(most, kMostInParallel));
  if (helpers.count() == 0) {
    if (count > 0) work(0, count);
    return;
  }
  // About four shares a thread: faster threads take more.
  const int64_t share = std::max<int64_t>(1, count / (4 * (helpers.count() + 1)));
  std::atomic<int64_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto run = [&] {
    try {
      for (int64_t first = next.fetch_add(share); first < count; first = next.fetch_add(share)) {
        work(first, std::min(count, first + share));
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(helpers.count()));
  try {
    while (threads.size() < static_cast<size_t>(helpers.count())) threads.emplace_back(run);
  } catch (const std::exception &) {  // the threads that run do the work
  }
  run();
  for (std::thread &thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace libsgemm

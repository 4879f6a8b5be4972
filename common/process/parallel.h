// Work on the CPU by threads that live for one call.
#pragma once

#include <cstdint>
#include <functional>

namespace libsgemm {

struct CpuBlas;

// Limits the calling thread's work to the threads that this BLAS has at that time. NULL: no limit.
void follow_threads_of(const CpuBlas *blas);
int most_threads();  // INT_MAX: no limit

int processors();  // that this thread may use
// Threads that the environment gives to a BLAS: OPENBLAS_NUM_THREADS and others; processors() if it says nothing.
int threads_of_environment();

// How many threads in_parallel() uses at most.
constexpr int kMostInParallel = 64;
int threads_for(double operations, int most);

// Calls work(first, last) for ranges of [0, count), in several threads if `operations`, the total, is large enough. All
// calls together use no more threads than the process may run at once, or `most`. Rethrows what `work` throws.
void in_parallel(int64_t count, double operations, const std::function<void(int64_t, int64_t)> &work,
                 int most = most_threads());

}  // namespace libsgemm

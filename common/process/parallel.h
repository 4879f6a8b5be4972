// Work on the CPU shared out to threads that live for one call.
#pragma once

#include <cstdint>
#include <functional>

namespace libsgemm {

struct CpuBlas;  // cpu_blas.h

// What the calling thread does from now on takes no more threads than this BLAS, which a program limits as it likes,
// has at that time. NULL: as many as there can be.
void follow_threads_of(const CpuBlas *blas);
int most_threads();  // INT_MAX where none is followed

// Calls work(first, last) for ranges that make up [0, count), in several threads if `operations`, of all, are worth it.
// The threads of all calls together are no more than the process may run at once, or than most_threads(); a caller that
// finds none left works alone. What work throws is thrown.
void in_parallel(int64_t count, double operations, const std::function<void(int64_t, int64_t)> &work);

}  // namespace libsgemm

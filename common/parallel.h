// Work on the CPU shared out to threads that live for one call.
#pragma once

#include <cstdint>
#include <functional>

namespace libsgemm {

// Calls work(first, last) for ranges that make up [0, count), in several threads if `operations`, of all, are worth it.
// The threads of all calls together are no more than the process may run at once, or than threads_of_program(); a
// caller that finds none left works alone. What work throws is thrown.
void in_parallel(int64_t count, double operations, const std::function<void(int64_t, int64_t)> &work);

// The most threads that the program wants for the thread's latest call: those of its own BLAS for a call of the
// drop-in, by which it limits products; INT_MAX for any other call.
int threads_of_program();

}  // namespace libsgemm

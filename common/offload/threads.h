// Host threads that copy between the program's memory and pinned buffers; one set per process.
#pragma once

namespace libsgemm {

// Lives until `run` has been called, which must not throw.
struct CopyTask {
  void (*run)(CopyTask *task) = nullptr;
  CopyTask *next = nullptr;
};

// Tasks start in order; at once if no thread can be created. `helps`: the caller calls help_copy() until the task has
// run, so that no thread is woken for a single task.
void submit_copy(CopyTask *task, bool helps);

// Runs the first waiting task, of any call; false: none.
bool help_copy();

// LIBSGEMM_OFFLOAD_THREADS, by default one for two cores, from 2 to 16, and no more than the program allows its BLAS
// (docs/kernels/offload.md).
int copy_threads();

// The next task starts them again. The gate must be closed.
void stop_copy_threads();

}  // namespace libsgemm

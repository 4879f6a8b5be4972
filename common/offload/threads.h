// The host threads that copy between the program's memory and pinned buffers. One set for the process, started at first
// use.
#pragma once

namespace libsgemm {

// Work for one thread. The object lives until `run` has been called; it must not throw.
struct CopyTask {
  void (*run)(CopyTask *task) = nullptr;
  CopyTask *next = nullptr;
};

// Tasks start in the order of their submission. Runs the task at once if no thread can be created. `helps`: the caller
// is going to call help_copy() until the task has run, so no thread need be woken for a single waiting task.
void submit_copy(CopyTask *task, bool helps);

// Runs the first task that waits, whoever submitted it; false if there is none.
bool help_copy();

// How many threads there are, or will be: LIBSGEMM_OFFLOAD_THREADS, by default one for every two cores that the process
// may use, from 2 to 16, and no more than the program lets its BLAS have. Measured on an H100's host with 16 hardware
// threads, 4096 x 4096 x 4096 from pageable memory: 5.2 to 6.1 ms with 8, 11 to 13 ms with 16, of which some are always
// late; 10 are as fast as 8 unless C is saved, and suffer more from a host's other guests.
int copy_threads();

// Ends the threads; the next task starts them again. Nothing may be at work: the gate is closed.
void stop_copy_threads();

}  // namespace libsgemm

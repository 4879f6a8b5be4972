// The host threads that copy between the program's memory and pinned buffers. One set for the process, started at first
// use.
#pragma once

namespace libsgemm {

// Work for one thread. The object lives until `run` has been called; it must not throw.
struct CopyTask {
  void (*run)(CopyTask *task) = nullptr;
  CopyTask *next = nullptr;
};

// In the order of their submission. Runs the task at once where no thread can be had.
void submit_copy(CopyTask *task);

// How many threads there are, or will be: LIBSGEMM_OFFLOAD_THREADS, by default one for each core that the process may
// use, at most 16.
int copy_threads();

// Ends the threads; the next task starts them again. Nothing may be at work: the gate is closed.
void stop_copy_threads();

}  // namespace libsgemm

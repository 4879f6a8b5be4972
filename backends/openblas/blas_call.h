// Admission to the BLAS: a call waits for a buffer, and is refused if memory or threads are missing.
//
// OpenBLAS has a fixed number of buffers, at least twice the threads of its build. Each of its threads and each running
// call holds one; a call without one ends in a signal. If a buffer cannot be mapped, OpenBLAS retries for ever. It ends
// the process if a thread cannot be started, or if a threaded product lacks memory.
#pragma once

#include "contract/cpu_blas.h"

namespace libsgemm {

class BlasCall {
 public:
  // Waits for a buffer. `threaded`: the BLAS may use its threads; then it also waits until fewer such calls than CPUs
  // are inside.
  BlasCall(const CpuBlas &blas, bool threaded);
  ~BlasCall() {
    if (shares_ || threaded_) leave();
  }
  BlasCall(const BlasCall &) = delete;
  BlasCall &operator=(const BlasCall &) = delete;

  // Why the BLAS must not be entered, or NULL.
  const char *problem() const { return problem_; }

 private:
  void leave();

  const char *problem_ = nullptr;
  bool shares_ = false;  // the place is for this call only
  bool threaded_ = false;
};

// NULL if a BLAS, whose loading starts threads, can be loaded; otherwise why not.
const char *lacks_for_loading();

// Waits until the threads started by loading have their buffers, which a later memory limit does not affect. Returns
// NULL, or why that failed.
const char *wait_for_threads(const CpuBlas &blas);

}  // namespace libsgemm

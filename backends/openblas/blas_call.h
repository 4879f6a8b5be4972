// Admission to the BLAS: no more calls than it has buffers for, and none that lacks memory or threads.
//
// OpenBLAS has a fixed number of buffers, at least twice the threads that it was built for. Each of its threads and
// each running call holds one. A call without one ends in a signal. OpenBLAS requests a buffer that cannot be mapped in
// an endless loop. If a thread cannot be started, or memory is short in a product that threads share, it ends the
// process. So everything is checked before a call enters.
#pragma once

#include "contract/cpu_blas.h"

namespace libsgemm {

class BlasCall {
 public:
  // Waits while the BLAS has buffers for no more calls. `threaded`: the BLAS may use its threads; then waits, too,
  // while as many such calls are inside as it has threads.
  BlasCall(const CpuBlas &blas, bool threaded);
  ~BlasCall() {
    if (shares_ || threaded_) leave();
  }
  BlasCall(const BlasCall &) = delete;
  BlasCall &operator=(const BlasCall &) = delete;

  // Why the BLAS must not be entered; NULL: enter.
  const char *problem() const { return problem_; }

 private:
  void leave();

  const char *problem_ = nullptr;
  bool shares_ = false;    // the place is for this call only
  bool threaded_ = false;  // counted among calls that may use threads
};

// NULL if a BLAS, which starts threads during loading, can be loaded; otherwise why not.
const char *lacks_for_loading();

// Returns when the threads started by loading have their buffers: a later memory limit does not affect these. NULL, or
// why they cannot be asked.
const char *wait_for_threads(const CpuBlas &blas);

}  // namespace libsgemm

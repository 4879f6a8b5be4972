// Admission to the BLAS: no more calls than it has buffers for, none that lacks memory or threads.
//
// OpenBLAS has a fixed number of buffers, at least twice the threads of its build. Each of its threads and each running
// call holds one. A call without one ends in a signal. OpenBLAS requests a buffer that cannot be mapped in an endless
// loop. It ends the process if a thread cannot be started, or memory is short in a threaded product.
#pragma once

#include "contract/cpu_blas.h"

namespace libsgemm {

class BlasCall {
 public:
  // Waits until the BLAS has a buffer for the call. `threaded`: the BLAS may use its threads; then also waits until
  // fewer such calls are inside than there are CPUs.
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
  bool threaded_ = false;  // counted among threaded calls
};

// NULL if a BLAS, which starts threads during loading, can be loaded; otherwise why not.
const char *lacks_for_loading();

// Waits until the threads started by loading have their buffers: a later memory limit does not affect these. NULL, or
// why that failed.
const char *wait_for_threads(const CpuBlas &blas);

}  // namespace libsgemm

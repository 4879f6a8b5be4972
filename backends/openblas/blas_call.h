// Calls inside the BLAS: no more than it has buffers for, and none for which memory or threads are missing.
//
// OpenBLAS has a fixed number of buffers, at least twice the number of threads that it was built for. Each of its
// threads holds one, and so does each running call. A call that finds none ends in a signal. A buffer that cannot be
// mapped is requested in an endless loop. If a thread cannot be started, or memory is short in a product that threads
// share, OpenBLAS ends the process. So what a call needs is checked before it enters.
#pragma once

#include "contract/cpu_blas.h"

namespace libsgemm {

// Lives around a launch's calls of a BLAS.
class BlasCall {
 public:
  // Waits while the BLAS has buffers for no more calls. `threaded`: the BLAS may share the work among its threads; then
  // also waits while as many such calls are inside as it has threads.
  BlasCall(const CpuBlas &blas, bool threaded);
  ~BlasCall() {
    if (shares_ || threaded_) leave();
  }
  BlasCall(const BlasCall &) = delete;
  BlasCall &operator=(const BlasCall &) = delete;

  // The reason why the BLAS must not be entered; NULL: it may be.
  const char *problem() const { return problem_; }

 private:
  void leave();

  const char *problem_ = nullptr;
  bool shares_ = false;    // the place is for this call only
  bool threaded_ = false;  // counted among the calls that may use threads
};

// NULL if a BLAS, which starts its threads while it is loaded, can be loaded; otherwise the reason.
const char *lacks_for_loading();

// Returns when the threads that loading has started have their buffers: a later memory limit does not affect these.
// NULL, or the reason why they cannot be asked.
const char *wait_for_threads(const CpuBlas &blas);

}  // namespace libsgemm

// Calls inside the BLAS: no more than it has buffers for, and none that it has no memory or no threads for.
//
// OpenBLAS has a fixed number of buffers, at least twice as many as it was built for threads. Each of its threads holds
// one, and each call at work. A call that finds none ends in a signal; a buffer that cannot be mapped is asked for
// without end; and a thread that cannot be started, or want of memory in a product that threads share, ends the
// process. So what a call needs is looked for before it enters.
#pragma once

#include "contract/cpu_blas.h"

namespace libsgemm {

// Around what a launch does in a BLAS.
class BlasCall {
 public:
  // Waits while as many others are inside as the BLAS can bear. `threaded`: it may share the work out to its threads.
  BlasCall(const CpuBlas &blas, bool threaded);
  ~BlasCall() {
    if (shares_) leave();
  }
  BlasCall(const BlasCall &) = delete;
  BlasCall &operator=(const BlasCall &) = delete;

  // Why the BLAS is not to be entered; NULL: it may be.
  const char *problem() const { return problem_; }

 private:
  static void leave();

  const char *problem_ = nullptr;
  bool shares_ = false;
};

// Whether a BLAS can be loaded, which starts its threads then. NULL, or why not.
const char *lacks_for_loading();

// Returns when the threads that loading has started have their buffers: a limit that comes later is not theirs.
void wait_for_threads(const CpuBlas &blas);

}  // namespace libsgemm

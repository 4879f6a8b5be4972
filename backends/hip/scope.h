// Which device a thread works on. HIP computes on the thread's current device: an entry of the backend makes its own
// current, and the caller's again at its end.
#pragma once

#include <hip/hip_runtime.h>

#include "backend.h"

namespace libsgemm::hip {

class Scope {
 public:
  Scope() = default;
  ~Scope();
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

  // Refuses a device that was lost.
  libsgemm_status_t enter(int index, Error *error);

 private:
  int before_ = -1;  // to go back to; -1: nothing was changed
};

// Lets the thread allocate and wait although some other stream of the program records a graph.
class RelaxedCapture {
 public:
  RelaxedCapture() { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

 private:
  void exchange() { static_cast<void>(hipThreadExchangeStreamCaptureMode(&mode_)); }
  hipStreamCaptureMode mode_ = hipStreamCaptureModeRelaxed;
};

// True if the device may have work of ours or of the program: this process has used it, as far as we know.
bool in_use(int index);

// True if somebody in this process, the program or we, has initialised the runtime: nothing of a device exists before.
// Does not initialise it, and is fast.
bool runtime_in_use();

// After an error that no call on the device survives (an illegal address, an uncorrectable memory error): the current
// device is refused from now on.
void mark_lost(hipError_t code);
bool is_fatal(hipError_t code);

}  // namespace libsgemm::hip

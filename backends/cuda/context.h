// Which device a thread works on. The runtime library computes in the context that is current in the driver: an entry
// of the backend makes the one of its device current, and the caller's own again at its end.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include "backend.h"

namespace libsgemm::cuda {

class Scope {
 public:
  Scope() = default;
  ~Scope();
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

  // The device's primary context, which is the runtime's, made now if need be; a context of the program's own on that
  // device stays. Refuses a device that was lost.
  libsgemm_status_t enter(int index, Error *error);

  // The context of a stream.
  libsgemm_status_t enter_stream(void *stream, Error *error);

  CUcontext context() const { return now_; }

 private:
  libsgemm_status_t set(CUcontext context, Error *error);

  CUcontext before_ = nullptr, now_ = nullptr;
  bool changed_ = false;
};

// Lets the thread allocate and wait although some other stream of the program records a graph.
class RelaxedCapture {
 public:
  RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// True if the device may have work of ours or of the program: a context of it exists that this thread would use.
bool in_use(int index);

// After an error that no call on the context survives (an illegal address, an uncorrectable memory error): the device
// of the current context is refused from now on.
void mark_lost(cudaError_t code);
bool is_fatal(cudaError_t code);

}  // namespace libsgemm::cuda

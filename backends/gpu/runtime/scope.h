// The device that a thread works on. The runtime uses what is current in the thread: a context (CUDA) or a device
// (HIP). An entry of the backend makes its own current and restores the caller's at its end.
#pragma once

#include "code.h"
#include "contract/backend.h"
#include "gpu/vendor.h"

namespace libsgemm::gpu {

// Each backend defines the member functions.
class Scope {
 public:
  using Current = LIBSGEMM_CURRENT_TYPE;

  Scope() = default;
  ~Scope();
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

  // Makes device `index` current. Fails if it was lost.
  libsgemm_status_t enter(int index, Error *error);

  // Makes a stream's device current; keeps the current one if the runtime does not tell.
  libsgemm_status_t enter_stream(void *stream, Error *error);

  Current current() const { return now_; }

  // Identity of the context that was entered, as from Backend::context.
  uint64_t context_id() const;

  // Index of the device that was entered; -1 if it is not one of the backend's, or unknown.
  int index() const { return index_; }

 private:
  libsgemm_status_t set(Current to, Error *error);

  Current before_ = {}, now_ = {};
  int index_ = -1;
  bool changed_ = false;
};

// True if the device may have work of ours or of the program. Each backend defines it.
bool in_use(int index);

// Lets the thread allocate and wait while another stream of the program records a graph.
class RelaxedCapture {
 public:
  RelaxedCapture() { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

 private:
  void exchange() { succeeds(LIBSGEMM_RUNTIME(ThreadExchangeStreamCaptureMode)(&mode_)); }

  LIBSGEMM_RUNTIME(StreamCaptureMode) mode_ = LIBSGEMM_RUNTIME(StreamCaptureModeRelaxed);
};

}  // namespace libsgemm::gpu

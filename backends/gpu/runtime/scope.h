// A thread's current context (CUDA) or device (HIP). An entry of the backend makes its own current and restores the
// caller's at its end.
#pragma once

#include "code.h"
#include "contract/backend.h"
#include "gpu/vendor.h"

namespace libsgemm::gpu {

class Scope {
 public:
  using Current = LIBSGEMM_CURRENT_TYPE;

  Scope() = default;
  ~Scope();
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

  // Fails if the device was lost.
  libsgemm_status_t enter(int index, Error *error);

  // Does nothing if the runtime does not tell the stream's device.
  libsgemm_status_t enter_stream(void *stream, Error *error);

  Current current() const { return now_; }

  // The same as Backend::context.
  uint64_t context_id() const;

  // -1: unknown, or none of the backend's.
  int index() const { return index_; }

 private:
  libsgemm_status_t set(Current to, Error *error);

  Current before_ = {}, now_ = {};
  int index_ = -1;
  bool changed_ = false;
};

// The device may have work.
bool in_use(int index);

// Permits allocating and waiting while another stream of the program records a graph.
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

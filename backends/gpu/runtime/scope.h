// Which device a thread works on. A runtime computes on what is current in the thread, CUDA on a context and HIP on a
// device: an entry of the backend makes its own current, and the caller's again at its end.
#pragma once

#include "code.h"
#include "contract/backend.h"
#include "gpu/vendor.h"

namespace libsgemm::gpu {

// Each backend defines its functions.
class Scope {
 public:
  using Current = LIBSGEMM_CURRENT_TYPE;

  Scope() = default;
  ~Scope();
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

  // Refuses a device that was lost.
  libsgemm_status_t enter(int index, Error *error);

  // The device of a stream; the current one where the runtime does not tell.
  libsgemm_status_t enter_stream(void *stream, Error *error);

  Current current() const { return now_; }

  // As Backend::context, of what was entered.
  uint64_t context_id() const;

  // Of the device that was entered; -1 if it is none of the backend's, or not known.
  int index() const { return index_; }

 private:
  libsgemm_status_t set(Current to, Error *error);

  Current before_ = {}, now_ = {};
  int index_ = -1;
  bool changed_ = false;
};

// True if the device may have work of ours or of the program. Each backend defines it.
bool in_use(int index);

// Lets the thread allocate and wait although some other stream of the program records a graph.
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

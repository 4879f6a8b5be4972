#pragma once

#include "contract/backend.h"
#include "gpu/vendor.h"

namespace libsgemm::gpu {

using Code = LIBSGEMM_RUNTIME(Error_t);
constexpr Code kSuccess = LIBSGEMM_RUNTIME(Success);

// On failure clears the thread's last error: the program must not find one of ours.
inline bool succeeds(Code code) {
  if (code == kSuccess) return true;
  static_cast<void>(LIBSGEMM_RUNTIME(GetLastError)());
  return false;
}

// On an error, sets `error` and clears the thread's last error. `index`: device of the call, which a fatal code marks
// as lost; -1: unknown, or not one of the backend's.
libsgemm_status_t status_of(Code code, int index, const char *what, Error *error);

// EXECUTION_FAILED if the device was lost earlier.
libsgemm_status_t refuse_lost(int index, Error *error);

// True for an error after which no call on the device succeeds, for example an illegal address. Each backend defines
// it.
bool is_fatal(Code code);

}  // namespace libsgemm::gpu

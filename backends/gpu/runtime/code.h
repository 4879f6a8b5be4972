// Error codes of the runtime, and the record of lost devices.
#pragma once

#include "contract/backend.h"
#include "gpu/vendor.h"

namespace libsgemm::gpu {

using Code = LIBSGEMM_RUNTIME(Error_t);
constexpr Code kSuccess = LIBSGEMM_RUNTIME(Success);

// True if a call succeeded. Otherwise clears the thread's last error: the program must not find one of ours.
inline bool succeeds(Code code) {
  if (code == kSuccess) return true;
  static_cast<void>(LIBSGEMM_RUNTIME(GetLastError)());
  return false;
}

// On an error, `error` says what failed and why, and the thread's last error is cleared. `index`: device of the call; a
// fatal code marks it as lost. -1: unknown, or not one of the backend's.
libsgemm_status_t status_of(Code code, int index, const char *what, Error *error);

// Returns EXECUTION_FAILED if the device was lost earlier.
libsgemm_status_t refuse_lost(int index, Error *error);

// True if no call on the device survives the error, such as an illegal address. Each backend defines it.
bool is_fatal(Code code);

}  // namespace libsgemm::gpu

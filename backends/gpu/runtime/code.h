// What calls of the runtime return, and devices that are gone.
#pragma once

#include "contract/backend.h"
#include "gpu/vendor.h"

namespace libsgemm::gpu {

using Code = LIBSGEMM_RUNTIME(Error_t);
constexpr Code kSuccess = LIBSGEMM_RUNTIME(Success);

// True if a call succeeded. If not, the thread's last error is cleared: the program must not find one of ours there.
inline bool succeeds(Code code) {
  if (code == kSuccess) return true;
  static_cast<void>(LIBSGEMM_RUNTIME(GetLastError)());
  return false;
}

// The status that `code` means. Of an error, `error` says what failed and why, and the thread's last error is cleared.
// `index`: the device that it is about, which is refused from now on if the code is fatal; -1: not known, or not ours.
libsgemm_status_t status_of(Code code, int index, const char *what, Error *error);

// Refuses a device that was lost.
libsgemm_status_t refuse_lost(int index, Error *error);

// True for an error that no call on the device survives: an illegal address, an uncorrectable memory error. Each
// backend defines it.
bool is_fatal(Code code);

}  // namespace libsgemm::gpu

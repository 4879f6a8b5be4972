// Finds the memory that the operands of a call are in.
#pragma once

#include "contract/backend.h"
#include "decision/model.h"
#include "process/env.h"
#include "process/thread_info.h"

namespace libsgemm {

struct Placement {
  int owner = -1;  // GPU backend that owns their memory; -1: host memory
  Location where = {Space::host, 0};
  bool arrays_on_device = false;    // the device reads the pointer arrays of a batch
  unsigned pinned[kFirstCpu] = {};  // host operands that are page-locked for a GPU backend, as bits of Pinned

  bool on_host() const { return owner < 0; }
  // A CPU can compute on managed memory, too.
  bool cpu_can_reach() const { return owner < 0 || (where.space == Space::managed && !arrays_on_device); }
};

// Asks the GPU backends that are candidates or already loaded. `handle`: the call's, or NULL; `device_only`: as
// Call::device_only. INVALID_ARGUMENT if the operands are not all in one memory, or are on another device than the
// stream. UNAVAILABLE if LIBSGEMM_DEVICES excludes their device. During exit no backend can be asked: UNAVAILABLE if
// the CPU cannot read them.
libsgemm_status_t find_operands(const GemmDesc &desc, const Settings &settings, const libsgemm_handle *handle,
                                bool device_only, Placement *placement, ThreadInfo *info);

}  // namespace libsgemm

// Finds the operands' memory.
#pragma once

#include "contract/backend.h"
#include "decision/model.h"
#include "operation.h"
#include "process/env.h"
#include "process/thread_info.h"

namespace libsgemm {

struct Placement {
  int owner = -1;  // GPU backend; -1: host memory
  Location where = {Space::host, 0};
  bool arrays_on_device = false;    // the device reads a batch's pointer arrays
  unsigned pinned[kFirstCpu] = {};  // page-locked host operands for a GPU backend, bits of Pinned

  bool on_host() const { return owner < 0; }
  // The CPU can access managed memory.
  bool cpu_can_reach() const { return owner < 0 || (where.space == Space::managed && !arrays_on_device); }
};

// Asks the GPU backends that are candidates or loaded. `handle` may be NULL; `device_only`: Caller::device_only.
// INVALID_ARGUMENT: the operands are in different memories, or on another device than the stream. UNAVAILABLE:
// LIBSGEMM_DEVICES excludes their device, or, during exit, when no backend can be asked, the CPU cannot read them.
libsgemm_status_t find_operands(const Operation &operation, const Settings &settings, const libsgemm_handle *handle,
                                bool device_only, Placement *placement, ThreadInfo *info);

}  // namespace libsgemm

// Where the operands of a call live.
#pragma once

#include "contract/backend.h"
#include "decision/model.h"
#include "process/env.h"
#include "process/thread_info.h"

namespace libsgemm {

struct Placement {
  int owner = -1;  // GPU backend in whose memory they are; -1: host memory
  Location where = {Space::host, 0};
  bool arrays_on_device = false;    // the device reads the pointer arrays of a batch
  unsigned pinned[kFirstCpu] = {};  // host operands that are page-locked for a GPU backend, as bits of Pinned

  bool on_host() const { return owner < 0; }
  // Managed memory can be computed on by a CPU as well.
  bool cpu_can_reach() const { return owner < 0 || (where.space == Space::managed && !arrays_on_device); }
};

// Asks the GPU backends that are candidates or loaded already. `handle`: the call's, or NULL; `device_only`: as
// Call::device_only. INVALID_ARGUMENT if the operands are not all in one memory, or in that of another device than the
// stream's. When the process is ending nobody can be asked: UNAVAILABLE if the CPU cannot read them.
libsgemm_status_t find_operands(const GemmDesc &desc, const Settings &settings, const libsgemm_handle *handle,
                                bool device_only, Placement *placement, ThreadInfo *info);

}  // namespace libsgemm

// Finds the operands' memory.
#pragma once

#include "contract/backend.h"
#include "decision/model.h"
#include "process/env.h"
#include "process/thread_info.h"

namespace libsgemm {

struct Placement {
  int owner = -1;  // GPU backend; -1: host memory
  Location where = {Space::host, 0};
  bool arrays_on_device = false;    // the device reads a batch's pointer arrays
  unsigned pinned[kFirstCpu] = {};  // page-locked host operands by GPU backend, bits of Pinned

  bool on_host() const { return owner < 0; }
  bool cpu_can_reach() const { return owner < 0 || (where.space == Space::managed && !arrays_on_device); }
};

// Asks the GPU backends that are candidates or loaded. `handle` may be NULL. INVALID_ARGUMENT: the operands are in
// different memories, or not on the stream's device. UNAVAILABLE: LIBSGEMM_DEVICES excludes their device, or the CPU
// cannot read them during exit, when no backend can be asked.
libsgemm_status_t find_operands(const GemmDesc &desc, const Settings &settings, const libsgemm_handle *handle,
                                bool device_only, Placement *placement, ThreadInfo *info);

}  // namespace libsgemm

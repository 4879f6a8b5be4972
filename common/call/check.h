// Argument checks.
#pragma once

#include "call.h"
#include "plan.h"
#include "process/thread_info.h"

namespace libsgemm {

// Checks all but aliasing. Fills *desc, column-major, or `info`: INVALID_ARGUMENT, the lowest wrong position and
// a message.
libsgemm_status_t check_call(const Call &call, ThreadInfo *info, GemmDesc *desc);

// Checks arrays for NULL, counts and sizes.
libsgemm_status_t check_groups(const GroupCall &call, ThreadInfo *info);

// For libsgemm_plan_create; positions count from its handle.
libsgemm_status_t check_plan_operand(const PlanOperand &x, ThreadInfo *info);

// Checks for NULL in a batch's arrays (host memory), and for outputs that share an element with an input.
libsgemm_status_t check_memory(const Call &call, const GemmDesc &desc, bool arrays_on_host, ThreadInfo *info);

inline bool reads_inputs(const GemmDesc &desc) { return desc.alpha != 0.0f && desc.k > 0; }

}  // namespace libsgemm

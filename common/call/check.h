// Argument checks, once for every routine and every backend.
#pragma once

#include "call.h"
#include "plan.h"
#include "process/thread_info.h"

namespace libsgemm {

// Checks everything but aliasing and, if legal, fills *desc with the call in column-major form. An illegal call is
// reported in `info` (INVALID_ARGUMENT, position, message) with the lowest position at fault.
libsgemm_status_t check_call(const Call &call, ThreadInfo *info, GemmDesc *desc);

// The arrays of a group call: NULL arrays and negative counts.
libsgemm_status_t check_groups(const GroupCall &call, ThreadInfo *info);

// The arguments of libsgemm_plan_create, which count from its handle.
libsgemm_status_t check_plan_operand(const PlanOperand &x, ThreadInfo *info);

// The pointers in a batch's arrays (host memory), and that no output shares an element with an input.
// `call` says how the arguments are named.
libsgemm_status_t check_memory(const Call &call, const GemmDesc &desc, bool arrays_on_host, ThreadInfo *info);

// True if A and B of this call will be read.
inline bool reads_inputs(const GemmDesc &desc) { return desc.alpha != 0.0f && desc.k > 0; }

}  // namespace libsgemm

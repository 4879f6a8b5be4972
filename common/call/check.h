// Argument checks, once for every routine and every backend.
#pragma once

#include "call.h"
#include "plan.h"
#include "process/thread_info.h"

namespace libsgemm {

// Checks everything except aliasing. Fills *desc with a legal call in column-major form. Reports an illegal one in
// `info` (INVALID_ARGUMENT, position, message), with the lowest wrong position.
libsgemm_status_t check_call(const Call &call, ThreadInfo *info, GemmDesc *desc);

// Checks the arrays of a group call for NULL, and its counts and sizes.
libsgemm_status_t check_groups(const GroupCall &call, ThreadInfo *info);

// Checks the arguments of libsgemm_plan_create; positions count from its handle.
libsgemm_status_t check_plan_operand(const PlanOperand &x, ThreadInfo *info);

// Checks that no pointer in a batch's arrays (host memory) is NULL, and that no output shares an element with an input.
// `call` has the names of the arguments.
libsgemm_status_t check_memory(const Call &call, const GemmDesc &desc, bool arrays_on_host, ThreadInfo *info);

// True if A and B of this call are read.
inline bool reads_inputs(const GemmDesc &desc) { return desc.alpha != 0.0f && desc.k > 0; }

}  // namespace libsgemm

// Who computes a checked call, and what happens if that fails.
#pragma once

#include "call.h"
#include "env.h"
#include "thread_info.h"

namespace libsgemm {

// The checks that need to know where the operands live: one memory for all, NULL in a batch's arrays, aliasing.
libsgemm_status_t check_operands(const Call &call, const GemmDesc &desc, const Settings &settings, ThreadInfo *info);

// The same checks, then performs a legal, non-empty description. `call` is only needed to name arguments in messages.
// `handle` may be NULL: then the call is synchronous. Fills `info`.
libsgemm_status_t dispatch(const Call &call, const GemmDesc &desc, const Settings &settings, libsgemm_handle *handle,
                           ThreadInfo *info);

}  // namespace libsgemm

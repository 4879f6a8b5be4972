// Verification around a launch, for products and convolutions.
#pragma once

#include "attempt.h"

namespace libsgemm {

// On SUCCESS *ran is the kernel that ran.
using LaunchRequest = libsgemm_status_t(Request *r, int index, const Kernel **ran, Error *error);

// The CPU must reach the operands. C is restored if the call fails or its result is refused.
libsgemm_status_t launch_and_verify(LaunchRequest *launch, Request *r, int index, const Kernel **ran, Error *error);

// The operands must be in device memory.
libsgemm_status_t launch_on_device_and_verify(LaunchRequest *launch, Request *r, int index, const Kernel **ran,
                                              Error *error);

}  // namespace libsgemm

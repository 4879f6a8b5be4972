// Verification around one backend's launch of a call (attempt.h): what of it concerns both products and convolutions.
#pragma once

#include "attempt.h"

namespace libsgemm {

// Computes the call; SUCCESS: *ran is the row that did.
using LaunchRequest = libsgemm_status_t(Request *r, int index, const Kernel **ran, Error *error);

// With operands that the CPU can reach: C is as it was if the call fails or its result is refused.
libsgemm_status_t launch_and_verify(LaunchRequest *launch, Request *r, int index, const Kernel **ran, Error *error);

// With operands in memory of a device.
libsgemm_status_t launch_on_device_and_verify(LaunchRequest *launch, Request *r, int index, const Kernel **ran,
                                              Error *error);

}  // namespace libsgemm

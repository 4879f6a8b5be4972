// Faults for the tests: LIBSGEMM_TEST_<backend>_FAULT="launch:3,allocate:1" makes the third launch and the first
// allocation of the process fail as if the runtime had refused them. Read at open(), ignored in set-user-id processes.
#pragma once

#include "backend.h"

namespace libsgemm::gpu {

// `lost`: a synchronisation finds that a kernel has made an illegal access, so that the device is gone.
enum class Site : int { allocate, copy, launch, synchronize, lost };
constexpr int kSiteCount = 5;

// From the environment. UNAVAILABLE if the variable is not valid: a test must not believe in a fault that never comes.
libsgemm_status_t read_faults(const char *variable, Error *error);

extern bool g_faults;  // whether there are any
bool fails_now(Site site);

// True if this call at the site is the one to fail.
inline bool fails(Site site) { return g_faults && fails_now(site); }

}  // namespace libsgemm::gpu
